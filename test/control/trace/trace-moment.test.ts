import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { listIn, recordIn, requestsIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

/** One that keeps its state in a folder, and that folder. */
async function keptWorld() {
  const dataDir = path.join(emptyFolder(), 'data');
  return { own: await world({ ephemeral: false, dataDir }), dataDir };
}

async function leftIn(dataDir: string, isGone: (names: string[]) => boolean): Promise<string[]> {
  for (;;) {
    const names = readdirSync(path.join(dataDir, 'tmp'));
    if (isGone(names)) return names;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('saves requests, ledger and accounts in a trace, and leaves no temporary file', async () => {
  const { own, dataDir } = await keptWorld();
  const account = await own.account({ credits: 100 });
  for (let chat = 0; chat < 3; chat += 1) await account.post('/chat/completions', CHAT);
  const trace = recordIn(await traceOf(own));
  expect(requestsIn(trace).map(({ status, account_id }) => [status, account_id])).toEqual(
    Array.from({ length: 3 }, () => [200, account.id]),
  );
  expect(listIn(trace, 'listUsage', account.id).map(({ amount }) => amount)).toEqual([-1, -1, -1, 50, 50]);
  expect(listIn(trace, 'listAccounts').map(({ id }) => id)).toContain(account.id);
  expect(await leftIn(dataDir, (names) => names.length === 0)).toEqual([]);
});

it('completes a reset while a trace is being saved, and leaves no temporary file', async () => {
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
  expect(recordIn(await traceOf(own)).orders).toEqual([]);
});
