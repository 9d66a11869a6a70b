import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { StoredEntry } from '../../engine/ledger/ledger-store.ts';

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
    accountId,
    lie,
    ref,
    detail,
    tx.now,
  );
}

/** In the order in which they were made. */
export function allLied(db: Reader): Lied[] {
  return db.all<Lied>(
    'SELECT account_id AS accountId, lie, ref, detail FROM lied WHERE position > 0 ORDER BY position',
  );
}

/** The second charge of the same that a lie wrote right after a charge. */
export function findTwin(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(
    `SELECT account_id AS accountId, n, type, amount, balance, operation, model, job_id AS jobId, refund_of AS refundOf,
       request_id AS requestId, created FROM ledger
     WHERE account_id = ? AND n = ? AND altered_by = 'charge.twice'`,
    accountId,
    n + 1,
  );
}
