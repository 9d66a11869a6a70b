import type { Reader } from '../database/transaction.ts';

/** Final runs that do not cost what their steps were charged net of refunds: none, ever. */
export function findMispricedRuns(db: Reader): string[] {
  return ids(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN run_steps s ON s.run_id = r.id
     LEFT JOIN ledger c ON c.account_id = r.account_id AND c.n = s.charge
     LEFT JOIN ledger b ON b.account_id = c.account_id AND b.refund_of = c.n
     WHERE r.credits IS NOT NULL
     GROUP BY r.id HAVING r.credits <> COALESCE(-SUM(c.amount + COALESCE(b.amount, 0)), 0)`,
  );
}

/** Final runs without their one event, as long as events of their age are kept, and events of a run that is not final: none, ever. */
export function findUntoldRuns(db: Reader): string[] {
  return ids(
    db,
    `SELECT r.id FROM runs r
     LEFT JOIN events e ON e.run_id = r.id AND e.type IN ('flow.run.succeeded', 'flow.run.failed')
     GROUP BY r.id
     HAVING COUNT(e.id) > (r.finished IS NOT NULL)
       OR (COUNT(e.id) = 0 AND r.finished IS NOT NULL AND r.position > (SELECT position FROM untold_runs))
       OR (COUNT(e.id) > 0 AND (r.status = 'done') <> (MAX(e.type) = 'flow.run.succeeded'))`,
  );
}

/** Charges that two steps claim: none, ever. */
export function findSharedCharges(db: Reader): string[] {
  return ids(
    db,
    `SELECT r.account_id || ' entry ' || s.charge AS id FROM run_steps s JOIN runs r ON r.id = s.run_id
     WHERE s.charge IS NOT NULL GROUP BY r.account_id, s.charge HAVING COUNT(*) > 1`,
  );
}

function ids(db: Reader, sql: string): string[] {
  return db.all<{ id: string }>(sql).map(({ id }) => id);
}
