import { findEntry, type StoredEntry } from '../../base/database/ledger-store.ts';
import { readIds } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import { integer, json, type RowOf, table, text } from '../../base/database/table.ts';
import type { RequestFaults } from '../faults/request-faults.ts';

export const orders = table('orders', {
  accountId: text,
  /** `charge` is the `n` of the first ledger entry of the order. `charges` counts its charges, which follow each other. */
  charge: integer,
  charges: integer,
  operation: text,
  model: text.nullable(),
  requestId: text.nullable(),
  runId: text.nullable(),
  step: integer.nullable(),
  faults: json<RequestFaults>().nullable(),
  created: integer,
});

export type Order = RowOf<typeof orders>;

export type OrderChargeRange = Pick<Order, 'accountId' | 'charge' | 'charges'>;

/** Finds the order of a charge or of a refund. Undefined for other ledger entries. */
export function findOrderOfEntry(db: Reader, accountId: string, n: number): Order | undefined {
  const entry = findEntry(db, accountId, n);
  const charge = entry?.refundOf == null ? entry : findEntry(db, accountId, entry.refundOf);
  if (charge?.type !== 'charge') return undefined;
  const sql = `${orders.select} WHERE account_id = ? AND charge <= ? ORDER BY charge DESC LIMIT 1`;
  const order = orders.get(db, sql, accountId, charge.n);
  return order && charge.n < order.charge + order.charges ? order : orderOf(charge);
}

export function findRequestIdOfJob(db: Reader, job: { accountId: string; orderCharge: number }): string | null {
  const sql = 'SELECT request_id AS id FROM orders WHERE account_id = ? AND charge = ?';
  return db.get<{ id: string | null }>(sql, job.accountId, job.orderCharge)?.id ?? null;
}

/** Leaves out orders that have no row, such as a chat without a fault. */
export function storedOrdersOfRequest(db: Reader, requestId: string): Order[] {
  return orders.all(db, `${orders.select} WHERE request_id = ? ORDER BY created, charge`, requestId);
}

export function ordersOfFlowRun(db: Reader, runId: string): Order[] {
  return orders.all(db, `${orders.select} WHERE run_id = ? ORDER BY step`, runId);
}

function orderOf({ accountId, n, operation, model, requestId, created }: StoredEntry): Order {
  const known = { accountId, charge: n, charges: 1, operation: operation ?? '', model, requestId, created };
  return { ...known, runId: null, step: null, faults: null };
}

export function describeOrdersSharingCharges(db: Reader, accountId: string): string[] {
  return readIds(
    db,
    `SELECT account_id || ' entry ' || charge AS id FROM
       (SELECT account_id, charge, charges, LEAD(charge) OVER (ORDER BY charge) AS next FROM orders WHERE account_id = ?)
     WHERE next < charge + charges`,
    accountId,
  );
}
