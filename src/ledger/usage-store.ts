import type { Reader } from '../database/transaction.ts';

/** What one kind of work cost: `charged` and `refunded` in credits. */
export interface UsageRow {
  operation: string;
  model: string | null;
  charges: number;
  charged: number;
  refunds: number;
  refunded: number;
}

/** A stretch of an account's entries, by their numbers: after `after`, up to and with `last`. */
interface Stretch {
  after: number;
  last: number;
  /** Charges made before are left out; in milliseconds. */
  since: number;
}

/** By operation and model: charges of a stretch, and what was given back of them, wherever that stands. */
export function sumStretch(db: Reader, accountId: string, { after, last, since }: Stretch): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT charge.operation, charge.model, COUNT(*) AS charges, -SUM(charge.amount) AS charged,
       COUNT(refund.n) AS refunds, COALESCE(SUM(refund.amount), 0) AS refunded
     FROM ledger charge
     LEFT JOIN ledger refund ON refund.account_id = charge.account_id AND refund.refund_of = charge.n
     WHERE charge.account_id = ? AND charge.n > ? AND charge.n <= ? AND charge.type = 'charge' AND charge.created >= ?
     GROUP BY charge.operation, charge.model`,
    ...[accountId, after, last, since],
  );
}
