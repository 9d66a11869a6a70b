import { type IdKind, makeId } from '../ids.ts';
import type { Random } from '../random.ts';
import type { Transaction } from './transaction.ts';

/** The next number of a kind within its owner, from 1. */
export function nextNumber(tx: Transaction, owner: string, kind: string): number {
  const row = tx.get<{ n: number }>(
    `INSERT INTO sequences (owner, kind, n) VALUES (?, ?, 1)
     ON CONFLICT (owner, kind) DO UPDATE SET n = n + 1 RETURNING n`,
    owner,
    kind,
  );
  return row?.n ?? 1;
}

/** A new id of a kind within its owner: always the same for the same seed and the same number of ids before it. */
export function nextId(tx: Transaction, random: Random, kind: IdKind, owner: string): string {
  return makeId(random, kind, owner, nextNumber(tx, owner, kind));
}
