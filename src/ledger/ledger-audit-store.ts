import type { Reader } from '../database/transaction.ts';

/** A stretch of an account's entries, by their numbers: after `after`, up to and with `last`. */
export interface Stretch {
  accountId: string;
  after: number;
  last: number;
}

/** What entries of a stretch come to. */
export interface StretchSum {
  entries: number;
  /** The sum of their amounts, in credits. */
  total: number;
}

export function sumEntries(db: Reader, { accountId, after, last }: Stretch): StretchSum {
  const found = db.get<StretchSum>(
    `SELECT COUNT(*) AS entries, COALESCE(SUM(amount), 0) AS total FROM ledger
     WHERE account_id = ? AND n > ? AND n <= ?`,
    ...[accountId, after, last],
  );
  return found ?? { entries: 0, total: 0 };
}

/** Entries whose balance does not follow from the one before: none, ever. */
export function findBroken(db: Reader, { accountId, after, last }: Stretch): string[] {
  const rows = db.all<{ id: string }>(
    `SELECT entry.account_id || ' entry ' || entry.n AS id FROM ledger entry
     LEFT JOIN ledger before ON before.account_id = entry.account_id AND before.n =
       (SELECT MAX(n) FROM ledger WHERE account_id = entry.account_id AND n < entry.n)
     WHERE entry.account_id = ? AND entry.n > ? AND entry.n <= ?
       AND entry.balance <> COALESCE(before.balance, 0) + entry.amount`,
    ...[accountId, after, last],
  );
  return rows.map(({ id }) => id);
}

/** Charges that name a job which is not there: none, ever. */
export function findJobless(db: Reader, { accountId, after, last }: Stretch): string[] {
  const rows = db.all<{ id: string }>(
    `SELECT c.account_id || ' entry ' || c.n AS id FROM ledger c LEFT JOIN jobs j ON j.id = c.job_id
     WHERE c.account_id = ? AND c.n > ? AND c.n <= ?
       AND c.type = 'charge' AND c.job_id IS NOT NULL AND j.id IS NULL`,
    ...[accountId, after, last],
  );
  return rows.map(({ id }) => id);
}
