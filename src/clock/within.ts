import type { Clock } from './clock.ts';

export interface Bounds {
  /** Milliseconds of real time. */
  milliseconds: number;
  /** Whose end is the end of the wait too. */
  gone: AbortSignal;
}

/**
 * What `wait` comes to, or undefined when that takes longer; its signal ends it.
 * Rejects with what `wait` rejects with, and with the reason of `gone` when that ends first.
 */
export async function within<T>(
  clock: Clock,
  { milliseconds, gone }: Bounds,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const over = new AbortController();
  const cancel = clock.after(milliseconds, () => over.abort());
  try {
    return await wait(AbortSignal.any([gone, over.signal]));
  } catch (error) {
    if (gone.aborted) throw gone.reason;
    if (over.signal.aborted) return undefined;
    throw error;
  } finally {
    cancel();
  }
}
