import type { Reader } from '../../base/database/transaction.ts';
import type { PriceLine } from '../catalogue/catalogue.ts';
import { DAY, type EntryType, type StoredEntry, type UsageRow } from './ledger-store.ts';

const ENTRY = `SELECT account_id AS accountId, n, type, amount, balance, operation, model,
  job_id AS jobId, refund_of AS refundOf, request_id AS requestId, created FROM ledger`;

export function findEntry(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND n = ?`, accountId, n);
}

export function readPriceLines(db: Reader, accountId: string, n: number): PriceLine[] {
  const sql = 'SELECT lines FROM ledger JOIN prices ON prices.id = price WHERE account_id = ? AND n = ?';
  return JSON.parse(db.get<{ lines: string }>(sql, accountId, n)?.lines ?? '[]');
}

/** The violation that charges an order a second time. */
export const CHARGED_TWICE = 'charge.twice';

/** For violations: the second charge of the same order, right after the first. */
export function findSecondCharge(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(
    `${ENTRY} WHERE account_id = ? AND n = ? AND violation = ?`,
    accountId,
    n + 1,
    CHARGED_TWICE,
  );
}

export function findRefund(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND refund_of = ?`, accountId, n);
}

/** In milliseconds, both ends included. */
export function wasCredited(db: Reader, accountId: string, { from, to }: { from: number; to: number }): boolean {
  const sql = `SELECT 1 AS found FROM ledger
    WHERE account_id = ? AND type <> 'charge' AND created BETWEEN ? AND ? LIMIT 1`;
  return db.get(sql, accountId, from, to) !== undefined;
}

const SEARCHED =
  "lower(type || ' ' || amount || ' ' || COALESCE(operation || ' ' || model || ' ' || job_id, operation, ''))";

/** Newest first. Each result contains every word of `q`. */
export function listEntries(db: Reader, accountId: string, { limit, before, q = '', type }: EntryPage): StoredEntry[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const held = words.map(() => `AND instr(${SEARCHED}, ?) > 0 `).join('');
  // Repeats the words of the partial index of entries other than charges.
  const narrowed = type === undefined ? '' : `AND type ${type === 'charge' ? '' : "<> 'charge' AND type "}= '${type}' `;
  return db.all<StoredEntry>(
    `${ENTRY} WHERE account_id = ? AND n < ? ${narrowed}${held}ORDER BY n DESC LIMIT ?`,
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

/** Charges from `day` on and their refunds, by operation and model. */
export function sumDays(db: Reader, accountId: string, day: number): UsageRow[] {
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

export function daysAfter(db: Reader, after: UsageDayRow | undefined, limit: number): UsageDayRow[] {
  return db.all<UsageDayRow>(
    `SELECT account_id AS accountId, day, operation, NULLIF(model, '') AS model, charges, charged, refunds, refunded
     FROM usage_days WHERE (account_id, day, operation, model) > (?, ?, ?, ?)
     ORDER BY account_id, day, operation, model LIMIT ?`,
    after?.accountId ?? '',
    after?.day ?? 0,
    after?.operation ?? '',
    after?.model ?? '',
    limit,
  );
}

/** Undefined if the day has no charges. */
export function rangeOfDay(db: Reader, accountId: string, day: number): { first: number; last: number } | undefined {
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
  /** Charges from `since` until before `until`, in milliseconds. */
  since: number;
  until: number;
}

/** By operation and model. A refund counts for its charge, even if it lies outside the range. */
export function sumRange(db: Reader, accountId: string, { after, last, since, until }: Stretch): UsageRow[] {
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

export function beginOfDay(day: number): number {
  return day * DAY;
}
