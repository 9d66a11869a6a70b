import type { Reader, Transaction } from '../database/transaction.ts';
import { AS_RENDERED, type Progression } from './progression.ts';

/** The account under which the progression of all others is kept. */
const ALL = '';

const OF = 'SELECT mode, value FROM progression WHERE account_id = ?';

/** A progression and the account whose own it is; undefined for that of all. */
export interface ProgressionInForce extends Progression {
  accountId: string | undefined;
}

/** What is in force for an account: its own, else that of all. */
export function readProgression(db: Reader, accountId: string): Progression {
  return db.get<Progression>(OF, accountId) ?? db.get<Progression>(OF, ALL) ?? AS_RENDERED;
}

/** The same with whose it is; without an account that of all. */
export function findProgression(db: Reader, accountId?: string): ProgressionInForce {
  const own = accountId === undefined ? undefined : db.get<Progression>(OF, accountId);
  if (own) return { ...own, accountId };
  return { ...(db.get<Progression>(OF, ALL) ?? AS_RENDERED), accountId: undefined };
}

/** Of one account, or of all that have none of their own. */
export function writeProgression(tx: Transaction, { mode, value }: Progression, accountId = ALL): void {
  tx.run(
    `INSERT INTO progression (account_id, mode, value) VALUES (?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET mode = excluded.mode, value = excluded.value`,
    accountId,
    mode,
    value,
  );
}

export function removeProgression(tx: Transaction, accountId: string): void {
  tx.run('DELETE FROM progression WHERE account_id = ?', accountId);
}
