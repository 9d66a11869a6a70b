import { it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { ephemeral, OWN_RENDERS, World, world } from '../support/world.ts';
import { DISK_SEEDS, fillDisk } from './full-disk.ts';
import { rush } from './parallel-rush.ts';
import { prove, seedsLeft } from './progress.ts';
import { replaceUnderLoad } from './replaced-state.ts';
import { moveClockWildly } from './wild-clock.ts';

const here = await world({ settleAfter: 0.05 }, OWN_RENDERS);

it.each(seedsLeft('charges', 50))('charges 200 requests at once and none for nothing, seed %i', (seed) =>
  prove('charges', seed, () => rush(here, seed)),
);

it.each(seedsLeft('clock', 40))('ends every job once, however the clock is moved, seed %i', (seed) =>
  prove('clock', seed, async () => {
    const emulator = await startEmulator(ephemeral({ settleAfter: 0.05 }));
    return moveClockWildly(new World(emulator), seed).finally(() => emulator.close());
  }),
);

it.each(seedsLeft('replace', 40))(
  'has the state it was to have after resets and restores under load, seed %i',
  (seed) => prove('replace', seed, () => replaceUnderLoad(seed)),
);

it.each(seedsLeft('disk', DISK_SEEDS))('takes no credit for what a full disk refused, seed %i', (seed) =>
  prove('disk', seed, () => fillDisk(seed)),
);
