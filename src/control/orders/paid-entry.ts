import type { StoredEntry } from '../../engine/ledger/ledger-store.ts';

/** A ledger entry with its public id, and that of the charge which it gives back. */
export interface PaidEntry extends Omit<StoredEntry, 'refundOf'> {
  id: string;
  refundOf: string | null;
}

/** As the usage log shows it; `created` is unix seconds. */
export function entryView({ id, type, amount, balance, operation, model, created, ...refs }: PaidEntry) {
  const names = { job_id: refs.jobId, refund_of: refs.refundOf, request_id: refs.requestId };
  return { id, type, amount, balance, operation, model, ...names, created: Math.floor(created / 1000) };
}

/** As it is shown by itself: whose it is, and what gave it back. */
export function wholeEntryView(entry: PaidEntry, refund: PaidEntry | undefined) {
  return { ...entryView(entry), account_id: entry.accountId, refunded_by: refund?.id ?? null };
}

const SUMS = ['charges', 'refunds', 'charged', 'refunded', 'credits'] as const;
export type Sums = Record<(typeof SUMS)[number], number>;

/** What was charged and given back; `credits` is the rest. */
export function sumOf(rows: readonly Sums[]): Sums {
  const sum: Sums = { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: 0 };
  for (const row of rows) for (const name of SUMS) sum[name] += row[name];
  return sum;
}
