import type { Reader } from '../database/transaction.ts';
import { listEntriesAt, nearestEntry, readTail, type StoredEntry } from './ledger-store.ts';
import { type Gap, gapsBetween, skippedIn } from './skipped-store.ts';

/** How a balance moved: `entries` of the ledger lie in the time, `start` stood before them, `sample` is spread over them. */
export interface BalanceHistory {
  entries: number;
  start: number;
  /** Oldest first; the last entry is always one of them. */
  sample: Pick<StoredEntry, 'created' | 'balance'>[];
}

/** Reads a handful of entries, however many there are; `from` is milliseconds. */
export function balanceHistory(
  db: Reader,
  accountId: string,
  { from, points }: { from: number; points: number },
): BalanceHistory {
  const last = readTail(db, accountId).n;
  const first = firstSince(db, accountId, { from, last });
  const gaps = gapsBetween(db, accountId, { first, last });
  const entries = last - first + 1 - skippedIn(gaps);
  const taken = Math.min(points, entries);
  const wanted = Array.from({ length: taken }, (_, at) => {
    return numberAt(Math.ceil(((at + 1) * entries) / taken) - 1, { first, gaps });
  });
  const start = nearestEntry(db, accountId, first - 1, 'before')?.balance ?? 0;
  return { entries, start, sample: listEntriesAt(db, accountId, wanted) };
}

/** The number of the entry that comes so many after the first. */
function numberAt(rank: number, { first, gaps }: { first: number; gaps: readonly Gap[] }): number {
  return gaps.reduce((n, gap) => (n > gap.n - gap.skipped ? n + gap.skipped : n), first + rank);
}

/** The n of the first entry at or after a time, by halving; one after the last where there is none. */
function firstSince(db: Reader, accountId: string, { from, last }: { from: number; last: number }): number {
  if (from === 0) return 1;
  let low = 1;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = nearestEntry(db, accountId, middle, 'after');
    if (entry && entry.created >= from) high = middle;
    else low = middle + 1;
  }
  return nearestEntry(db, accountId, low, 'after')?.n ?? low;
}
