import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { subscribe } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { balance, chat, emptyFolder, fileOf } from './spawned-program.ts';

/** An emulator that runs, and commands for it: what each ends with and says, and what it prints with `--json`. */
async function running(config: Parameters<typeof world>[0] = {}) {
  const here = await world({ credits: 100, ...config });
  const { port } = new URL(here.url);
  const run = (...line: string[]) => runCommand([...line, '--port', port]);
  const json = async (...line: string[]) => JSON.parse((await run(...line, '--json')).stdout);
  return { here, url: here.url, run, json };
}

it('brings a running emulator back to its first state [I151]', async () => {
  const { url, run } = await running();
  await chat(url);
  const { exitCode, stdout } = await run('reset');
  expect([exitCode, stdout]).toEqual([0, 'Back to the first state; snapshots are kept.\n']);
  expect(await balance(url)).toBe(100);
});

it('makes a key that the service takes, of the first account unless another is named [I151]', async () => {
  const { url, run, json } = await running();
  const { api_key: key } = await json('keys', 'create');
  const answer = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toMatchObject({ credits: 100 });
  const unknown = await run('keys', 'create', '--account', 'acct_none');
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('acct_none')]);
});

it('triggers an event that reaches a receiver, with the data it is given [I151]', async () => {
  const { here, run } = await running();
  const { receiver } = await subscribe(await here.first(), ['image.generation.succeeded']);
  const { stdout } = await run('trigger', 'image.generation.succeeded', '--data', '{"id":"job_9"}');
  const [request] = await receiver.received(1);
  expect(JSON.parse(String(request?.body))).toMatchObject({ id: stdout.trim(), data: { id: 'job_9' } });
});

it.each([
  ['trigger image.generation.succeeded --data {oops', '--data is "{oops", which is no JSON'],
  ['account add --credits many', '--credits is "many"; expected a number.'],
  ['clock advance soon', 'The span is "soon"; expected one such as 8d'],
  ['fault add 503', 'The effect is "503", where there is no file; expected a JSON object, or the path of a file'],
  ['fault add {"status":', 'The effect is "{\\"status\\":", which is no JSON ('],
  ['fault add {"status":503} --match {} --path /v1/music', '--match is given beside --path; expected one'],
  ['fault add {"status":503} --match {} --account acct_1', '--match is given beside --account; expected one'],
])('refuses with 2 %s, and sends nothing [I151 I150]', async (line, told) => {
  const { here, run } = await running();
  const { exitCode, stderr } = await run(...line.split(' '));
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
  expect((await here.control('GET', '/record')).body.data).toEqual([]);
});

it.each(['reset', 'keys create', 'trigger image.generation.succeeded', 'snapshot list', 'listen', 'explain req_x'])(
  'ends %s with 1 where no emulator answers, and says how to name one [I202]',
  async (line) => {
    const port = `${await freePort()}`;
    const { exitCode, stderr } = await runCommand([...line.split(' '), '--port', port]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `svc-emulator: No emulator answers at http://127.0.0.1:${port}. Start one with svc-emulator start, or say where it is with --host and --port (SVC_EMULATOR_HOST, SVC_EMULATOR_PORT).\n`,
    );
  },
);

it('finds the emulator by the variables too [I202]', async () => {
  const { url } = await running();
  const { exitCode } = await runCommand(['reset'], { SVC_EMULATOR_PORT: new URL(url).port });
  expect(exitCode).toBe(0);
});

it('explains a request in lines for people and in JSON for scripts', async () => {
  const { here, run, json } = await running();
  const answer = await (await here.first()).post('/images/generations', { prompt: 'a pier', store: true });
  const id = String(answer.headers.get('x-request-id'));
  const { exitCode, stdout } = await run('explain', id);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^POST \/v1\/images\/generations of acct_\w+: 200 after \d+ ms, 12 credits charged\.\n\nreceived {4}/,
  );
  expect(stdout).toContain('\nprice       1 × 10 (picture of svc-image-one) + 1 × 2 (store) = 12.\n');
  expect(await json('explain', id)).toMatchObject({ id, steps: expect.any(Array) });
  const unknown = await run('explain', 'req_none');
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('There is no request "req_none" on record'),
  ]);
});

it('opens an account by name, lists it and shows it', async () => {
  const { run, json } = await running();
  const opened = await json('account', 'add', '--name', 'mine', '--plan', 'hobby', '--credits', '70');
  expect(opened).toMatchObject({ plan: 'hobby', credits: 70, api_key: expect.stringMatching(/^svc_sk_/) });
  expect((await json('account', 'list')).map(({ name }: { name: string }) => name)).toEqual(['mine', 'Local']);
  expect((await run('account', 'show', opened.id)).stdout).toBe(`${opened.id}  hobby owner  70 credits  mine\n`);
});

