import { it } from 'vitest';
import { CRASH_POINTS } from '../../src/faults/applied-fault.ts';
import { crashUnderLoad } from './crash-under-load.ts';

/** One of each; fifty more are in the long run. */
const SEEDS = [1];

it.each(CRASH_POINTS.flatMap((point) => SEEDS.map((seed) => [point, seed] as const)))(
  'loses nothing when the process dies %s under load, seed %i [I204 I062 I106 I027 I136 R005 R217]',
  crashUnderLoad,
  120_000,
);
