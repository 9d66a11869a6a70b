import { it } from 'vitest';
import { expectGoodJoins } from './join-check.ts';

/** Other styles are in the long run. */
it.each([['jazz', 'smooth jazz, relaxed']])(
  'joins bars no worse than an encoder that sees them joined: %s [R051]',
  expectGoodJoins,
);