it('moves the clock by a span of days and hours, and stops it', async () => {
  const { run, json } = await running();
  const { now: before } = await json('clock', 'freeze');
  const { now: after } = await json('clock', 'advance', '1d12h');
  expect(Date.parse(after) - Date.parse(before)).toBe(36 * 3_600_000);
  expect((await run('clock', 'set', '2030-01-01T00:00:00Z')).stdout).toBe('2030-01-01T00:00:00.000Z  frozen\n');
  expect((await json('clock', 'show')).now).toBe('2030-01-01T00:00:00.000Z');
  expect(await json('clock', 'unfreeze')).toMatchObject({ frozen: false });
});

it('sets a fault rule that strikes, and takes it away', async () => {
  const { url, run, json } = await running();
  const { id } = await json('fault', 'add', '{"status":503}', '--path', '/v1/chat', '--times', '0', '--ttl', '90');
  await expect(chat(url)).rejects.toThrow();
  expect(await json('fault', 'list')).toMatchObject([{ id, strikes: 1, match: { path: '/v1/chat' }, ttl_seconds: 90 }]);
  expect(await json('fault', 'list', '--account', 'acct_none')).toEqual([]);
  expect(await json('fault', 'show', id)).toMatchObject({ id, effect: { status: 503 } });
  expect((await run('fault', 'remove', id)).stdout).toBe(`Removed ${id}.\n`);
  expect((await run('fault', 'show', id)).stderr).toContain(`There is no fault rule "${id}"; svc-emulator fault list`);
  expect(await chat(url)).toBe(99);
  expect(await json('fault', 'add', '{"status":503}', '--match', '{"path":"/v1/chat"}')).toMatchObject({
    match: { path: '/v1/chat' },
  });
  expect(await json('fault', 'remove', 'all')).toEqual({ id: 'all' });
  expect(await json('fault', 'list')).toEqual([]);
});

it('adds scripted answers from a file, shows one and takes them away', async () => {
  const { run, json } = await running();
  const fixtures = [{ match: { message: 'ping' }, answer: { text: 'pong' } }];
  const added = await run('fixture', 'add', fileOf('answers.json', JSON.stringify({ fixtures })), '--json');
  expect(added.stderr).toBe('');
  const [{ id }] = JSON.parse(added.stdout);
  expect(await json('fixture', 'show', id)).toMatchObject({ id });
  await run('fixture', 'remove');
  expect(await json('fixture', 'list')).toEqual([]);
  expect((await run('fixture', 'show', id)).stderr).toContain(`There is no fixture "${id}"`);
});

it('makes a flow, runs it, waits for its post, approves it and waits for its end', async () => {
  const { run, json } = await running();
  const steps = [
    { nodeId: 'words', type: 'text', params: { prompt: 'Tell of {{inputs.topic}}.' } },
    { nodeId: 'post', type: 'post', params: { text: '{{steps.1.text}}' } },
  ];
  const { id } = await json('flow', 'add', JSON.stringify({ name: 'daily', steps }));
  expect((await run('flow', 'list')).stdout).toContain(`${id}  daily  http://`);
  const started = await json('flow', 'run', id, '--inputs', '{"topic":"the sea"}');
  await json('wait', 'event:flow.run.waiting');
  expect((await run('flow', 'click', started.id)).exitCode).toBe(0);
  expect(await json('wait', `run:${started.id}`)).toMatchObject({ status: 'done' });
  expect(await run('wait', 'idle', '--timeout', '5')).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await run('wait', `run:${started.id}`, '--after', 'evt_1')).toMatchObject({
    exitCode: 0,
    stderr: 'Had no effect: after (for=run)\n',
  });
  expect((await run('flow', 'remove', id)).stdout).toBe(`Removed ${id}.\n`);
  expect(await json('flow', 'list')).toEqual([]);
});

it('ends with 1 when what is waited for is not in time, and says what there is instead', async () => {
  const { run } = await running();
  const { exitCode, stderr } = await run('wait', 'event:music.generation.succeeded', '--timeout', '0');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^svc-emulator: event:music\.generation\.succeeded did not come within 0 s/);
});

it('saves the state under a name, goes back to it and forgets it', async () => {
  const { url, run, json } = await running();
  expect(await json('snapshot', 'save', 'one')).toEqual({ name: 'one' });
  await chat(url);
  expect((await run('snapshot', 'load', 'one')).stdout).toBe('Back at one.\n');
  expect(await balance(url)).toBe(100);
  expect((await run('snapshot', 'list')).stdout).toMatch(/^\d{4}-\S+ {2}one\n$/);
  expect((await run('snapshot', 'remove', 'one')).stdout).toBe('Removed one.\n');
  expect(await json('snapshot', 'list')).toEqual([]);
});

it('lists a saved state that cannot be read as damaged', async () => {
  const dataDir = path.join(emptyFolder(), 'data');
  const { run } = await running({ ephemeral: false, dataDir });
  await run('snapshot', 'save', 'torn');
  writeFileSync(path.join(dataDir, 'snapshots', 'torn.json'), '{"name": "torn"');
  expect((await run('snapshot', 'list')).stdout).toMatch(/^damaged +torn\n$/);
});
