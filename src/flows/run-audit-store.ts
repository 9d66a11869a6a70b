import type { Positions, Reader, SqlValue } from '../database/transaction.ts';

/** Final runs that do not cost what their steps were charged net of refunds: none, ever. */
export function findMispricedRuns(db: Reader, { after, last }: Positions): string[] {
  return ids(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN run_steps s ON s.run_id = r.id
     LEFT JOIN ledger c ON c.account_id = r.account_id AND c.n = s.charge
     LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
     WHERE r.position > ? AND r.position <= ? AND r.credits IS NOT NULL
     GROUP BY r.id HAVING r.credits <> COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0)`,
    [after, last],
  );
}

/** Final runs without their one event, as long as events of their age are kept, and events of a run that is not final: none, ever. */
export function findUntoldRuns(db: Reader, { after, last }: Positions): string[] {
  return ids(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN events e ON e.run_id = r.id AND e.type IN ('flow.run.succeeded', 'flow.run.failed')
     WHERE r.position > ? AND r.position <= ?
     GROUP BY r.id
     HAVING COUNT(e.id) > (r.finished IS NOT NULL)
       OR (COUNT(e.id) = 0 AND r.finished IS NOT NULL AND r.position > (SELECT position FROM untold_runs))
       OR (COUNT(e.id) > 0 AND (r.status = 'done') <> (MAX(e.type) = 'flow.run.succeeded'))`,
    [after, last],
  );
}

/** Charges of an account that two steps claim: none, ever. */
export function findSharedCharges(db: Reader, accountId: string): string[] {
  return ids(
    db,
    `SELECT r.account_id || ' entry ' || s.charge AS id FROM runs r JOIN run_steps s ON s.run_id = r.id
     WHERE r.account_id = ? AND s.charge IS NOT NULL GROUP BY s.charge HAVING COUNT(*) > 1`,
    [accountId],
  );
}

function ids(db: Reader, sql: string, values: SqlValue[]): string[] {
  return db.all<{ id: string }>(sql, ...values).map(({ id }) => id);
}
