import type { Reader } from '../../base/database/reader.ts';
import type { SpendRow } from '../../check/spend.ts';

export function readSpendRows(db: Reader): SpendRow[] {
  return db.all<SpendRow>(
    `SELECT ledger.account_id AS accountId, accounts.name AS name, operation, model,
       SUM(type = 'charge') AS charges, SUM(type = 'refund') AS refunds, -SUM(amount) AS credits
     FROM ledger JOIN accounts ON accounts.id = ledger.account_id
     WHERE type IN ('charge', 'refund')
     GROUP BY ledger.account_id, operation, model`,
  );
}
