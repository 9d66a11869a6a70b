import { setImmediate as breath } from 'node:timers/promises';
import type { Reader } from '../database/transaction.ts';
import { readTail } from './ledger-store.ts';
import { sumStretch, type UsageRow } from './usage-store.ts';

/** How many entries are summed before others go on: some milliseconds. */
const STRIDE = 2500;

/**
 * By operation and model, the dearest first: charges made at or after `since` (milliseconds), and what was given back
 * of them. However many there are, nobody else waits for it.
 */
export async function summarizeUsage(db: Reader, accountId: string, since: number): Promise<UsageRow[]> {
  const sums = new Map<string, UsageRow>();
  const { n } = readTail(db, accountId);
  for (let after = 0; after < n; after += STRIDE) {
    const stretch = { since, after, last: Math.min(after + STRIDE, n) };
    for (const row of sumStretch(db, accountId, stretch)) add(sums, row);
    await breath();
  }
  return [...sums.values()].sort(byNetCost);
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
