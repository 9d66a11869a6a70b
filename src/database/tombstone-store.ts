import type { Reader } from './transaction.ts';

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
