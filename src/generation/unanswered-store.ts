import type { Transaction } from '../database/transaction.ts';
import type { Entry } from '../ledger/ledger.ts';

/** The charge of a call that waits for its answer. */
export type Unanswered = Pick<Entry, 'accountId' | 'n'>;

export function insertUnanswered(tx: Transaction, { accountId, n }: Unanswered): void {
  tx.run('INSERT INTO unanswered (account_id, n) VALUES (?, ?)', accountId, n);
}

export function deleteUnanswered(tx: Transaction, { accountId, n }: Unanswered): void {
  tx.run('DELETE FROM unanswered WHERE account_id = ? AND n = ?', accountId, n);
}

/** Takes out all that are left. */
export function takeUnanswered(tx: Transaction): Unanswered[] {
  return tx.all<Unanswered>('DELETE FROM unanswered RETURNING account_id AS accountId, n');
}
