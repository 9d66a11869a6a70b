import type { Reader, Writer } from '../database/transaction.ts';
import type { StoredEntry } from './ledger-store.ts';

/** The cost of one operation and model; `charged` and `refunded` in credits. */
export interface UsageRow {
  operation: string;
  model: string | null;
  charges: number;
  charged: number;
  refunds: number;
  refunded: number;
}

/** The same for one account and one day, whose charges are between two of the account's entries. */
interface UsageOfDay extends UsageRow {
  accountId: string;
  day: number;
  firstN: number;
  lastN: number;
}

const DAY = 86_400_000;

/** Days since 1970 of a time in milliseconds. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY);
}

/** An entry, and for a refund the refunded charge. */
export interface PendingEntry {
  entry: StoredEntry;
  paid: StoredEntry | undefined;
}

/** Adds entries to the sums of their days. */
export function addUsage(writer: Writer, entries: readonly PendingEntry[]): void {
  for (const usage of sums(entries)) addToDay(writer, usage);
}

function addToDay(writer: Writer, usage: UsageOfDay): void {
  const { accountId, day, operation, model, firstN, lastN } = usage;
  writer.run(
    `INSERT INTO usage_days
       (account_id, day, operation, model, first_n, last_n, charges, charged, refunds, refunded)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET first_n = MIN(first_n, excluded.first_n), last_n = MAX(last_n, excluded.last_n),
       charges = charges + excluded.charges, charged = charged + excluded.charged,
       refunds = refunds + excluded.refunds, refunded = refunded + excluded.refunded`,
    ...[accountId, day, operation, model ?? '', firstN, lastN],
    ...[usage.charges, usage.charged, usage.refunds, usage.refunded],
  );
}

/** By operation and model: all charges from `day` on, and their refunds. */
export function sumDays(db: Reader, accountId: string, day: number): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT operation, NULLIF(model, '') AS model, SUM(charges) AS charges, SUM(charged) AS charged,
       SUM(refunds) AS refunds, SUM(refunded) AS refunded
     FROM usage_days WHERE account_id = ? AND day >= ? GROUP BY operation, model`,
    accountId,
    day,
  );
}

/** The sums of one account and one day, as a row of those of all accounts. */
export interface UsageDayRow extends UsageRow {
  accountId: string;
  day: number;
}

/** The rows after one, in the order of accounts and days. */
export function daysAfter(db: Reader, after: UsageDayRow | undefined, limit: number): UsageDayRow[] {
  return db.all<UsageDayRow>(
    `SELECT account_id AS accountId, day, operation, NULLIF(model, '') AS model, charges, charged, refunds, refunded
     FROM usage_days WHERE (account_id, day, operation, model) > (?, ?, ?, ?)
     ORDER BY account_id, day, operation, model LIMIT ?`,
    ...[after?.accountId ?? '', after?.day ?? 0, after?.operation ?? '', after?.model ?? ''],
    limit,
  );
}

/** The range of an account's entries with the charges of a day; undefined when there are none. */
export function rangeOfDay(db: Reader, accountId: string, day: number): { first: number; last: number } | undefined {
  const found = db.get<{ first: number | null; last: number }>(
    'SELECT MIN(first_n) AS first, MAX(last_n) AS last FROM usage_days WHERE account_id = ? AND day = ?',
    accountId,
    day,
  );
  return found?.first == null ? undefined : { first: found.first, last: found.last };
}

/** A range of an account's entries by their numbers: after `after`, up to and including `last`. */
interface Stretch {
  after: number;
  last: number;
  /** Only charges made from `since` until before `until`; in milliseconds. */
  since: number;
  until: number;
}

/** By operation and model: the charges of a range, and their refunds, also outside of the range. */
export function sumRange(db: Reader, accountId: string, { after, last, since, until }: Stretch): UsageRow[] {
  return db.all<UsageRow>(
    `SELECT charge.operation, charge.model, COUNT(*) AS charges, -SUM(charge.amount) AS charged,
       COUNT(refund.n) AS refunds, COALESCE(SUM(refund.amount), 0) AS refunded
     FROM ledger charge
     LEFT JOIN ledger refund ON refund.account_id = charge.account_id AND refund.refund_of = charge.n
     WHERE charge.account_id = ? AND charge.n > ? AND charge.n <= ? AND charge.type = 'charge'
       AND charge.created >= ? AND charge.created < ?
     GROUP BY charge.operation, charge.model`,
    ...[accountId, after, last, since, until],
  );
}

/** The first millisecond of a day. */
export function beginOfDay(day: number): number {
  return day * DAY;
}

/** What entries add to the sums of their days; most groups have one kind of entry. */
function sums(pending: readonly PendingEntry[]): UsageOfDay[] {
  const found: UsageOfDay[] = [];
  for (const { entry, paid } of pending) {
    const charge = entry.type === 'charge' ? entry : paid;
    if (!charge) continue;
    const usage = found.find((each) => isOf(each, charge)) ?? begin(found, charge);
    count(usage, entry, charge);
  }
  return found;
}

function isOf(usage: UsageOfDay, { accountId, operation, model, created }: StoredEntry): boolean {
  const isSame = usage.accountId === accountId && usage.operation === operation && usage.model === model;
  return isSame && usage.day === dayOf(created);
}

function begin(found: UsageOfDay[], { accountId, operation, model, created, n }: StoredEntry): UsageOfDay {
  const kind = { accountId, day: dayOf(created), operation: operation ?? '', model };
  const usage = { ...kind, firstN: n, lastN: n, charges: 0, charged: 0, refunds: 0, refunded: 0 };
  found.push(usage);
  return usage;
}

function count(usage: UsageOfDay, { type, amount }: StoredEntry, { n }: StoredEntry): void {
  usage.firstN = Math.min(usage.firstN, n);
  usage.lastN = Math.max(usage.lastN, n);
  if (type === 'charge') {
    usage.charges += 1;
    usage.charged -= amount;
  } else {
    usage.refunds += 1;
    usage.refunded += amount;
  }
}
