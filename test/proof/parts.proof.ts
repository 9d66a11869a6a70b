import { it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { ephemeral, OWN_RENDERS, World, world } from '../support/world.ts';
import { DISK_SEEDS, fillDisk } from './full-disk.ts';
import { endLives } from './lives.ts';
import { rush } from './parallel-rush.ts';
import { prove, seedsLeft } from './progress.ts';
import { replaceUnderLoad } from './replaced-state.ts';
import { stormRequests } from './request-storm.ts';
import { moveClockWildly } from './wild-clock.ts';

const here = await world({ settleAfter: 0.05 }, OWN_RENDERS);

/** What each part holds, how many seeds it has, and how one of them is carried out. */
const PARTS: Record<string, [title: string, seeds: number, run: Parameters<typeof prove>[2]]> = {
  kill: [
    'holds all it had promised through ten kills in a row',
    100,
    (seed) => endLives(seed, { lives: 10, signal: 'SIGKILL' }),
  ],
  stop: [
    'finishes or keeps everything through five stops in a row',
    30,
    (seed) => endLives(seed, { lives: 5, signal: 'SIGTERM' }),
  ],
  requests: ['answers 10,000 mutated requests, and none with a bug', 100, (seed) => stormRequests(seed, 10_000)],
  charges: ['charges 200 requests at once and none for nothing', 50, (seed) => rush(here, seed)],
  clock: ['ends every job once, however the clock is moved', 40, moveOwnClock],
  replace: ['has the state it was to have after resets and restores under load', 40, (seed) => replaceUnderLoad(seed)],
  disk: ['takes no credit for what a full disk refused', DISK_SEEDS, fillDisk],
};

for (const [part, [title, seeds, run]] of Object.entries(PARTS)) {
  it.each(seedsLeft(part, seeds))(`${title}, seed %i`, (seed) => prove(part, seed, run));
}

async function moveOwnClock(seed: number) {
  const emulator = await startEmulator(ephemeral({ settleAfter: 0.05 }));
  return moveClockWildly(new World(emulator), seed).finally(() => emulator.close());
}
