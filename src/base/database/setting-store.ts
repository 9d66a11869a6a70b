import type { Reader, Transaction } from './transaction.ts';

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

export function positionOf(
  db: Reader,
  table: 'deliveries' | 'elements' | 'endpoints' | 'events' | 'objects',
  id: string,
): number | undefined {
  return db.get<{ position: number }>(`SELECT position FROM ${table} WHERE id = ?`, id)?.position;
}

interface DeletedId {
  position: number;
  created: number;
  accountId: string | null;
}

/** Where a page of a list continues after a deleted record [I216]. Triggers of the schema keep the last 100,000. */
export function deletedId(db: Reader, id: string): DeletedId | undefined {
  return db.get<DeletedId>('SELECT position, created, account_id AS accountId FROM deleted_records WHERE id = ?', id);
}
