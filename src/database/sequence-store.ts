import { type IdKind, makeId } from '../ids.ts';
import type { Random } from '../random.ts';
import type { Reader, Transaction } from './transaction.ts';

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
