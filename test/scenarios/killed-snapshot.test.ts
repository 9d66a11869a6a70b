import { readdirSync, watch } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { wholeState } from '../engine/snapshots/whole-state.ts';
import { type Life, startLife } from '../support/lives.ts';
import { fileForm } from '../support/wire.ts';
import type { World } from '../support/world.ts';

/** Adds things of several kinds to the state, some of which contain `which`. */
async function change(here: World, which: string): Promise<void> {
  const account = await here.first();
  for (let n = 0; n < 5; n += 1) {
    await account.post('/storage/objects', fileForm(`${which} ${n}`, `${which}-${n}.txt`));
  }
  await account.post('/images/generations', { prompt: which, response_format: 'url' });
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  await here.account();
}

/** Kills the program at the nth change in its folder. */
async function killedAt(n: number, { program, folder }: Life, work: Promise<unknown>): Promise<void> {
  let seen = 0;
  const watcher = watch(folder, { recursive: true }, () => {
    seen += 1;
    if (seen === n) program.child.kill('SIGKILL');
  });
  // The watcher reports an error if a folder is removed while it reads the folder.
  watcher.on('error', () => undefined);
  await work.catch(() => undefined);
  watcher.close();
  await program.stop('SIGKILL');
}

/** The state, and the bytes of every object in it. */
async function seen(here: World): Promise<unknown> {
  const { data } = (await (await here.first()).get('/storage/objects')).body;
  const texts = [];
  for (const { url } of data) {
    const { status, bytes } = await here.call('GET', new URL(url).pathname);
    texts.push([status, bytes.toString()]);
  }
  const state = await wholeState(here);
  // URLs in a response contain the port, which differs at each start.
  return JSON.parse(JSON.stringify({ state, texts }).replaceAll(/127\.0\.0\.1:\d+/g, 'HERE'));
}

function expectTidy(folder: string): void {
  expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  const entries = readdirSync(path.join(folder, 'snapshots'));
  const records = entries.filter((entry) => entry.endsWith('.json'));
  expect(entries.length).toBe(2 * records.length);
}

const save = (here: World) => here.control('POST', '/snapshots', { name: 'a' });
const restore = (here: World) => here.control('POST', '/snapshots/a/restore');

it.each([
  ['a restore', 2],
  ['a save', 9],
] as const)(
  'has the complete old or new state if it is killed during %s of an existing snapshot, at file change %i [I093 I140]',
  async (what, moment) => {
    const isRestore = what === 'a restore';
    const first = await startLife(['--seed', '1']);
    await change(first.here, 'saved');
    const saved = await seen(first.here);
    await save(first.here);
    if (isRestore) await first.here.control('POST', '/reset');
    await change(first.here, 'other');
    const other = await seen(first.here);
    await killedAt(moment, first, isRestore ? restore(first.here) : save(first.here));

    const second = await first.next();
    expect(isRestore ? [saved, other] : [other]).toContainEqual(await seen(second.here));
    expectTidy(first.folder);
    expect((await restore(second.here)).status).toBe(200);
    expect(isRestore ? [saved] : [saved, other]).toContainEqual(await seen(second.here));
    expect(await second.here.invariants()).toMatchObject({ ok: true });
    await second.program.stop();
  },
);
