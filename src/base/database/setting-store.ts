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

/** The position of a record in its list; undefined for one that is not there. */
export function positionOf(
  db: Reader,
  table: 'deliveries' | 'elements' | 'endpoints' | 'events' | 'objects',
  id: string,
): number | undefined {
  return db.get<{ position: number }>(`SELECT position FROM ${table} WHERE id = ?`, id)?.position;
}

/** The position of a deleted record in its list; `created` in milliseconds of the emulator's clock. */
export interface DeletedId {
  position: number;
  created: number;
  /** Its account, if it had one. */
  accountId: string | null;
}

/** Where a deleted record was, by which a page of its list continues [I216]; triggers of the schema keep the last 100,000. */
export function deletedId(db: Reader, id: string): DeletedId | undefined {
  return db.get<DeletedId>('SELECT position, created, account_id AS accountId FROM departed WHERE id = ?', id);
}
