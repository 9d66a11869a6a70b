import { availableParallelism } from 'node:os';

/** More would only share the memory that renders may take. */
const MOST_WORKERS = 4;

/** How many renders run at once: one core is left to whoever asks for them. */
export function workerCount(): number {
  return Math.max(1, Math.min(MOST_WORKERS, availableParallelism() - 1));
}
