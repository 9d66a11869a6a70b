import type { Reader } from '../../base/database/transaction.ts';

/** What one kind of work on one account has cost: credits are net of refunds. */
export interface SpendRow {
  accountId: string;
  /** What the account is called; may be empty. */
  name: string;
  operation: string;
  model: string | null;
  charges: number;
  refunds: number;
  credits: number;
}

/** All that was ever charged and given back, by account, operation and model. */
export function sumSpend(db: Reader): SpendRow[] {
  return db.all<SpendRow>(
    `SELECT ledger.account_id AS accountId, accounts.name AS name, operation, model,
       SUM(type = 'charge') AS charges, SUM(type = 'refund') AS refunds, -SUM(amount) AS credits
     FROM ledger JOIN accounts ON accounts.id = ledger.account_id
     WHERE type IN ('charge', 'refund')
     GROUP BY ledger.account_id, operation, model`,
  );
}
