import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { subscribe } from '../support/receiver.ts';
import { runCommand } from '../support/run-command.ts';
import { type World, world } from '../support/world.ts';
import { emptyFolder, SpawnedProgram } from './spawned-program.ts';

async function hearing(here: World) {
  const { receiver } = await subscribe(await here.first(), ['image.generation.succeeded'], { status: 201 });
  return { here, receiver, port: new URL(here.url).port };
}

/** Resolves with all lines once there are at least `count`. */
const lines = (program: SpawnedProgram, stream: 'stdout' | 'stderr', count: number) =>
  program.heard(stream, (text) => {
    const found = text.split('\n').slice(0, -1);
    return found.length >= count ? found : undefined;
  });

async function listening(port: string, ...flags: string[]) {
  const program = new SpawnedProgram(['listen', '--port', port, ...flags]);
  const [line] = await lines(program, 'stderr', 1);
  expect(line).toContain('Listening to the deliveries of');
  return program;
}

it('prints a first delivery, a triggered event and a redelivery as they happen [I151]', async () => {
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

it('prints no events of other accounts with --account, and exits with 1 when the emulator stops [I151 I150]', async () => {
  const { here, port, receiver } = await hearing(await world());
  const { id } = (await here.control('POST', '/accounts', { name: 'other' })).body;
  const other = await listening(port, '--account', id, '--json');
  await here.control('POST', '/events/trigger', { type: 'image.generation.succeeded' });
  await receiver.received(1);
  await here.close();
  expect(await other.ended()).toBe(1);
  expect(other.stdout).toBe('');
  expect(other.stderr).toContain(`No emulator responds at ${here.url}`);
});

it.each([
  ['listen', ['listen']],
  ['trace save', ['trace', 'save', 'run.html']],
])('exits with 1 if --account of %s names an unknown account, and writes no file', async (_, line) => {
  const { url } = await world();
  const folder = emptyFolder();
  const unknown = await runCommand([...line, '--account', 'acct_none', '--port', new URL(url).port], {}, folder);
  expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('There is no account "acct_none"')]);
  expect(readdirSync(folder)).toEqual([]);
});
