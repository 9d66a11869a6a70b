import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { KeptFile } from './file-store.ts';

export function deleteFile(tx: Transaction, name: string): boolean {
  return tx.run('DELETE FROM files WHERE name = ?', name) > 0;
}

export function updateUse(tx: Transaction, name: string, used: number): void {
  tx.run('UPDATE files SET used = max(used, ?) WHERE name = ?', used, name);
}

/** In alphabetical order. */
export function fileNamesAfter(db: Reader, after: string, limit: number): string[] {
  const rows = db.all<{ name: string }>('SELECT name FROM files WHERE name > ? ORDER BY name LIMIT ?', after, limit);
  return rows.map(({ name }) => name);
}

export function allFiles(db: Reader): Pick<KeptFile, 'name' | 'origin' | 'bytes'>[] {
  return db.all('SELECT name, origin, bytes FROM files');
}

export function renderBytes(db: Reader): number {
  const row = db.get<{ bytes: number | null }>("SELECT SUM(bytes) AS bytes FROM files WHERE origin = 'render'");
  return row?.bytes ?? 0;
}

/** Whether a render's file may be deleted: no object or open job needs it, and its recipe can make it again. */
const EVICTABLE = `origin = 'render'
  AND NOT EXISTS (SELECT 1 FROM objects WHERE file = files.name)
  AND (EXISTS (SELECT 1 FROM library WHERE file = files.name)
    OR EXISTS (SELECT 1 FROM pictures WHERE file = files.name))
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE completed IS NULL AND instr(outcome, files.name) > 0)`;

export function evictableFiles(db: Reader, limit: number): { name: string; bytes: number }[] {
  return db.all(`SELECT name, bytes FROM files WHERE ${EVICTABLE} ORDER BY used, name LIMIT ?`, limit);
}

/** Removes a render unless something needs it by now. */
export function evictFile(tx: Transaction, name: string): boolean {
  return tx.run(`DELETE FROM files WHERE name = ? AND ${EVICTABLE}`, name) > 0;
}
