import { type IdKind, makeId } from '../ids.ts';
import type { Random } from '../random.ts';
import type { Transaction } from './transaction.ts';

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
