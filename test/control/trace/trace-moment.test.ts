import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/base/config/config.ts';
import { NewestRows } from '../../../src/control/trace/collect-trace.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { CHAT } from '../../support/wire.ts';
import { World } from '../../support/world.ts';
import { recordIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

/** One that keeps its state in a folder, and that folder. */
async function keptWorld() {
  const dataDir = path.join(emptyFolder(), 'data');
  const emulator = await startEmulator(readConfig({ port: 0, dataDir, log: 'silent', warm: false }, {}));
  onTestFinished(() => emulator.close());
  return { own: new World(emulator), dataDir };
}

async function leftIn(dataDir: string, isGone: (names: string[]) => boolean): Promise<string[]> {
  for (;;) {
    const names = readdirSync(path.join(dataDir, 'tmp'));
    if (isGone(names)) return names;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('reads a kept state as it is at one moment, and leaves no file behind', async () => {
  const { own, dataDir } = await keptWorld();
  const account = await own.account({ credits: 100 });
  for (let chat = 0; chat < 3; chat += 1) await account.post('/chat/completions', CHAT);
  const { tables, explained, lists } = recordIn(await traceOf(own));
  expect(tables.requests.map(({ status, account_id }) => [status, account_id])).toEqual(
    Array.from({ length: 3 }, () => [200, account.id]),
  );
  expect(Object.keys(explained)).toEqual(tables.requests.map(({ id }) => id).toReversed());
  expect(tables.entries.filter(({ accountId }) => accountId === account.id).map(({ amount }) => amount)).toEqual([
    50, 50, -1, -1, -1,
  ]);
  expect(lists['/accounts']?.map(({ id }) => id)).toContain(account.id);
  expect(await leftIn(dataDir, (names) => names.length === 0)).toEqual([]);
});

it('lets a reset end a trace that is being made or read, and leaves no file behind', async () => {
  const { own, dataDir } = await keptWorld();
  const account = await own.account({ credits: 100 });
  await account.post('/chat/completions', CHAT);
  const output = Array.from({ length: 4000 }, (_, at) => ({ at, from: 'out', text: 'word '.repeat(200) }));
  const traced = Promise.allSettled([own.control('POST', '/trace', { output })]);
  await leftIn(dataDir, (names) => names.length > 0);
  const reset = await own.control('POST', '/reset');
  expect(reset.status).toBe(204);
  await traced;
  expect(await leftIn(dataDir, (names) => names.length === 0)).toEqual([]);
  const { tables } = recordIn(await traceOf(own));
  expect(tables.requests).toEqual([]);
});

it('hands page after page of a list over, oldest first, without one twice', () => {
  const all = Array.from({ length: 1234 }, (_, at) => at + 1);
  const reads: number[] = [];
  const rows = {
    read(before: number, limit: number) {
      reads.push(limit);
      return all
        .filter((each) => each < before)
        .toReversed()
        .slice(0, limit);
    },
    positionOf: (row: number) => row,
  };
  const roomy = new NewestRows(5000);
  expect([...roomy.oldestFirst('jobs', rows)]).toEqual(all);
  expect(roomy.cut).toEqual([]);
  const narrow = new NewestRows(700);
  expect([...narrow.oldestFirst('jobs', rows)]).toEqual(all.slice(-700));
  expect(narrow.cut).toEqual(['jobs']);
  const exact = new NewestRows(1234);
  expect([...exact.oldestFirst('jobs', rows)]).toEqual(all);
  expect(exact.cut).toEqual([]);
  expect(Math.max(...reads)).toBeLessThanOrEqual(501);
});
