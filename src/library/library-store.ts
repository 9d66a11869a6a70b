import type { Reader, Transaction } from '../database/transaction.ts';
import type { Medium } from '../jobs/job.ts';
import type { JobRender } from '../render/render-request.ts';

/** A finished render with its recipe; `created` is in milliseconds. */
export interface LibraryEntry {
  id: string;
  accountId: string;
  medium: Medium;
  model: string;
  jobId: string;
  /** Its permanent object, while that exists. */
  object: { id: string; name: string } | null;
  /** The name of its file; `render` makes it again if it is not on the disk. */
  file: string;
  bytes: number;
  contentType: string;
  seconds: number | null;
  seed: number | null;
  credits: number;
  /** The effective parameters, as in the job's record. */
  recipe: Record<string, unknown>;
  render: JobRender;
  created: number;
}

/** An entry of a list: without the render request. */
export type ListedEntry = Omit<LibraryEntry, 'render'>;

/** The fields that serve an entry's file. */
export interface LibraryFile {
  id: string;
  accountId: string;
  file: string;
  bytes: number;
  contentType: string;
}

export interface ListedRow extends Omit<LibraryEntry, 'object' | 'recipe' | 'render'> {
  objectId: string | null;
  objectName: string | null;
  recipe: string;
}

/** Columns of a `ListedEntry`, which `toListed` reads. */
export const LISTED = `library.id, library.account_id AS accountId, library.medium, library.model, jobs.id AS jobId,
    objects.id AS objectId, objects.name AS objectName, library.file, library.bytes,
    library.content_type AS contentType, seconds, seed, credits, parameters AS recipe, library.created`;
/** Joins the job of an entry and its permanent object. */
export const OF_JOB = `JOIN jobs ON jobs.position = library.job
  LEFT JOIN objects ON objects.id = library.object_id`;

/** The columns of an entry; the rest is its job's. */
export interface EntryRow
  extends Pick<
    LibraryEntry,
    'id' | 'accountId' | 'medium' | 'model' | 'file' | 'bytes' | 'contentType' | 'seconds' | 'created'
  > {
  /** The position of its job. */
  job: number;
  objectId: string | null;
}

export function insertEntry(tx: Transaction, entry: EntryRow): void {
  tx.run(
    `INSERT INTO library (id, account_id, job, medium, model, object_id, file, bytes, content_type, seconds, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[entry.id, entry.accountId, entry.job, entry.medium, entry.model, entry.objectId],
    ...[entry.file, entry.bytes, entry.contentType, entry.seconds, entry.created],
  );
}

/** Keeps a given picture as long as its owner, an entry or an element, exists. */
export function insertPicture(tx: Transaction, file: string, owner: string): void {
  tx.run('INSERT OR IGNORE INTO pictures (file, owner) VALUES (?, ?)', file, owner);
}

/** Whether an owner keeps a file. */
export function selectPicture(db: Reader, file: string, owner: string): boolean {
  const kept = db.get('SELECT 1 FROM pictures WHERE file = ? AND owner = ?', file, owner);
  return kept !== undefined;
}

/** Releases a file of an owner; the caller collects the file. */
export function deletePicture(tx: Transaction, file: string, owner: string): void {
  tx.run('DELETE FROM pictures WHERE file = ? AND owner = ?', file, owner);
}

export function selectEntry(db: Reader, id: string): LibraryEntry | undefined {
  const row = db.get<ListedRow & { render: string }>(
    `SELECT ${LISTED}, render FROM library ${OF_JOB} WHERE library.id = ?`,
    id,
  );
  return row && { ...toListed(row), render: JSON.parse(row.render) as JobRender };
}

export function selectLibraryFile(db: Reader, id: string): LibraryFile | undefined {
  return db.get<LibraryFile>(
    'SELECT id, account_id AS accountId, file, bytes, content_type AS contentType FROM library WHERE id = ?',
    id,
  );
}

/** The request that makes a file again; undefined for a file of no entry. */
export function selectRender(db: Reader, file: string): JobRender | undefined {
  const row = db.get<{ render: string }>(
    `SELECT render FROM library JOIN jobs ON jobs.position = library.job
     WHERE library.file = ? ORDER BY library.position LIMIT 1`,
    file,
  );
  return row && (JSON.parse(row.render) as JobRender);
}

/** Updates the length of a render, which a newer renderer may change. */
export function updateRender(tx: Transaction, file: string, bytes: number): void {
  tx.run('UPDATE library SET bytes = ? WHERE file = ? AND bytes <> ?', bytes, file, bytes);
}

/** The position of an entry among all. */
export function entryPosition(db: Reader, id: string): { position: number; created: number } | undefined {
  return db.get('SELECT position, created FROM library WHERE id = ?', id);
}

export function toListed({ objectId, objectName, ...row }: ListedRow): ListedEntry {
  return {
    ...row,
    object: objectId && objectName ? { id: objectId, name: objectName } : null,
    recipe: JSON.parse(row.recipe) as Record<string, unknown>,
  };
}

/** Deletes an entry with its rows in other tables; returns the files that it may have been the last to need. */
export function deleteEntry(tx: Transaction, { id, jobId, file }: LibraryEntry): string[] {
  const pictures = tx.all<{ file: string }>('SELECT file FROM pictures WHERE owner = ?', id);
  const position = entryPosition(tx, id)?.position ?? null;
  tx.run('DELETE FROM library_words WHERE rowid = ?', position);
  tx.run('DELETE FROM pictures WHERE owner = ?', id);
  tx.run('DELETE FROM element_uses WHERE entry_id = ?', id);
  tx.run('DELETE FROM library WHERE id = ?', id);
  tx.run('INSERT INTO deleted_entries (job_id) VALUES (?)', jobId);
  return [file, ...pictures.map((picture) => picture.file)];
}
