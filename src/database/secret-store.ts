import type { Reader, Transaction } from './transaction.ts';

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
