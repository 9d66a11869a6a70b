import type { Reader, SqlValue, Writer } from '../database/transaction.ts';

export const ENTRY_TYPES = ['grant', 'charge', 'refund', 'top_up'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** One movement of credits: that of the number `n` of its account; a restore leaves gaps. `amount` is signed, `balance` is what stood after it, `created` is in milliseconds. */
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
  /** The request that a charge, or the charge of a refund, paid for; null where that is not on record. */
  requestId: string | null;
  created: number;
}

const ENTRY = `SELECT account_id AS accountId, n, type, amount, balance, operation, model,
  job_id AS jobId, refund_of AS refundOf, request_id AS requestId, created FROM ledger`;

/** Where an account stands: its balance, and the number of the entry that led there. */
export interface Tail {
  n: number;
  balance: number;
}

export function readTail(db: Pick<Reader, 'get'>, accountId: string): Tail {
  const tail = db.get<Tail>('SELECT n, balance FROM ledger WHERE account_id = ? ORDER BY n DESC LIMIT 1', accountId);
  return tail ?? { n: 0, balance: 0 };
}

/** Many at once: one statement of thirty-two rows costs a third of thirty-two of one. */
const MANY = 32;
const INSERT =
  'INSERT INTO ledger (account_id, n, type, amount, balance, operation, model, job_id, refund_of, request_id, created) VALUES';
const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
const INSERT_ONE = `${INSERT} ${ROW}`;
const INSERT_MANY = `${INSERT} ${Array.from({ length: MANY }, () => ROW).join(', ')}`;

/** In the order given. */
export function insertEntries(writer: Writer, entries: readonly { entry: StoredEntry }[]): void {
  let at = 0;
  for (; at + MANY <= entries.length; at += MANY) {
    const values: SqlValue[] = [];
    for (const { entry } of entries.slice(at, at + MANY)) addValues(values, entry);
    writer.run(INSERT_MANY, ...values);
  }
  for (const { entry } of entries.slice(at)) writer.run(INSERT_ONE, ...addValues([], entry));
}

function addValues(values: SqlValue[], entry: StoredEntry): SqlValue[] {
  const { accountId, n, type, amount, balance, operation, model, jobId, refundOf, requestId, created } = entry;
  values.push(accountId, n, type, amount, balance, operation, model, jobId, refundOf, requestId, created);
  return values;
}

export function findEntry(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND n = ?`, accountId, n);
}

/** The entry of a number, or else the nearest one before it, or after it. */
export function nearestEntry(
  db: Reader,
  accountId: string,
  n: number,
  to: 'before' | 'after',
): StoredEntry | undefined {
  const [sign, order] = to === 'before' ? ['<=', 'DESC'] : ['>=', 'ASC'];
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND n ${sign} ? ORDER BY n ${order} LIMIT 1`, accountId, n);
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

/** All that is looked through for a word. */
const TOLD =
  "lower(type || ' ' || amount || ' ' || COALESCE(operation || ' ' || model || ' ' || job_id, operation, ''))";

/** Newest first; `before` is the n of the last one seen, and every word of `q` stands in what an entry tells. */
export function listEntries(db: Reader, accountId: string, { limit, before, q = '', type }: EntryPage): StoredEntry[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const held = words.map(() => `AND instr(${TOLD}, ?) > 0 `).join('');
  // In the words of the index of what is no charge.
  const narrowed = type === undefined ? '' : `AND type ${type === 'charge' ? '' : "<> 'charge' AND type "}= '${type}' `;
  return db.all<StoredEntry>(
    `${ENTRY} WHERE account_id = ? AND n < ? ${narrowed}${held}ORDER BY n DESC LIMIT ?`,
    ...[accountId, before, ...words, limit],
  );
}

/** The newest of one account, or of all, newest first. */
export function newestEntries(db: Reader, accountId: string | undefined, limit: number): StoredEntry[] {
  if (accountId !== undefined) return listEntries(db, accountId, { limit, before: Number.MAX_SAFE_INTEGER });
  return db.all<StoredEntry>(`${ENTRY} ORDER BY created DESC, account_id DESC, n DESC LIMIT ?`, limit);
}

interface EntryPage {
  limit: number;
  before: number;
  q?: string | undefined;
  type?: EntryType | undefined;
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
