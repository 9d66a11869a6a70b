import type { Reader } from '../../base/database/transaction.ts';
import { gapsBetween, skippedIn } from './entry-numbers-store.ts';
import { readTail } from './ledger-store.ts';

/** Reading so many entries takes a few milliseconds. */
const STRIDE = 1000;

/** There must never be any. */
export interface LedgerAudit {
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
