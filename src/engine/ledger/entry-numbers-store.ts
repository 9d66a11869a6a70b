import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { nearestEntry } from './entry-store.ts';
import { readTail, type StoredEntry } from './ledger-store.ts';

/** `skipped` numbers, the last of which is `n`. */
export interface Gap {
  n: number;
  skipped: number;
}

/** Oldest first. */
export function gapsBetween(db: Reader, accountId: string, { first, last }: { first: number; last: number }): Gap[] {
  return db.all<Gap>(
    'SELECT n, skipped FROM skipped_entries WHERE account_id = ? AND n > ? AND n < ? ORDER BY n',
    accountId,
    first,
    last,
  );
}

export function skippedIn(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { skipped }) => sum + skipped, 0);
}

export interface DealtEntries {
  accountId: string;
  n: number;
}

const DEALT = `MAX(COALESCE((SELECT MAX(n) FROM ledger WHERE account_id = id), 0),
  COALESCE((SELECT MAX(n) FROM skipped_entries WHERE account_id = id), 0))`;

/** In the order of account ids: existing accounts, and those with skipped entries. */
export function dealtEntries(
  db: Reader,
  of: 'accounts' | 'skipped_entries',
  { after, limit }: { after: string; limit: number },
): DealtEntries[] {
  const id = of === 'accounts' ? 'id' : 'account_id';
  return db.all<DealtEntries>(
    `SELECT id AS accountId, ${DEALT} AS n
     FROM (SELECT DISTINCT ${id} AS id FROM ${of} WHERE ${id} > ? ORDER BY ${id} LIMIT ?)`,
    after,
    limit,
  );
}

/** Skips the numbers that another state has used. */
export function skipEntries(tx: Transaction, dealt: readonly DealtEntries[]): void {
  tx.run(
    `INSERT INTO skipped_entries (account_id, n, skipped)
     SELECT id, n, n - own FROM (SELECT id, n, ${DEALT} AS own FROM
       (SELECT value ->> 'accountId' AS id, value ->> 'n' AS n FROM json_each(?)))
     WHERE n > own`,
    JSON.stringify(dealt),
  );
}

/** In the order of their numbers. */
export function listEntriesAt(
  db: Reader,
  accountId: string,
  wanted: readonly number[],
): Pick<StoredEntry, 'created' | 'balance'>[] {
  return db.all(
    // SQLite never reorders a cross join. The ledger may contain a million entries.
    `SELECT created, balance FROM json_each(?) wanted
     CROSS JOIN ledger ON account_id = ? AND n = CAST(wanted.value AS INTEGER)`,
    JSON.stringify(wanted),
    accountId,
  );
}

/** `start` is the balance before the first entry in the time. */
export interface BalanceHistory {
  entries: number;
  start: number;
  /** Oldest first, with the last entry. */
  sample: Pick<StoredEntry, 'created' | 'balance'>[];
}

/** Reads only a few entries, however many there are. `from` is in milliseconds. */
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

function numberAt(rank: number, { first, gaps }: { first: number; gaps: readonly Gap[] }): number {
  return gaps.reduce((n, gap) => (n > gap.n - gap.skipped ? n + gap.skipped : n), first + rank);
}

/** By bisection. Returns one more than the last number if there is no entry. */
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
