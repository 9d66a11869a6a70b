import type { Reader, Transaction } from '../database/transaction.ts';

/** A budget as stored; times in milliseconds of the emulator's clock, amounts in credits. */
export interface StoredBudget {
  accountId: string;
  credits: number;
  /** What was spent since it was set, net of refunds. */
  spent: number;
  /** How many requests would have exceeded it, and when the last one did. */
  refused: number;
  refusedAt: number | null;
  created: number;
}

/** The sum after the last counted entry; refunds of charges from before the budget do not count. */
const LATER = `SELECT COALESCE(-SUM(amount), 0) AS spent, MAX(n) AS n FROM ledger
  WHERE ledger.account_id = budgets.account_id AND n > counted_n
    AND (type = 'charge' OR refund_of > since_n)`;

const BUDGET = `SELECT account_id AS accountId, credits, refused, refused_at AS refusedAt, created,
  spent + (SELECT spent FROM (${LATER})) AS spent FROM budgets`;

export function findBudget(db: Reader, accountId: string): StoredBudget | undefined {
  return db.get<StoredBudget>(`${BUDGET} WHERE account_id = ?`, accountId);
}

/** The accounts that have one. */
export function budgetedAccounts(db: Reader): string[] {
  return db.all<{ id: string }>('SELECT account_id AS id FROM budgets').map(({ id }) => id);
}

/** Sets a budget, which counts from now on. */
export function writeBudget(tx: Transaction, accountId: string, credits: number): void {
  deleteBudget(tx, accountId);
  tx.run(
    `INSERT INTO budgets (account_id, credits, since_n, counted_n, created)
     SELECT ?, ?, last, last, ? FROM
       (SELECT COALESCE(MAX(n), 0) AS last FROM ledger WHERE account_id = ?)`,
    accountId,
    credits,
    tx.now,
    accountId,
  );
}

export function deleteBudget(tx: Transaction, accountId: string): void {
  tx.run('DELETE FROM budgets WHERE account_id = ?', accountId);
}

/** Counts the entries since the last count, so that the next count has few to add. */
export function countSpent(tx: Transaction, accountId: string): void {
  tx.run(
    `UPDATE budgets SET (spent, counted_n) =
       (SELECT budgets.spent + later.spent, COALESCE(later.n, counted_n) FROM (${LATER}) later)
     WHERE account_id = ?`,
    accountId,
  );
}

export function markRefused(tx: Transaction, accountId: string): void {
  const sql = 'UPDATE budgets SET refused = refused + 1, refused_at = ? WHERE account_id = ?';
  tx.run(sql, tx.now, accountId);
}
