import { expect } from 'vitest';

/**
 * Looks again and again until it is so: for what no event tells. That is the charge and the job of a call that is open
 * yet, the strike of a rule on one, the beginning of a render and its kept outcome, how far a move of the clock is, an act
 * on record, the end of a process that was killed, and the timers of this process.
 */
export async function lookUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(isSo).toBe(true);
}
