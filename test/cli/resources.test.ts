import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { chat, fileOf } from './spawned-program.ts';

async function running() {
  const { url } = await world();
  const { port } = new URL(url);
  const run = (...line: string[]) => runCommand([...line, '--port', port]);
  const json = async (...line: string[]) => JSON.parse((await run(...line, '--json')).stdout);
  return { url, run, json };
}

it('opens an account by name, lists it and shows it', async () => {
  const { run, json } = await running();
  const opened = await json('account', 'add', '--name', 'mine', '--plan', 'hobby', '--credits', '70');
  expect(opened).toMatchObject({ plan: 'hobby', credits: 70, api_key: expect.stringMatching(/^svc_sk_/) });
  expect((await json('account', 'list')).map(({ name }: { name: string }) => name)).toEqual(['mine', 'Local']);
  expect((await run('account', 'show', opened.id)).stdout).toBe(`${opened.id}  hobby owner  70 credits  mine\n`);
  const wrong = await run('account', 'add', '--credits', 'many');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('--credits is "many"; expected a number.');
  expect(await json('account', 'list')).toHaveLength(2);
});

it('moves the clock by a span of days and hours, stops it, and refuses a span that is none', async () => {
  const { run, json } = await running();
  const { now: before } = await json('clock', 'freeze');
  const { now: after } = await json('clock', 'advance', '1d12h');
  expect(Date.parse(after) - Date.parse(before)).toBe(36 * 3_600_000);
  expect((await run('clock', 'set', '2030-01-01T00:00:00Z')).stdout).toBe('2030-01-01T00:00:00.000Z  frozen\n');
  expect((await run('clock', 'advance', 'soon')).exitCode).toBe(2);
  expect((await json('clock', 'show')).now).toBe('2030-01-01T00:00:00.000Z');
  expect(await json('clock', 'unfreeze')).toMatchObject({ frozen: false });
});

it('sets a fault rule that strikes, and takes it away', async () => {
  const { url, run, json } = await running();
  const { id } = await json('fault', 'add', '{"status":503}', '--path', '/v1/chat', '--times', '0');
  await expect(chat(url)).rejects.toThrow();
  expect(await json('fault', 'list')).toMatchObject([{ id, strikes: 1, match: { path: '/v1/chat' } }]);
  expect(await json('fault', 'show', id)).toMatchObject({ id, effect: { status: 503 } });
  expect((await run('fault', 'remove', id)).stdout).toBe(`Removed ${id}.\n`);
  expect((await run('fault', 'show', id)).stderr).toContain(`There is no fault rule "${id}"; svc-emulator fault list`);
  expect(await chat(url)).toBe(99_999);
  const wrong = await run('fault', 'add', 'status 503');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain(
    'The effect is "status 503", where there is no file; expected a JSON object, or the path of a file that holds one.',
  );
  expect((await run('fault', 'add', '{"status":')).stderr).toMatch(
    /is "{\\"status\\":", which is no JSON \(.+\); expected/,
  );
  const both = await run('fault', 'add', '{"status":503}', '--match', '{}', '--path', '/v1/music');
  expect([both.exitCode, both.stderr]).toEqual([
    2,
    expect.stringContaining('--match is given beside --path; expected one'),
  ]);
  expect(await json('fault', 'list')).toEqual([]);
});

it('adds scripted answers from a file, shows one and takes them away', async () => {
  const { run, json } = await running();
  const file = fileOf(
    'answers.json',
    JSON.stringify({ fixtures: [{ match: { message: 'ping' }, answer: { text: 'pong' } }] }),
  );
  const added = await run('fixture', 'add', file, '--json');
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
  await run('flow', 'remove', id);
  expect(await json('flow', 'list')).toEqual([]);
});

it('ends with 1 when what is waited for is not in time, and says what there is instead', async () => {
  const { run } = await running();
  const { exitCode, stderr } = await run('wait', 'event:music.generation.succeeded', '--timeout', '0');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^svc-emulator: event:music\.generation\.succeeded did not come within 0 s/);
});
