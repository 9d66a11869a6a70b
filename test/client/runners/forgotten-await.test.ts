import { it } from 'vitest';
import { failsByForgottenAwait } from './forgotten-await.ts';

/** The long run has the other runners. */
it('fails a test of node:test that waits for no assertion, with that reason, and passes those that wait', () =>
  failsByForgottenAwait('node:test'));
