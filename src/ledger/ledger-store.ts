import type { Reader, SqlValue, Writer } from '../database/transaction.ts';

export const ENTRY_TYPES = ['grant', 'charge', 'refund', 'top_up'] as const;

export type EntryType = (typeof ENTRY_TYPES)[number];

/** Entry number `n` of an account; a restore leaves gaps. `amount` is signed, `balance` is the balance after it, `created` is in milliseconds. */
export interface StoredEntry {
  accountId: string;
  n: number;
  type: EntryType;
  amount: number;
  balance: number;
  operation: string | null;
  model: string | null;
  jobId: string | null;
  /** The `n` of the refunded charge. */
  refundOf: number | null;
  /** The request that a charge, or the charge of a refund, paid for; null where that is not on record. */
  requestId: string | null;
  created: number;
  /** The lie that wrote it. */
  lie?: string | undefined;
}

const ENTRY = `SELECT account_id AS accountId, n, type, amount, balance, operation, model,
  job_id AS jobId, refund_of AS refundOf, request_id AS requestId, created FROM ledger`;

/** The last entry of an account: its number, and the balance after it. */
export interface Tail {
  n: number;
  balance: number;
}

export function readTail(db: Pick<Reader, 'get'>, accountId: string): Tail {
  const tail = db.get<Tail>('SELECT n, balance FROM ledger WHERE account_id = ? ORDER BY n DESC LIMIT 1', accountId);
  return tail ?? { n: 0, balance: 0 };
}

/** One statement of thirty-two rows takes a third of the time of thirty-two statements. */
const MANY = 32;

const INSERT =
  'INSERT INTO ledger (account_id, n, type, amount, balance, operation, model, job_id, refund_of, request_id, created, lie) VALUES';

const ROW = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

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
  const {
    accountId,
    n,
    type,
    amount,
    balance,
    operation,
    model,
    jobId,
    refundOf,
    requestId,
    created,
    lie = null,
  } = entry;
  values.push(accountId, n, type, amount, balance, operation, model, jobId, refundOf, requestId, created, lie);
  return values;
}

export function findEntry(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND n = ?`, accountId, n);
}

/** The second charge of the same that a lie wrote right after a charge. */
export function findTwin(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(
    `SELECT account_id AS accountId, n, type, amount, balance, operation, model, job_id AS jobId, refund_of AS refundOf,
       request_id AS requestId, created, lie FROM ledger
     WHERE account_id = ? AND n = ? AND lie = 'charge.twice'`,
    ...[accountId, n + 1],
  );
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

/** The refund of a charge, if there is one. */
export function findRefund(db: Reader, accountId: string, n: number): StoredEntry | undefined {
  return db.get<StoredEntry>(`${ENTRY} WHERE account_id = ? AND refund_of = ?`, accountId, n);
}

/** Whether an account was credited between two times, both included; in milliseconds. */
export function wasCredited(db: Reader, accountId: string, { from, to }: { from: number; to: number }): boolean {
  const sql = `SELECT 1 AS found FROM ledger
    WHERE account_id = ? AND type <> 'charge' AND created BETWEEN ? AND ? LIMIT 1`;
  return db.get(sql, accountId, from, to) !== undefined;
}

/** The text of an entry that a search for words covers. */
const SEARCHED =
  "lower(type || ' ' || amount || ' ' || COALESCE(operation || ' ' || model || ' ' || job_id, operation, ''))";

/** Newest first; `before` is the n of the last entry of the page before, and an entry has to contain every word of `q`. */
export function listEntries(db: Reader, accountId: string, { limit, before, q = '', type }: EntryPage): StoredEntry[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const held = words.map(() => `AND instr(${SEARCHED}, ?) > 0 `).join('');
  // Written as in the partial index of entries that are no charges.
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

/** The last entry number of an account that a restore skipped; 0 if there is none. */
export function lastSkipped(db: Pick<Reader, 'get'>, accountId: string): number {
  const row = db.get<{ n: number | null }>('SELECT MAX(n) AS n FROM skipped_entries WHERE account_id = ?', accountId);
  return row?.n ?? 0;
}
