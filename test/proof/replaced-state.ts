import { expect } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { emptyFolder } from '../cli/spawned-program.ts';
import { wholeState } from '../engine/snapshots/whole-state.ts';
import { expectFilesOwned } from '../scenarios/held-promises.ts';
import { engineM, numbers, sendAll } from '../scenarios/mixed-load.ts';
import { CHAT } from '../support/wire.ts';
import { ephemeral, World } from '../support/world.ts';

/** Resets and restores under load. Afterwards the state must be exact, to the last row and file. */
export async function replaceUnderLoad(seed: number, rounds = 4): Promise<{ count: number }> {
  const folder = emptyFolder();
  const emulator = await startEmulator(ephemeral({ ephemeral: false, dataDir: folder, settleAfter: 0.05, seed: 7 }));
  try {
    const here = new World(emulator);
    const random = numbers(seed);
    await here.control('PUT', '/clock', { now: '2030-01-01T00:00:00Z', frozen: true });
    const kept = await here.account({ credits: 1000 });
    await sendAll(kept, { engine: await engineM(here), first: 0, over: (answered) => answered > 20 });
    await here.advance(0);
    await here.idle();
    const base = await wholeState(here);
    await here.control('POST', '/snapshots', { name: 'base' });
    for (let round = 0; round < rounds; round += 1) {
      const isReset = random.next().value % 2 === 0;
      await replaceOnce(here, random, isReset ? '/reset' : '/snapshots/base/restore');
      if (isReset) await expectSeeded(here);
      else expect(await wholeState(here)).toEqual(base);
      expectFilesOwned(folder);
      expect(await here.invariants()).toMatchObject({ ok: true });
    }
    return { count: rounds };
  } finally {
    await emulator.close();
  }
}

/** After a reset, the first new account gets the id and key of `kept`. The load uses the second, which never stays. */
async function replaceOnce(here: World, random: Generator<number>, path: string): Promise<void> {
  await here.account();
  const account = await here.account({ plan: 'studio', credits: 100_000 });
  const enough = random.next().value % 50;
  let replaced: Promise<unknown> | undefined;
  let isOver = false;
  const over = (answered: number) => {
    if (answered >= enough) {
      replaced ??= here.control('POST', path).then(({ status }) => {
        expect([200, 204]).toContain(status);
        isOver = true;
      });
    }
    return isOver;
  };
  await sendAll(account, { engine: await engineM(here), first: random.next().value % 8, over });
  await replaced;
  // Snapshots that the load made are kept, and the next round saves under the same names.
  await here.advance(0);
}

async function expectSeeded(here: World): Promise<void> {
  const { accounts, jobs, events, library } = await wholeState(here);
  expect(accounts).toHaveLength(1);
  expect([jobs, events, library]).toEqual([[], [], []]);
  const seeded = await here.first();
  expect(await seeded.ledger()).toEqual(['grant 50', 'top_up 99950']);
  const { body } = await seeded.post('/chat/completions', CHAT);
  expect(body.usage.credits_remaining).toBe(99_999);
}
