import type { Reader, Transaction } from '../../base/database/transaction.ts';

/** An immutable file: a render (named by its fingerprint, and made again when needed) or an upload (named by its SHA-256). */
export interface KeptFile {
  name: string;
  origin: 'render' | 'upload';
  bytes: number;
  contentType: string;
  /** The measured length of sound and clips. */
  seconds?: number;
}

interface FileRow extends Omit<KeptFile, 'seconds'> {
  seconds: number | null;
}

export function findFile(db: Reader, name: string): KeptFile | undefined {
  const row = db.get<FileRow>(
    'SELECT name, origin, bytes, content_type AS contentType, seconds FROM files WHERE name = ?',
    name,
  );
  return row && { ...row, seconds: row.seconds ?? undefined };
}

/** Returns whether the file is new; a known one counts as used at `used` (real time). */
export function insertFile(tx: Transaction, file: KeptFile, used: number): boolean {
  const known = tx.run('UPDATE files SET used = max(used, ?) WHERE name = ?', used, file.name);
  if (known > 0) return false;
  tx.run(
    'INSERT INTO files (name, origin, bytes, content_type, seconds, used) VALUES (?, ?, ?, ?, ?, ?)',
    file.name,
    file.origin,
    file.bytes,
    file.contentType,
    file.seconds ?? null,
    used,
  );
  return true;
}

export function deleteFile(tx: Transaction, name: string): boolean {
  return tx.run('DELETE FROM files WHERE name = ?', name) > 0;
}

export function updateUse(tx: Transaction, name: string, used: number): void {
  tx.run('UPDATE files SET used = max(used, ?) WHERE name = ?', used, name);
}

/** Whether an object, a library entry, a picture's user, a fixture or a job that is not final still needs the file. */
export function isReferenced(db: Reader, name: string): boolean {
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

/** Names in alphabetical order, after `after`. */
export function fileNamesAfter(db: Reader, after: string, limit: number): string[] {
  const rows = db.all<{ name: string }>('SELECT name FROM files WHERE name > ? ORDER BY name LIMIT ?', after, limit);
  return rows.map(({ name }) => name);
}

/** All files that the database lists. */
export function allFiles(db: Reader): Pick<KeptFile, 'name' | 'origin' | 'bytes'>[] {
  return db.all('SELECT name, origin, bytes FROM files');
}

/** The bytes of all renders' files. */
export function renderBytes(db: Reader): number {
  const row = db.get<{ bytes: number | null }>("SELECT SUM(bytes) AS bytes FROM files WHERE origin = 'render'");
  return row?.bytes ?? 0;
}

/** Whether the file of a render may be deleted: no object or open job needs it, and a library entry or the owner of a picture can make it again. */
const EVICTABLE = `origin = 'render'
  AND NOT EXISTS (SELECT 1 FROM objects WHERE file = files.name)
  AND (EXISTS (SELECT 1 FROM library WHERE file = files.name)
    OR EXISTS (SELECT 1 FROM pictures WHERE file = files.name))
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE completed IS NULL AND instr(outcome, files.name) > 0)`;

/** Renders whose files may be deleted, least recently used first. */
export function evictableFiles(db: Reader, limit: number): { name: string; bytes: number }[] {
  return db.all(`SELECT name, bytes FROM files WHERE ${EVICTABLE} ORDER BY used, name LIMIT ?`, limit);
}

/** Removes a render unless something needs it by now. */
export function evictFile(tx: Transaction, name: string): boolean {
  return tx.run(`DELETE FROM files WHERE name = ? AND ${EVICTABLE}`, name) > 0;
}

const EXTENSION: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
};

/** The file name extension of a media type. */
export function extensionOf(contentType: string): string {
  return EXTENSION[contentType] ?? 'bin';
}
