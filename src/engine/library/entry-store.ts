import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { JobRender } from '../../media/render-request.ts';
import type { LibraryEntry, LibraryFile } from './library-store.ts';

/** Without the render request. */
export type ListedEntry = Omit<LibraryEntry, 'render'>;

export interface ListedRow extends Omit<LibraryEntry, 'object' | 'recipe' | 'render'> {
  objectId: string | null;
  objectName: string | null;
  recipe: string;
}

export const LISTED = `library.id, library.account_id AS accountId, library.medium, library.model, jobs.id AS jobId,
    objects.id AS objectId, objects.name AS objectName, library.file, library.bytes,
    library.content_type AS contentType, seconds, seed, credits, parameters AS recipe, library.created`;
export const OF_JOB = `JOIN jobs ON jobs.position = library.job
  LEFT JOIN objects ON objects.id = library.object_id`;

export function selectPicture(db: Reader, file: string, owner: string): boolean {
  const kept = db.get('SELECT 1 FROM pictures WHERE file = ? AND owner = ?', file, owner);
  return kept !== undefined;
}

/** The caller collects the file. */
export function deletePicture(tx: Transaction, file: string, owner: string): void {
  tx.run('DELETE FROM pictures WHERE file = ? AND owner = ?', file, owner);
}

export function findEntry(db: Reader, id: string): LibraryEntry | undefined {
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

export function selectRender(db: Reader, file: string): JobRender | undefined {
  const row = db.get<{ render: string }>(
    `SELECT render FROM library JOIN jobs ON jobs.position = library.job
     WHERE library.file = ? ORDER BY library.position LIMIT 1`,
    file,
  );
  return row && (JSON.parse(row.render) as JobRender);
}

/** A newer renderer may change the length. */
export function updateRender(tx: Transaction, file: string, bytes: number): void {
  tx.run('UPDATE library SET bytes = ? WHERE file = ? AND bytes <> ?', bytes, file, bytes);
}

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
