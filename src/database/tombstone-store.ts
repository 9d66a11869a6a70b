import type { Reader } from './transaction.ts';

/** Where something stood in its list before it was deleted; `created` in milliseconds of the emulator's clock. */
export interface Tombstone {
  position: number;
  created: number;
  /** Whose it was, of what belongs to an account. */
  accountId: string | null;
}

/** The place of what is no more, by which its list can be gone on with [I216]; the schema's triggers keep the last 100,000. */
export function tombstones(db: Reader, id: string): Tombstone | undefined {
  return db.get<Tombstone>('SELECT position, created, account_id AS accountId FROM departed WHERE id = ?', id);
}
