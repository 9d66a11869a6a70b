import type { Reader, Transaction } from '../../base/database/transaction.ts';

/** `skipped` numbers, the last of which is `n`. */
export interface EntryGap {
  n: number;
  skipped: number;
}

/** Oldest first. */
export function gapsBetween(
  db: Reader,
  accountId: string,
  { first, last }: { first: number; last: number },
): EntryGap[] {
  return db.all<EntryGap>(
    'SELECT n, skipped FROM skipped_entries WHERE account_id = ? AND n > ? AND n < ? ORDER BY n',
    accountId,
    first,
    last,
  );
}

export function skippedIn(gaps: readonly EntryGap[]): number {
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
