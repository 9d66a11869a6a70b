import type { Reader } from '../database/transaction.ts';

const LAST = {
  jobs: 'SELECT MAX(position) AS last FROM jobs',
  library: 'SELECT MAX(position) AS last FROM library',
  runs: 'SELECT MAX(position) AS last FROM runs',
  deliveries: 'SELECT MAX(position) AS last FROM deliveries',
};

/** What has places, and is looked through in stretches. */
export type Placed = keyof typeof LAST;

/** The last place that is taken; 0 where there is none. */
export function lastPlace(db: Reader, table: Placed): number {
  return db.get<{ last: number | null }>(LAST[table])?.last ?? 0;
}
