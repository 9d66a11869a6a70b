import {
  DAY_MS,
  type EntryType,
  readLastNumberAndBalance,
  SELECT_ENTRY,
  type StoredEntry,
  type UsageRow,
} from '../../base/database/ledger-store.ts';
import { readIds } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { PriceLine } from '../catalogue/catalogue.ts';

export function readPriceLines(db: Reader, accountId: string, n: number): PriceLine[] {
  const sql = 'SELECT lines FROM ledger JOIN prices ON prices.id = price WHERE account_id = ? AND n = ?';
  return JSON.parse(db.get<{ lines: string }>(sql, accountId, n)?.lines ?? '[]');
}

export function findRefund(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${SELECT_ENTRY} WHERE account_id = ? AND refund_of = ?`, accountId, n);
}

/** True if a refund or a top-up came between `from` and `to`, both in milliseconds and included. */
export function hadRefundOrTopUp(db: Reader, accountId: string, { from, to }: { from: number; to: number }): boolean {
  const sql = `SELECT 1 AS found FROM ledger
    WHERE account_id = ? AND type <> 'charge' AND type <> 'grant' AND created BETWEEN ? AND ? LIMIT 1`;
  return db.get(sql, accountId, from, to) !== undefined;
}

const SEARCHED =
  "lower(type || ' ' || amount || ' ' || COALESCE(operation || ' ' || model || ' ' || job_id, operation, ''))";

export function listEntries(db: Reader, accountId: string, { limit, before, q = '', type }: EntryPage): StoredEntry[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const held = words.map(() => `AND instr(${SEARCHED}, ?) > 0 `).join('');
  // SQLite uses the partial index of entries other than charges only if the query repeats its condition.
  const narrowed = type === undefined ? '' : `AND type ${type === 'charge' ? '' : "<> 'charge' AND type "}= '${type}' `;
  return db.all<StoredEntry>(
    `${SELECT_ENTRY} WHERE account_id = ? AND n < ? ${narrowed}${held}ORDER BY n DESC LIMIT ?`,
    accountId,
    before,
    ...words,
    limit,
  );
}

interface EntryPage {
  limit: number;
  before: number;
  q?: string | undefined;
  type?: EntryType | undefined;
}

/** A refund counts on the day of its charge. */
export function sumUsageByModelSinceDay(db: Reader, accountId: string, day: number): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT operation, NULLIF(model, '') AS model, SUM(charges) AS charges, SUM(charged) AS charged,
       SUM(refunds) AS refunds, SUM(refunded) AS refunded
     FROM usage_days WHERE account_id = ? AND day >= ? GROUP BY operation, model`,
    accountId,
    day,
  );
}

export interface UsageDayRow extends UsageRow {
  accountId: string;
  day: number;
}

interface DaysPage {
  accountId: string | undefined;
  after: UsageDayRow | undefined;
  limit: number;
}

export function listDailyUsagePage(db: Reader, { accountId, after, limit }: DaysPage): UsageDayRow[] {
  return db.all<UsageDayRow>(
    `SELECT account_id AS accountId, day, operation, NULLIF(model, '') AS model, charges, charged, refunds, refunded
     FROM usage_days
     WHERE (account_id, day, operation, model) > (?, ?, ?, ?) ${accountId === undefined ? '' : 'AND account_id = ?'}
     ORDER BY account_id, day, operation, model LIMIT ?`,
    after?.accountId ?? '',
    after?.day ?? 0,
    after?.operation ?? '',
    after?.model ?? '',
    ...(accountId === undefined ? [] : [accountId]),
    limit,
  );
}

export function chargeRangeOfDay(
  db: Reader,
  accountId: string,
  day: number,
): { first: number; last: number } | undefined {
  const found = db.get<{ first: number | null; last: number }>(
    'SELECT MIN(first_n) AS first, MAX(last_n) AS last FROM usage_days WHERE account_id = ? AND day = ?',
    accountId,
    day,
  );
  return found?.first == null ? undefined : { first: found.first, last: found.last };
}

interface Stretch {
  after: number;
  last: number;
  /** Only charges from `since` to before `until` count, both in milliseconds. */
  since: number;
  until: number;
}

/** A refund counts with its charge, even if the refund itself lies outside the range. */
export function sumUsageByModelInRange(
  db: Reader,
  accountId: string,
  { after, last, since, until }: Stretch,
): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT charge.operation, charge.model, COUNT(*) AS charges, -SUM(charge.amount) AS charged,
       COUNT(refund.n) AS refunds, COALESCE(SUM(refund.amount), 0) AS refunded
     FROM ledger charge
     LEFT JOIN ledger refund ON refund.account_id = charge.account_id AND refund.refund_of = charge.n
     WHERE charge.account_id = ? AND charge.n > ? AND charge.n <= ? AND charge.type = 'charge'
       AND charge.created >= ? AND charge.created < ?
     GROUP BY charge.operation, charge.model`,
    accountId,
    after,
    last,
    since,
    until,
  );
}

export function dayNumberToMs(day: number): number {
  return day * DAY_MS;
}

const STRIDE = 1000;

interface LedgerAudit {
  /**
   * Whether the balance is the sum of the entries and not negative, and no entry number is missing except those that a
   * restore removed (`skipped_entries`).
   */
  isBalanced: boolean;
  /** Entries whose balance does not follow from the entry before. */
  broken: string[];
  /** Charges of jobs that do not exist. */
  jobless: string[];
}

export async function auditLedger(db: Reader, accountId: string, breathe: () => Promise<void>): Promise<LedgerAudit> {
  const tail = readLastNumberAndBalance(db, accountId);
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
  return readIds(
    db,
    `SELECT entry.account_id || ' entry ' || entry.n AS id FROM ledger entry
     LEFT JOIN ledger before ON before.account_id = entry.account_id AND before.n =
       (SELECT MAX(n) FROM ledger WHERE account_id = entry.account_id AND n < entry.n)
     WHERE entry.account_id = ? AND entry.n > ? AND entry.n <= ?
       AND entry.balance <> COALESCE(before.balance, 0) + entry.amount`,
    accountId,
    after,
    last,
  );
}

function findJobless(db: Reader, { accountId, after, last }: EntryRange): string[] {
  return readIds(
    db,
    `SELECT c.account_id || ' entry ' || c.n AS id FROM ledger c LEFT JOIN jobs j ON j.id = c.job_id
     WHERE c.account_id = ? AND c.n > ? AND c.n <= ?
       AND c.type = 'charge' AND c.job_id IS NOT NULL AND j.id IS NULL`,
    accountId,
    after,
    last,
  );
}

/** A gap of `skipped` entry numbers, which ends with the number `n`. */
interface EntryGap {
  n: number;
  skipped: number;
}

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

export function highestUsedEntryNumbers(
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

export function skipEntryNumbers(tx: Transaction, dealt: readonly DealtEntries[]): void {
  tx.run(
    `INSERT INTO skipped_entries (account_id, n, skipped)
     SELECT id, n, n - own FROM (SELECT id, n, ${DEALT} AS own FROM
       (SELECT value ->> 'accountId' AS id, value ->> 'n' AS n FROM json_each(?)))
     WHERE n > own`,
    JSON.stringify(dealt),
  );
}
