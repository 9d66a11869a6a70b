import { overtaken } from '../errors.ts';
import type { Cancel, Clock } from './clock.ts';

/**
 * Resolves when the emulator's time reaches `at`; rejects with the signal's reason when that ends first,
 * and with `overtaken` when the clock is cleared before.
 */
export function until(clock: Clock, at: number, signal?: AbortSignal): Promise<void> {
  if (clock.now() >= at) return Promise.resolve();
  return come((task, dropped) => clock.at(at, task, dropped), signal);
}

/** Resolves after `milliseconds` of real time; rejects as `until` does. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return come((task, dropped) => clock.after(milliseconds, task, dropped), signal);
}

function come(plan: (task: () => void, dropped: () => void) => Cancel, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      reject(signal?.reason);
    };
    const pass = () => {
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = plan(pass, () => reject(overtaken()));
    signal?.addEventListener('abort', end);
  });
}

export interface Bounds {
  /** Milliseconds of real time. */
  milliseconds: number;
  /** Aborts the wait too. */
  gone: AbortSignal;
}

/**
 * The result of `wait`, or undefined when that takes longer; its signal ends it.
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
