import { setImmediate as breath } from 'node:timers/promises';
import type { Reader } from '../database/transaction.ts';
import { beginOfDay, dayOf, stretchOfDay, sumDays, sumStretch, type UsageRow } from './usage-store.ts';

/** How many entries are summed before others go on: some milliseconds. */
const STRIDE = 2500;

/**
 * By operation and model, the dearest first: charges made at or after `since` (milliseconds), and what was given back
 * of them. Whole days are summed already; of the one that has begun before `since` its entries are looked at, and
 * nobody else waits for that.
 */
export async function summarizeUsage(db: Reader, accountId: string, since: number): Promise<UsageRow[]> {
  const sums = new Map<string, UsageRow>();
  const day = dayOf(since);
  const until = beginOfDay(day + 1);
  const rest = since > beginOfDay(day) ? stretchOfDay(db, accountId, day) : undefined;
  for (const row of sumDays(db, accountId, rest ? day + 1 : day)) add(sums, row);
  if (!rest) return [...sums.values()].sort(byNetCost);
  for (let after = rest.first - 1; after < rest.last; after += STRIDE) {
    const stretch = { since, until, after, last: Math.min(after + STRIDE, rest.last) };
    for (const row of sumStretch(db, accountId, stretch)) add(sums, row);
    await breath();
  }
  return [...sums.values()].sort(byNetCost);
}

/** Paid operations whose charge lies at or after `since`, and what they cost net of refunds. */
export async function sumUsage(
  db: Reader,
  accountId: string,
  since: number,
): Promise<{ requests: number; credits: number }> {
  const rows = await summarizeUsage(db, accountId, since);
  return {
    requests: rows.reduce((sum, { charges }) => sum + charges, 0),
    credits: rows.reduce((sum, { charged, refunded }) => sum + charged - refunded, 0),
  };
}

function add(sums: Map<string, UsageRow>, row: UsageRow): void {
  const key = JSON.stringify([row.operation, row.model]);
  const sum = sums.get(key);
  if (!sum) {
    sums.set(key, row);
    return;
  }
  sum.charges += row.charges;
  sum.charged += row.charged;
  sum.refunds += row.refunds;
  sum.refunded += row.refunded;
}

function byNetCost(a: UsageRow, b: UsageRow): number {
  return (
    b.charged - b.refunded - (a.charged - a.refunded) ||
    compare(a.operation, b.operation) ||
    compare(a.model ?? '', b.model ?? '')
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
