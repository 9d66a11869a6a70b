import { readdirSync, watch } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { wholeState } from '../engine/snapshots/whole-state.ts';
import { type Life, startLife } from '../support/lives.ts';
import { fileForm } from '../support/wire.ts';
import type { World } from '../support/world.ts';

/** Adds to the state something of each kind, which names `which`. */
async function change(here: World, which: string): Promise<void> {
  const account = await here.first();
  for (let n = 0; n < 5; n += 1) {
    await account.post('/storage/objects', fileForm(`${which} ${n}`, `${which}-${n}.txt`));
  }
  await account.post('/images/generations', { prompt: which, response_format: 'url' });
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  await here.account();
}

/** Kills the program when the nth thing has happened in its folder since now. */
async function killedAt(n: number, { program, folder }: Life, work: Promise<unknown>): Promise<void> {
  let seen = 0;
  const watcher = watch(folder, { recursive: true }, () => {
    seen += 1;
    if (seen === n) program.child.kill('SIGKILL');
  });
  await work.catch(() => undefined);
  watcher.close();
  await program.stop('SIGKILL');
}

/** The state, and the bytes behind every object of it. */
async function seen(here: World): Promise<unknown> {
  const { data } = (await (await here.first()).get('/storage/objects')).body;
  const texts = [];
  for (const { url } of data) {
    const { status, bytes } = await here.call('GET', new URL(url).pathname);
    texts.push([status, bytes.toString()]);
  }
  const state = await wholeState(here);
  // What an answer tells of addresses names the port, which each start picks anew.
  return JSON.parse(JSON.stringify({ state, texts }).replaceAll(/127\.0\.0\.1:\d+/g, 'HERE'));
}

function expectTidy(folder: string): void {
  expect(readdirSync(path.join(folder, 'tmp'))).toEqual([]);
  const entries = readdirSync(path.join(folder, 'snapshots'));
  const records = entries.filter((entry) => entry.endsWith('.json'));
  expect(entries.length).toBe(2 * records.length);
}

/** Kills the program at a moment of a restore: what comes after is the old or the restored state, whole. */
export async function killAmidRestore(moment: number): Promise<void> {
  const first = await startLife(['--seed', '1']);
  await change(first.here, 'saved');
  const saved = await seen(first.here);
  await first.here.control('POST', '/snapshots', { name: 'a' });
  await first.here.control('POST', '/reset');
  await change(first.here, 'other');
  const other = await seen(first.here);
  const restoring = first.here.control('POST', '/snapshots/a/restore');
  await killedAt(moment, first, restoring);

  const second = await first.next();
  expect([saved, other]).toContainEqual(await seen(second.here));
  expect(await second.here.invariants()).toMatchObject({ ok: true });
  expectTidy(first.folder);
  await second.here.control('POST', '/snapshots/a/restore');
  expect(await seen(second.here)).toEqual(saved);
  await second.program.stop();
}

/** Kills it at a moment of a save of a name that is taken: the old or the new snapshot is there, and the state. */
export async function killAmidSave(moment: number): Promise<void> {
  const first = await startLife(['--seed', '1']);
  await change(first.here, 'saved');
  const saved = await seen(first.here);
  await first.here.control('POST', '/snapshots', { name: 'a' });
  await change(first.here, 'later');
  const later = await seen(first.here);
  const saving = first.here.control('POST', '/snapshots', { name: 'a' });
  await killedAt(moment, first, saving);

  const second = await first.next();
  expect(await seen(second.here)).toEqual(later);
  expectTidy(first.folder);
  expect((await second.here.control('POST', '/snapshots/a/restore')).status).toBe(200);
  expect([saved, later]).toContainEqual(await seen(second.here));
  expect(await second.here.invariants()).toMatchObject({ ok: true });
  await second.program.stop();
}
