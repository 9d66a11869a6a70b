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

/** Key material kept under a name: the id of an endpoint, or what it signs. */
export function readSecret(db: Reader, name: string): string | undefined {
  return db.get<{ value: string }>('SELECT value FROM secrets WHERE name = ?', name)?.value;
}

export function writeSecret(tx: Transaction, name: string, value: string): void {
  tx.run('INSERT INTO secrets (name, value) VALUES (?, ?)', name, value);
}

export function deleteSecret(tx: Transaction, name: string): void {
  tx.run('DELETE FROM secrets WHERE name = ?', name);
}
