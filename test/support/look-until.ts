import { setTimeout as pause } from 'node:timers/promises';

/** Less than a test may take, so that what never comes is reported at the line that waits for it. */
const PATIENCE_MS = 100_000;

/**
 * Looks again and again until it is so: for what no event tells. That is the charge and the job of a call that is open
 * yet, the strike of a rule on one, the beginning of a render and its kept outcome, how far a move of the clock is, an act
 * on record, the end of a process that was killed, and the timers of this process, of which a look finds none of its own.
 */
export async function lookUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It was not so within ${PATIENCE_MS / 1000} s: ${isSo}`);
    await pause(50);
  }
}
