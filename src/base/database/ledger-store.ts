import type { Reader, Writer } from './reader.ts';
import { integer, type NewRowOf, type RowOf, table, text } from './table.ts';

export const ENTRY_TYPES = ['grant', 'charge', 'refund', 'top_up'] as const;

export type EntryType = (typeof ENTRY_TYPES)[number];

export const ledger = table('ledger', {
  accountId: text,
  /** Counts the entries of an account; a restore may leave gaps. */
  n: integer,
  type: text.of<EntryType>(),
  /** In credits; negative for a charge. */
  amount: integer,
  balance: integer,
  operation: text.nullable(),
  model: text.nullable(),
  jobId: text.nullable(),
  /** The `n` of the refunded charge. */
  refundOf: integer.nullable(),
  created: integer,
  /** The request that the charge, or the refunded charge, paid for; null if not on record. */
  requestId: text.nullable(),
  /** The row of `prices` with the lines of a charge's price; null for other entries, and for charges without lines. */
  price: integer.nullable(),
});

const entries = ledger.omit('price');

export interface StoredEntry extends RowOf<typeof entries> {
  /** The lines of a charge's price as JSON, for writing only. */
  priceLines?: string | undefined;
}

export const SELECT_ENTRY = entries.select;

export function findEntry(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return entries.get(db, `${SELECT_ENTRY} WHERE account_id = ? AND n = ?`, accountId, n);
}

interface Tail {
  n: number;
  balance: number;
}

export function readLastNumberAndBalance(db: Pick<Reader, 'get'>, accountId: string): Tail {
  const tail = db.get<Tail>('SELECT n, balance FROM ledger WHERE account_id = ? ORDER BY n DESC LIMIT 1', accountId);
  return tail ?? { n: 0, balance: 0 };
}

function lastSkipped(db: Pick<Reader, 'get'>, accountId: string): number {
  const row = db.get<{ n: number | null }>('SELECT MAX(n) AS n FROM skipped_entries WHERE account_id = ?', accountId);
  return row?.n ?? 0;
}

const MAX_KNOWN = 1000;

/**
 * Ledger entries that are not written yet. Also remembers the last entries of accounts and the rows of prices, which a new
 * entry needs. Only one connection writes them, so what is remembered stays valid until a write fails.
 */
export class UnwrittenEntries {
  readonly #writer: Writer;
  readonly #tails = new Map<string, Tail>();
  readonly #prices = new Map<string, number>();
  #pending: PendingEntry[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  get length(): number {
    return this.#pending.length;
  }

  /** An account that is not remembered has only written entries, so the table is read. */
  tail(accountId: string): Tail {
    const known = this.#tails.get(accountId);
    if (known) return known;
    const { n, balance } = readLastNumberAndBalance(this.#writer, accountId);
    const tail = { n: Math.max(n, lastSkipped(this.#writer, accountId)), balance };
    this.#tails.set(accountId, tail);
    return tail;
  }

  /** `paid` is the charge that a refund gives back. The refund counts on the day of this charge. */
  add(entry: StoredEntry, paid?: StoredEntry): void {
    this.#pending.push({ entry, paid });
    this.#tails.set(entry.accountId, entry);
  }

  write(count = this.#pending.length): void {
    if (count === 0) return;
    const written = count === this.#pending.length ? this.#pending : this.#pending.slice(0, count);
    ledger.insertAll(
      this.#writer,
      written.map(({ entry }) => this.#rowOf(entry)),
    );
    for (const usage of sumByDay(written)) addToDay(this.#writer, usage);
    this.#pending = this.#pending.slice(count);
    if (this.#pending.length === 0 && this.#tails.size > MAX_KNOWN) this.#tails.clear();
  }

  keepFirst(count: number): void {
    this.#pending.length = count;
    this.#tails.clear();
    this.#prices.clear();
    for (const { entry } of this.#pending) this.#tails.set(entry.accountId, entry);
  }

  #rowOf(entry: StoredEntry): NewRowOf<typeof ledger> {
    const { accountId, n, type, amount, balance, operation, model, jobId, refundOf, created, requestId } = entry;
    const price = entry.priceLines === undefined ? null : this.#priceOf(entry.priceLines);
    return { accountId, n, type, amount, balance, operation, model, jobId, refundOf, created, requestId, price };
  }

  #priceOf(lines: string): number {
    const known = this.#prices.get(lines);
    if (known !== undefined) return known;
    const stored = this.#writer.get<{ id: number }>('SELECT id FROM prices WHERE lines = ?', lines);
    const id = stored?.id ?? this.#writer.insert('INSERT INTO prices (lines) VALUES (?)', lines);
    if (this.#prices.size >= MAX_KNOWN) this.#prices.clear();
    this.#prices.set(lines, id);
    return id;
  }
}

/** `charges` and `refunds` count entries. `charged` and `refunded` are sums of credits. */
export interface UsageRow {
  operation: string;
  model: string | null;
  charges: number;
  charged: number;
  refunds: number;
  refunded: number;
}

interface UsageOfDay extends UsageRow {
  accountId: string;
  day: number;
  firstN: number;
  lastN: number;
}

export const DAY_MS = 86_400_000;

export function daysSinceEpoch(time: number): number {
  return Math.floor(time / DAY_MS);
}

interface PendingEntry {
  entry: StoredEntry;
  paid: StoredEntry | undefined;
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
    accountId,
    day,
    operation,
    model ?? '',
    firstN,
    lastN,
    usage.charges,
    usage.charged,
    usage.refunds,
    usage.refunded,
  );
}

function sumByDay(pending: readonly PendingEntry[]): UsageOfDay[] {
  const found: UsageOfDay[] = [];
  for (const { entry, paid } of pending) {
    const charge = entry.type === 'charge' ? entry : paid;
    if (!charge) continue;
    const usage = found.find((each) => isSameUsage(each, charge)) ?? beginUsage(found, charge);
    countEntry(usage, entry, charge);
  }
  return found;
}

function isSameUsage(usage: UsageOfDay, { accountId, operation, model, created }: StoredEntry): boolean {
  const isSame = usage.accountId === accountId && usage.operation === operation && usage.model === model;
  return isSame && usage.day === daysSinceEpoch(created);
}

function beginUsage(found: UsageOfDay[], { accountId, operation, model, created, n }: StoredEntry): UsageOfDay {
  const kind = { accountId, day: daysSinceEpoch(created), operation: operation ?? '', model };
  const usage = { ...kind, firstN: n, lastN: n, charges: 0, charged: 0, refunds: 0, refunded: 0 };
  found.push(usage);
  return usage;
}

function countEntry(usage: UsageOfDay, { type, amount }: StoredEntry, { n }: StoredEntry): void {
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
