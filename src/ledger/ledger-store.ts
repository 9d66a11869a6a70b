import type { Reader, Transaction } from '../database/transaction.ts';

export type EntryType = 'grant' | 'charge' | 'refund' | 'top_up';

/** One movement of credits: the nth of its account. `amount` is signed, `balance` is what stood after it, `created` is in milliseconds. */
export interface StoredEntry {
  accountId: string;
  n: number;
  type: EntryType;
  amount: number;
  balance: number;
  operation: string | null;
  model: string | null;
  jobId: string | null;
  /** The n of the charge that a refund gives back. */
  refundOf: number | null;
  created: number;
}

const ENTRY = `SELECT account_id AS accountId, n, type, amount, balance, operation, model,
  job_id AS jobId, refund_of AS refundOf, created FROM ledger`;

/** Where an account stands: its balance, and how many entries led there. */
export function readTail(db: Reader, accountId: string): { n: number; balance: number } {
  const tail = db.get<{ n: number; balance: number }>(
    'SELECT n, balance FROM ledger WHERE account_id = ? ORDER BY n DESC LIMIT 1',
    accountId,
  );
  return tail ?? { n: 0, balance: 0 };
}

export function insertEntry(tx: Transaction, entry: StoredEntry): void {
  tx.run(
    `INSERT INTO ledger (account_id, n, type, amount, balance, operation, model, job_id, refund_of, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    entry.accountId,
    entry.n,
    entry.type,
    entry.amount,
    entry.balance,
    entry.operation,
    entry.model,
    entry.jobId,
    entry.refundOf,
    entry.created,
  );
}

export function findEntry(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND n = ?`, accountId, n);
}

/** What gave a charge back, if anything did. */
export function findRefund(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND refund_of = ?`, accountId, n);
}

/** Whether an account was given or given back anything from one time to another, both included; in milliseconds. */
export function wasCredited(db: Reader, accountId: string, { from, to }: { from: number; to: number }): boolean {
  const sql = `SELECT 1 AS found FROM ledger
    WHERE account_id = ? AND type <> 'charge' AND created BETWEEN ? AND ? LIMIT 1`;
  return db.get(sql, accountId, from, to) !== undefined;
}

/** Newest first; `before` is the n of the last one seen. */
export function listEntries(db: Reader, accountId: string, page: { limit: number; before: number }): StoredEntry[] {
  return db.all<StoredEntry>(
    `${ENTRY} WHERE account_id = ? AND n < ? ORDER BY n DESC LIMIT ?`,
    accountId,
    page.before,
    page.limit,
  );
}

/** The nth entries of an account, in the order of their numbers. */
export function listEntriesAt(
  db: Reader,
  accountId: string,
  wanted: readonly number[],
): Pick<StoredEntry, 'created' | 'balance'>[] {
  return db.all(
    // A cross join is never turned around: the ledger may hold a million entries.
    `SELECT created, balance FROM json_each(?) wanted
     CROSS JOIN ledger ON account_id = ? AND n = CAST(wanted.value AS INTEGER)`,
    JSON.stringify(wanted),
    accountId,
  );
}

/** Paid operations whose charge lies at or after `since`, and what they cost net of refunds. */
export function sumUsage(db: Reader, accountId: string, since: number): { requests: number; credits: number } {
  const charges = db.get<{ requests: number; credits: number }>(
    `SELECT COUNT(*) AS requests, COALESCE(-SUM(amount), 0) AS credits FROM ledger
     WHERE account_id = ? AND created >= ? AND type = 'charge'`,
    accountId,
    since,
  );
  const refunds = db.get<{ credits: number }>(
    `SELECT COALESCE(SUM(refund.amount), 0) AS credits
     FROM ledger refund
     JOIN ledger charge ON charge.account_id = refund.account_id AND charge.n = refund.refund_of
     WHERE refund.account_id = ? AND refund.refund_of IS NOT NULL AND charge.created >= ?`,
    accountId,
    since,
  );
  return {
    requests: charges?.requests ?? 0,
    credits: (charges?.credits ?? 0) - (refunds?.credits ?? 0),
  };
}

/** Accounts whose balance is not the sum of their entries, or whose entries are not numbered from 1: none, ever. */
export function findUnbalanced(db: Reader): string[] {
  return db
    .all<{ id: string }>(
      `SELECT sums.id FROM
         (SELECT account_id AS id, SUM(amount) AS total, COUNT(*) AS entries, MAX(n) AS last
          FROM ledger GROUP BY account_id) sums
       JOIN ledger tail ON tail.account_id = sums.id AND tail.n = sums.last
       WHERE tail.balance <> sums.total OR tail.balance < 0 OR sums.last <> sums.entries`,
    )
    .map(({ id }) => id);
}

/** Entries whose balance does not follow from the entry before: none, ever. */
export function findBrokenChain(db: Reader): string[] {
  return db
    .all<{ id: string }>(
      `SELECT account_id || ' entry ' || n AS id FROM (
         SELECT account_id, n, balance, amount,
           LAG(balance, 1, 0) OVER (PARTITION BY account_id ORDER BY n) AS previous FROM ledger
       ) WHERE balance <> previous + amount`,
    )
    .map(({ id }) => id);
}
