import type { Reader, Transaction } from '../../base/database/transaction.ts';
import { readTail } from './ledger-store.ts';

/** Reading so many entries takes a few milliseconds. */
const STRIDE = 1000;

/** There must never be any. */
interface LedgerAudit {
  /** The balance is the sum of the entries and not negative. Numbers start at 1 and have no gaps but skipped ones. */
  isBalanced: boolean;
  /** Entries whose balance does not follow from the previous entry. */
  broken: string[];
  /** Charges of jobs that do not exist. */
  jobless: string[];
}

/** `breathe` is called between two ranges of entries. */
export async function auditLedger(db: Reader, accountId: string, breathe: () => Promise<void>): Promise<LedgerAudit> {
  const tail = readTail(db, accountId);
  const audit: LedgerAudit = { isBalanced: true, broken: [], jobless: [] };
  const sum = { entries: 0, total: 0 };
  for (let after = 0; after < tail.n; after += STRIDE) {
    const range = { accountId, after, last: Math.min(after + STRIDE, tail.n) };
    const { entries, total } = sumEntries(db, range);
    sum.entries += entries;
    sum.total += total;
    audit.broken.push(...findBroken(db, range));
    audit.jobless.push(...findJobless(db, range));
    if (range.last < tail.n) await breathe();
  }
  const numbered = tail.n - skippedIn(gapsBetween(db, accountId, { first: 0, last: tail.n }));
  audit.isBalanced = tail.balance === sum.total && tail.balance >= 0 && numbered === sum.entries;
  return audit;
}

interface EntryRange {
  accountId: string;
  after: number;
  last: number;
}

interface RangeSum {
  entries: number;
  total: number;
}

function sumEntries(db: Reader, { accountId, after, last }: EntryRange): RangeSum {
  const found = db.get<RangeSum>(
    `SELECT COUNT(*) AS entries, COALESCE(SUM(amount), 0) AS total FROM ledger
     WHERE account_id = ? AND n > ? AND n <= ?`,
    accountId,
    after,
    last,
  );
  return found ?? { entries: 0, total: 0 };
}

function findBroken(db: Reader, { accountId, after, last }: EntryRange): string[] {
  const rows = db.all<{ id: string }>(
    `SELECT entry.account_id || ' entry ' || entry.n AS id FROM ledger entry
     LEFT JOIN ledger before ON before.account_id = entry.account_id AND before.n =
       (SELECT MAX(n) FROM ledger WHERE account_id = entry.account_id AND n < entry.n)
     WHERE entry.account_id = ? AND entry.n > ? AND entry.n <= ?
       AND entry.balance <> COALESCE(before.balance, 0) + entry.amount`,
    accountId,
    after,
    last,
  );
  return rows.map(({ id }) => id);
}

function findJobless(db: Reader, { accountId, after, last }: EntryRange): string[] {
  const rows = db.all<{ id: string }>(
    `SELECT c.account_id || ' entry ' || c.n AS id FROM ledger c LEFT JOIN jobs j ON j.id = c.job_id
     WHERE c.account_id = ? AND c.n > ? AND c.n <= ?
       AND c.type = 'charge' AND c.job_id IS NOT NULL AND j.id IS NULL`,
    accountId,
    after,
    last,
  );
  return rows.map(({ id }) => id);
}

/** The balance of the newest other account with a different balance. */
export function otherBalance(db: Reader, accountId: string, balance: number): number | undefined {
  return db.get<{ balance: number }>(
    `SELECT (SELECT balance FROM ledger WHERE account_id = id ORDER BY n DESC LIMIT 1) AS balance
     FROM accounts WHERE id <> ? AND balance <> ? ORDER BY position DESC LIMIT 1`,
    accountId,
    balance,
  )?.balance;
}

/** `skipped` numbers, the last of which is `n`. */
interface EntryGap {
  n: number;
  skipped: number;
}

/** Oldest first. */
function gapsBetween(db: Reader, accountId: string, { first, last }: { first: number; last: number }): EntryGap[] {
  return db.all<EntryGap>(
    'SELECT n, skipped FROM skipped_entries WHERE account_id = ? AND n > ? AND n < ? ORDER BY n',
    accountId,
    first,
    last,
  );
}

function skippedIn(gaps: readonly EntryGap[]): number {
  return gaps.reduce((sum, { skipped }) => sum + skipped, 0);
}

interface DealtEntries {
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
