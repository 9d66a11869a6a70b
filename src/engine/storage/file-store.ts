import type { Reader } from '../../base/database/reader.ts';
import { integer, type NewRowOf, real, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';

/** A render is named by its fingerprint and can be made again. An upload is named by its SHA-256. */
export const files = table('files', {
  name: text,
  origin: text.of<'render' | 'upload'>(),
  bytes: integer,
  contentType: text,
  seconds: real.nullable(),
  /** The real time of the last use, in milliseconds. */
  used: integer,
});

const kept = files.omit('used');

export type FileRow = NewRowOf<typeof kept>;

export function findFile(db: Reader, name: string): FileRow | undefined {
  return kept.get(db, `${kept.select} WHERE name = ?`, name);
}

export function insertOrTouchFile(tx: Transaction, file: FileRow, used: number): boolean {
  if (updateLastUse(tx, file.name, used)) return false;
  files.insert(tx, { ...file, used });
  return true;
}

export function isFileReferenced(db: Reader, name: string): boolean {
  const row = db.get<{ needed: number }>(
    `SELECT EXISTS (SELECT 1 FROM objects WHERE file = asked.name)
         OR EXISTS (SELECT 1 FROM library WHERE file = asked.name)
         OR EXISTS (SELECT 1 FROM pictures WHERE file = asked.name)
         OR EXISTS (SELECT 1 FROM fixture_files WHERE file = asked.name)
         OR EXISTS (SELECT 1 FROM jobs WHERE completed IS NULL
              AND (instr(render, asked.name) > 0 OR instr(outcome, asked.name) > 0)) AS needed
       FROM (SELECT ? AS name) AS asked`,
    name,
  );
  return row?.needed === 1;
}

const EXTENSION: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

export function extensionOfContentType(contentType: string): string {
  return EXTENSION[contentType] ?? 'bin';
}

export function deleteFileRow(tx: Transaction, name: string): boolean {
  return tx.run('DELETE FROM files WHERE name = ?', name) > 0;
}

export function updateLastUse(tx: Transaction, name: string, used: number): boolean {
  return tx.run('UPDATE files SET used = max(used, ?) WHERE name = ?', used, name) > 0;
}

export function listFileNamesAfter(db: Reader, after: string, limit: number): string[] {
  const rows = db.all<{ name: string }>('SELECT name FROM files WHERE name > ? ORDER BY name LIMIT ?', after, limit);
  return rows.map(({ name }) => name);
}

export function listAllFiles(db: Reader): Pick<FileRow, 'name' | 'origin' | 'bytes'>[] {
  return db.all('SELECT name, origin, bytes FROM files');
}

export function sumRenderBytes(db: Reader): number {
  const row = db.get<{ bytes: number | null }>("SELECT SUM(bytes) AS bytes FROM files WHERE origin = 'render'");
  return row?.bytes ?? 0;
}

/** Whether a render's file may be deleted: no object or open job needs it, and its recipe can make it again. */
const EVICTABLE = `origin = 'render'
  AND NOT EXISTS (SELECT 1 FROM objects WHERE file = files.name)
  AND (EXISTS (SELECT 1 FROM library WHERE file = files.name)
    OR EXISTS (SELECT 1 FROM pictures WHERE file = files.name))
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE completed IS NULL AND instr(outcome, files.name) > 0)`;

export function listEvictableFiles(db: Reader, limit: number): { name: string; bytes: number }[] {
  return db.all(`SELECT name, bytes FROM files WHERE ${EVICTABLE} ORDER BY used, name LIMIT ?`, limit);
}

export function deleteEvictableFileRow(tx: Transaction, name: string): boolean {
  return tx.run(`DELETE FROM files WHERE name = ? AND ${EVICTABLE}`, name) > 0;
}
