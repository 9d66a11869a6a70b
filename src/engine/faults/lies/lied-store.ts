import type { Reader, Transaction } from '../../../base/database/transaction.ts';

/** A row that is otherwise than it has to be, since a lie made it so. */
export interface Lied {
  accountId: string;
  lie: string;
  /** The id of a job, an object or a run, or an entry as in `acct_1 entry 7`. */
  ref: string;
  detail: string;
}

export function insertLied(tx: Transaction, { accountId, lie, ref, detail }: Lied): void {
  tx.run(
    'INSERT INTO lied (account_id, lie, ref, detail, created) VALUES (?, ?, ?, ?, ?)',
    ...[accountId, lie, ref, detail, tx.now],
  );
}

/** In the order in which they were made. */
export function allLied(db: Reader): Lied[] {
  return db.all<Lied>(
    'SELECT account_id AS accountId, lie, ref, detail FROM lied WHERE position > 0 ORDER BY position',
  );
}

/** Whether a lie of this name has made a row. */
export function wasLied(db: Reader, ref: string, lie: string): boolean {
  return db.get('SELECT 1 AS found FROM lied WHERE ref = ? AND lie = ? LIMIT 1', ref, lie) !== undefined;
}
