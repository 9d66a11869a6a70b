import { expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { subscribe } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { CHAT } from '../support/wire.ts';
import { world } from '../support/world.ts';
import { balance, chat } from './spawned-program.ts';

async function running() {
  const here = await world({ credits: 100 });
  const { port } = new URL(here.url);
  return { here, url: here.url, run: (...line: string[]) => runCommand([...line, '--port', port]) };
}

it('brings a running emulator back to its first state [I151]', async () => {
  const { url, run } = await running();
  await chat(url);
  const { exitCode, stdout } = await run('reset');
  expect(exitCode).toBe(0);
  expect(stdout).toBe('Back to the first state; snapshots are kept.\n');
  expect(await balance(url)).toBe(100);
});

it('makes a key that the service takes, of the first account unless another is named [I151]', async () => {
  const { url, run } = await running();
  const { stdout } = await run('keys', 'create', '--json');
  const { api_key: key } = JSON.parse(stdout);
  const answer = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  expect(await answer.json()).toMatchObject({ credits: 100 });
  const unknown = await run('keys', 'create', '--account', 'acct_none');
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain('acct_none');
});

it('triggers an event that reaches a receiver, with the data it is given [I151]', async () => {
  const { here, run } = await running();
  const { receiver } = await subscribe(await here.first(), ['image.generation.succeeded']);
  const { stdout } = await run('trigger', 'image.generation.succeeded', '--data', '{"id":"job_9"}');
  const [request] = await receiver.received(1);
  expect(JSON.parse(String(request?.body))).toMatchObject({
    id: stdout.trim(),
    data: { id: 'job_9' },
  });
});

it('refuses data that is no JSON with exit code 2, and sends nothing [I151 I150]', async () => {
  const { url, run } = await running();
  const { exitCode, stderr } = await run('trigger', 'image.generation.succeeded', '--data', '{oops');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/--data is "\{oops"/);
  const events = await (await fetch(`${url}/_emulator/events`)).json();
  expect(events).toMatchObject({ data: [] });
});

it.each(['reset', 'keys create', 'trigger image.generation.succeeded', 'snapshot list'])(
  'ends %s with 1 where no emulator answers, and says how to name one [I202]',
  async (line) => {
    const port = `${await freePort()}`;
    const url = `http://127.0.0.1:${port}`;
    const { exitCode, stderr } = await runCommand([...line.split(' '), '--port', port]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `svc-emulator: No emulator answers at ${url}. Start one with svc-emulator start, or say where it is with --host and --port (SVC_EMULATOR_HOST, SVC_EMULATOR_PORT).\n`,
    );
  },
);

it('finds the emulator by the variables too [I202]', async () => {
  const { url } = await running();
  const { exitCode } = await runCommand(['reset'], { SVC_EMULATOR_PORT: new URL(url).port });
  expect(exitCode).toBe(0);
});

it('shows control characters of users instead of sending them to the terminal [I158]', async () => {
  const { here, run } = await running();
  const answer = await here.call('GET', '/v1/models/\u001b[2J%1b[2J');
  const model = await (await here.first()).post('/chat/completions', { ...CHAT, model: 'a\u001b[2J\u0007' });
  for (const { headers } of [answer, model]) {
    const { stdout } = await run('explain', String(headers.get('x-request-id')));
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  }
});
