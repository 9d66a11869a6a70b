import { setTimeout as pause } from 'node:timers/promises';

/** Less than the time limit of a test, so that the error names the line that waits in vain. */
const PATIENCE_MS = 100_000;

/**
 * Polls until `isSo` is true, for changes that no event announces. Examples are the charge or job of an open call, the
 * start or result of a render, and a killed process. This function has no timer while `isSo` runs, so it can count timers.
 */
export async function lookUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It was not so within ${PATIENCE_MS / 1000} s: ${isSo}`);
    await pause(50);
  }
}
