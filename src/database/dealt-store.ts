import type { Reader, Transaction } from './transaction.ts';

/** Up to which number one kind of name was given out within its owner. */
export interface DealtNumber {
  owner: string;
  kind: string;
  n: number;
}

/**
 * What names are derived from, after one of them, in order: ids, keys and secrets. A kind with a colon in it counts what
 * belongs to a state, such as the draws of a rule, and goes back with it.
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

/** Goes on after what is given out elsewhere. */
export function skipNumbers(tx: Transaction, dealt: readonly DealtNumber[]): void {
  tx.run(
    `INSERT INTO sequences (owner, kind, n)
     SELECT value ->> 'owner', value ->> 'kind', value ->> 'n' FROM json_each(?) WHERE true
     ON CONFLICT (owner, kind) DO UPDATE SET n = MAX(n, excluded.n)`,
    JSON.stringify(dealt),
  );
}
