import type { Reader, Transaction } from '../database/transaction.ts';

/** A gap in the numbers of an account's entries: `skipped` numbers, the last of which is `n`. */
export interface Gap {
  n: number;
  skipped: number;
}

/** The last entry number of an account that a restore skipped; 0 if there is none. */
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

/** The highest entry number that an account has used. */
export interface DealtEntries {
  accountId: string;
  n: number;
}

const DEALT = `MAX(COALESCE((SELECT MAX(n) FROM ledger WHERE account_id = id), 0),
  COALESCE((SELECT MAX(n) FROM skipped_entries WHERE account_id = id), 0))`;

/** The accounts after one in the order of their ids: existing ones, or those with skipped entries. */
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

/** Skips the numbers that another state has used and this one has not. */
export function skipEntries(tx: Transaction, dealt: readonly DealtEntries[]): void {
  tx.run(
    `INSERT INTO skipped_entries (account_id, n, skipped)
     SELECT id, n, n - own FROM (SELECT id, n, ${DEALT} AS own FROM
       (SELECT value ->> 'accountId' AS id, value ->> 'n' AS n FROM json_each(?)))
     WHERE n > own`,
    JSON.stringify(dealt),
  );
}
