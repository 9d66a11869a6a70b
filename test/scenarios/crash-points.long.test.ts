import { it } from 'vitest';
import { CRASH_POINTS } from '../../src/engine/faults/applied-fault.ts';
import { crashUnderLoad } from './crash-under-load.ts';

const SEEDS = Array.from({ length: 50 }, (_, n) => 101 + n);

it.each(CRASH_POINTS.flatMap((point) => SEEDS.map((seed) => [point, seed] as const)))(
  'loses nothing when the process dies %s under load, fifty times, seed %i [I204 I062 I106 I136]',
  crashUnderLoad,
  120_000,
);
