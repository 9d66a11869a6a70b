import { it } from 'vitest';
import { failsByForgottenAwait } from './forgotten-await.ts';

/** One with fixtures and one with hooks; the long run has the other two. */
it.each(['vitest', 'node:test'] as const)(
  'fails a test of %s that waits for no assertion, with that reason, and passes those that wait',
  failsByForgottenAwait,
);
