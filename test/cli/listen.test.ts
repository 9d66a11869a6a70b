import { expect, it } from 'vitest';
import { subscribe } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { type World, world } from '../support/world.ts';
import { SpawnedProgram, startProgram } from './spawned-program.ts';

async function hearing(here: World) {
  const { receiver } = await subscribe(await here.first(), ['image.generation.succeeded'], { status: 201 });
  return { here, receiver, port: new URL(here.url).port };
}

/** Resolves with all lines once there are so many. */
function lines({ child, ...program }: SpawnedProgram, stream: 'stdout' | 'stderr', count: number) {
  let said = program[stream];
  return new Promise<string[]>((resolve) => {
    const look = () => {
      const found = said.split('\n').slice(0, -1);
      if (found.length >= count) resolve(found);
    };
    child[stream]?.on('data', (text) => {
      said += text;
      look();
    });
    look();
  });
}

async function listening(port: string, ...flags: string[]) {
  const program = new SpawnedProgram(['listen', '--port', port, ...flags]);
  const [line] = await lines(program, 'stderr', 1);
  expect(line).toContain('Listening to the deliveries of');
  return program;
}

it('shows a first sending, a triggered one and a redelivery as they happen [I151]', async () => {
  const { here, port, receiver } = await hearing(await world());
  const account = await here.first();
  const people = await listening(port);
  const scripts = await listening(port, '--json');
  const [human, machine] = [lines(people, 'stdout', 3), lines(scripts, 'stdout', 3)];
  await account.post('/images/generations', { prompt: 'a pier' });
  await receiver.received(1);
  await here.control('POST', '/events/trigger', { type: 'image.generation.succeeded' });
  await receiver.received(2);
  const { data } = (await here.control('GET', '/deliveries')).body;
  await here.control('POST', `/deliveries/${data.at(-1).id}/redeliver`);
  const records = (await machine).map((line) => JSON.parse(line));
  expect(records).toMatchObject([
    { id: data[1].id, redelivery_of: null, response_status: 201, envelope: { data: {} } },
    { id: data[0].id, redelivery_of: null, status: 'delivered' },
    { redelivery_of: data[1].id, event_id: records[0].event_id },
  ]);
  const told = await human;
  expect(told.map((line) => line.split('  ')[4]?.split(' ')[0])).toEqual(records.map(({ id }) => id));
  expect(told[2]).toContain(`(again after ${data[1].id})`);
  expect(await people.stop('SIGINT')).toBe(0);
  expect(await scripts.stop('SIGTERM')).toBe(0);
});

it('narrows to one account, and ends with 1 when the emulator does [I151 I150]', async () => {
  const { program, url, here } = await startProgram(['--ephemeral']);
  const { port, receiver } = await hearing(here);
  const other = await listening(port, '--account', 'acct_none', '--json');
  await here.control('POST', '/events/trigger', { type: 'image.generation.succeeded' });
  await receiver.received(1);
  await program.stop();
  expect(await other.ended()).toBe(1);
  expect(other.stdout).toBe('');
  expect(other.stderr).toContain(`No emulator answers at ${url}`);
});

it('explains a request in lines for people and in JSON for scripts', async () => {
  const { here, port } = await hearing(await world());
  const answer = await (await here.first()).post('/images/generations', { prompt: 'a pier', store: true });
  const id = String(answer.headers.get('x-request-id'));
  const people = await runCommand(['explain', id, '--port', port]);
  expect(people.exitCode).toBe(0);
  expect(people.stdout).toMatch(
    /^POST \/v1\/images\/generations of acct_\w+: 200 after \d+ ms, 12 credits charged\.\n\nreceived {4}/,
  );
  expect(people.stdout).toContain('\nprice       1 × 10 (picture of svc-image-one) + 1 × 2 (store) = 12.\n');
  const scripts = await runCommand(['explain', id, '--json', '--port', port]);
  expect(JSON.parse(scripts.stdout)).toMatchObject({ id, steps: expect.any(Array) });
  const unknown = await runCommand(['explain', 'req_none', '--port', port]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.stderr).toContain('There is no request "req_none" on record');
});

it.each(['listen', 'explain req_x'])('ends %s with 1 where no emulator answers [I202]', async (line) => {
  const { exitCode, stderr } = await runCommand([...line.split(' '), '--port', '9']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('No emulator answers at http://127.0.0.1:9.');
});
