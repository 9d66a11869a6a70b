import type { Reader } from '../base/database/transaction.ts';

const LAST = {
  jobs: 'SELECT MAX(position) AS last FROM jobs',
  library: 'SELECT MAX(position) AS last FROM library',
  runs: 'SELECT MAX(position) AS last FROM runs',
  deliveries: 'SELECT MAX(position) AS last FROM deliveries',
};

export type Positioned = keyof typeof LAST;

export function lastPosition(db: Reader, table: Positioned): number {
  return db.get<{ last: number | null }>(LAST[table])?.last ?? 0;
}
