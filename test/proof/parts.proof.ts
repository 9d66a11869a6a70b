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

/** The title of each part, its number of seeds, and the function that runs a seed. */
const PARTS: Record<string, [title: string, seeds: number, run: Parameters<typeof prove>[2]]> = {
  kill: [
    'loses no credit, job or event after each of ten SIGKILLs under load',
    100,
    (seed) => endLives(seed, { lives: 10, signal: 'SIGKILL' }),
  ],
  stop: [
    'loses no credit, job or event after each of five stops under load',
    30,
    (seed) => endLives(seed, { lives: 5, signal: 'SIGTERM' }),
  ],
  requests: ['responds to 10,000 mutated requests without a bug', 100, (seed) => stormRequests(seed, 10_000)],
  charges: ['charges those of 200 parallel requests that it serves, and no others', 50, (seed) => rush(here, seed)],
  clock: ['ends every job once while the clock is moved at random', 40, moveOwnClock],
  replace: ['has the correct state after each reset and restore under load', 40, (seed) => replaceUnderLoad(seed)],
  disk: ['keeps no credit for a request that a full disk prevented', DISK_SEEDS, fillDisk],
};

for (const [part, [title, seeds, run]] of Object.entries(PARTS)) {
  it.each(seedsLeft(part, seeds))(`${title}, seed %i`, (seed) => prove(part, seed, run));
}

async function moveOwnClock(seed: number) {
  const emulator = await startEmulator(ephemeral({ settleAfter: 0.05 }));
  return moveClockWildly(new World(emulator), seed).finally(() => emulator.close());
}
