import type { Reader, Transaction } from '../database/transaction.ts';

/** Numbers of an account that no entry of this state has: `skipped` of them, the last of which is `n`. */
export interface Gap {
  n: number;
  skipped: number;
}

/** The last number of an account's entries that a restore has passed over; 0 where there is none. */
export function lastSkipped(db: Pick<Reader, 'get'>, accountId: string): number {
  const row = db.get<{ n: number | null }>('SELECT MAX(n) AS n FROM skipped_entries WHERE account_id = ?', accountId);
  return row?.n ?? 0;
}

/** The gaps between two entries of an account, by their numbers, oldest first. */
export function gapsBetween(db: Reader, accountId: string, { first, last }: { first: number; last: number }): Gap[] {
  return db.all<Gap>(
    'SELECT n, skipped FROM skipped_entries WHERE account_id = ? AND n > ? AND n < ? ORDER BY n',
    ...[accountId, first, last],
  );
}

export function skippedIn(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { skipped }) => sum + skipped, 0);
}

/** Up to which number the entries of an account were given out. */
export interface DealtEntries {
  accountId: string;
  n: number;
}

const DEALT = `MAX(COALESCE((SELECT MAX(n) FROM ledger WHERE account_id = id), 0),
  COALESCE((SELECT MAX(n) FROM skipped_entries WHERE account_id = id), 0))`;

/** Of the accounts after one, in the order of their ids: those that there are, or those that are only remembered. */
export function dealtEntries(
  db: Reader,
  of: 'accounts' | 'skipped_entries',
  { after, limit }: { after: string; limit: number },
): DealtEntries[] {
  const id = of === 'accounts' ? 'id' : 'account_id';
  return db.all<DealtEntries>(
    `SELECT id AS accountId, ${DEALT} AS n
     FROM (SELECT DISTINCT ${id} AS id FROM ${of} WHERE ${id} > ? ORDER BY ${id} LIMIT ?)`,
    ...[after, limit],
  );
}

/** Passes over what is given out elsewhere and not here. */
export function skipEntries(tx: Transaction, dealt: readonly DealtEntries[]): void {
  tx.run(
    `INSERT INTO skipped_entries (account_id, n, skipped)
     SELECT id, n, n - own FROM (SELECT id, n, ${DEALT} AS own FROM
       (SELECT value ->> 'accountId' AS id, value ->> 'n' AS n FROM json_each(?)))
     WHERE n > own`,
    JSON.stringify(dealt),
  );
}
