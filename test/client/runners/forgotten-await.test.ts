import { it } from 'vitest';
import { failsByForgottenAwait } from './forgotten-await.ts';

/** The long run has the other runners. */
it('fails a test of node:test that does not await an assertion, and passes those that do', () =>
  failsByForgottenAwait('node:test'));
