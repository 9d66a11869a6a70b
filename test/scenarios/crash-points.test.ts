import { it } from 'vitest';
import { crashUnderLoad } from './crash-under-load.ts';

/** The two with the most to lose: credits without a picture, an event nobody was told of. All four by fifty seeds are in the long run. */
it.each([
  ['after_charge', 1],
  ['before_delivery', 1],
] as const)(
  'loses nothing when the process dies %s under load, seed %i [I204 I062 I106 I027 I136 R005 R217]',
  crashUnderLoad,
  120_000,
);
