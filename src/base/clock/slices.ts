import { Slice } from './clock.ts';

/** As `map`, in slices: other work goes on meanwhile, however many there are. */
export async function mapInSlices<T, R>(items: readonly T[], of: (item: T) => R): Promise<R[]> {
  const slice = new Slice();
  const made: R[] = [];
  for (const item of items) {
    made.push(of(item));
    if (slice.isOver) await slice.turn();
  }
  return made;
}

/**
 * Starts `work` on each in slices, and resolves when all of it is done. Rejects with the first failure, and with the reason
 * of `signal` when that aborts before all is started.
 */
export async function eachInSlices<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const slice = new Slice();
  const pending: Promise<unknown>[] = [];
  for (const item of items) {
    pending.push(work(item));
    if (!slice.isOver) continue;
    await Promise.all(pending.splice(0));
    await slice.turn();
    signal.throwIfAborted();
  }
  await Promise.all(pending);
}
