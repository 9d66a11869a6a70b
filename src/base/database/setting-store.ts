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
