import type { Reader, Transaction } from '../../base/database/transaction.ts';

interface ViolationMark {
  accountId: string;
  violation: string;
  /** The id of a job, an object or a run, or an entry such as `acct_1 entry 7`. */
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

export function allViolationMarks(db: Reader): ViolationMark[] {
  return db.all<ViolationMark>(
    'SELECT account_id AS accountId, violation, ref, detail FROM violation_marks WHERE position > 0 ORDER BY position',
  );
}
