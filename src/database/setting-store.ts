import { type IdKind, makeId } from '../ids.ts';
import type { Random } from '../random.ts';
import type { Reader, Transaction } from './transaction.ts';

/** A small value kept under a name, as JSON. */
export function readSetting<T>(db: Reader, name: string): T | undefined {
  const row = db.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name);
  return row && (JSON.parse(row.value) as T);
}

export function writeSetting(tx: Transaction, name: string, value: unknown): void {
  tx.run(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value),
  );
}

/** Key material kept under a name: the id of an endpoint, or what it signs. */
export function readSecret(db: Reader, name: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM secrets WHERE name = ?', name)?.value;
}

export function writeSecret(tx: Transaction, name: string, value: string): void {
  tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', name, value);
}

export function deleteSecret(tx: Transaction, name: string): void {
  tx.run('DELETE FROM secrets WHERE name = ?', name);
}

// Two plain statements take half the time of one with RETURNING, which keeps its row in a table of its own first.
const LAST = 'SELECT n FROM sequences WHERE owner = ? AND kind = ?';
const FIRST = 'INSERT INTO sequences (owner, kind, n) VALUES (?, ?, 1)';
const NEXT = 'UPDATE sequences SET n = n + 1 WHERE owner = ? AND kind = ?';

/** The next number of a kind within its owner, from 1. */
export function nextNumber(tx: Transaction, owner: string, kind: string): number {
  const last = tx.get<{ n: number }>(LAST, owner, kind)?.n;
  if (last === undefined) tx.run(FIRST, owner, kind);
  else tx.run(NEXT, owner, kind);
  return (last ?? 0) + 1;
}

/** A new id of a kind within its owner: always the same for the same seed and the same number of ids before it. */
export function nextId(tx: Transaction, random: Random, kind: IdKind, owner: string): string {
  return makeId(random, kind, owner, nextNumber(tx, owner, kind));
}

/** The last number of a kind of name within its owner. */
export interface DealtNumber {
  owner: string;
  kind: string;
  n: number;
}

/**
 * The numbers from which ids, keys and secrets are derived, in order, after one of them. A kind with a colon in it counts
 * what belongs to a state, such as the draws of a rule, and is restored with it.
 */
export function dealtNumbers(
  db: Reader,
  { owner, kind }: Pick<DealtNumber, 'owner' | 'kind'>,
  limit: number,
): DealtNumber[] {
  return db.all<DealtNumber>(
    `SELECT owner, kind, n FROM sequences WHERE (owner, kind) > (?, ?) AND instr(kind, ':') = 0
     ORDER BY owner, kind LIMIT ?`,
    ...[owner, kind, limit],
  );
}

/** Continues after numbers that were given out elsewhere. */
export function skipNumbers(tx: Transaction, dealt: readonly DealtNumber[]): void {
  tx.run(
    `INSERT INTO sequences (owner, kind, n)
     SELECT value ->> 'owner', value ->> 'kind', value ->> 'n' FROM json_each(?) WHERE true
     ON CONFLICT (owner, kind) DO UPDATE SET n = MAX(n, excluded.n)`,
    JSON.stringify(dealt),
  );
}

/** The position of a deleted record in its list; `created` in milliseconds of the emulator's clock. */
export interface Tombstone {
  position: number;
  created: number;
  /** Its account, if it had one. */
  accountId: string | null;
}

/** The tombstone of a deleted record, by which a page of its list continues [I216]; triggers of the schema keep the last 100,000. */
export function tombstones(db: Reader, id: string): Tombstone | undefined {
  return db.get<Tombstone>('SELECT position, created, account_id AS accountId FROM departed WHERE id = ?', id);
}
