import { it } from 'vitest';
import { leavesTrace, runVitest, vitest } from './failed-suite.ts';

/** The other runners are in the long run. */
it('leaves a trace of a test of Vitest that fails, and its name in that of the run', () =>
  leavesTrace(vitest, runVitest));
