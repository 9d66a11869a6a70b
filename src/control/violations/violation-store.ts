import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { StoredEntry } from '../../engine/ledger/ledger-store.ts';

/** A row that is otherwise than it has to be, since a violation made it so. */
export interface ViolationMark {
  accountId: string;
  violation: string;
  /** The id of a job, an object or a run, or an entry as in `acct_1 entry 7`. */
  ref: string;
  detail: string;
}

export function insertViolationMark(tx: Transaction, { accountId, violation, ref, detail }: ViolationMark): void {
  tx.run(
    'INSERT INTO violation_marks (account_id, violation, ref, detail, created) VALUES (?, ?, ?, ?, ?)',
    accountId,
    violation,
    ref,
    detail,
    tx.now,
  );
}

/** In the order in which they were made. */
export function allViolationMarks(db: Reader): ViolationMark[] {
  return db.all<ViolationMark>(
    'SELECT account_id AS accountId, violation, ref, detail FROM violation_marks WHERE position > 0 ORDER BY position',
  );
}

/** The second charge of the same that a violation wrote right after a charge. */
export function findTwin(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(
    `SELECT account_id AS accountId, n, type, amount, balance, operation, model, job_id AS jobId, refund_of AS refundOf,
       request_id AS requestId, created FROM ledger
     WHERE account_id = ? AND n = ? AND violation = 'charge.twice'`,
    accountId,
    n + 1,
  );
}
