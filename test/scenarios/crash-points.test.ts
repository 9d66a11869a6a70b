import { it } from 'vitest';
import { sampleOf } from '../support/sample.ts';
import { crashUnderLoad } from './crash-under-load.ts';

/** The two with the most to lose: credits without a picture, an event of which nothing is heard. All four by fifty seeds are in the long run. */
const POINTS = [
  ['after_charge', 1],
  ['before_delivery', 1],
] as const;

it.each(sampleOf(POINTS, 1))(
  'loses nothing when the process dies %s under load, seed %i [I204 I062 I106 I027 I136 R005 R217]',
  crashUnderLoad,
  120_000,
);
