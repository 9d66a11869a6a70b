import type { Reader, SqlValue, Transaction } from '../database/transaction.ts';
import type { RenderRequest } from '../render/render-request.ts';

/** A finished render, kept together with what it was made from; `created` is in milliseconds. */
export interface LibraryEntry {
  id: string;
  accountId: string;
  medium: string;
  model: string;
  jobId: string;
  /** The permanent object under which it was stored, while that exists. */
  object: { id: string; name: string } | null;
  /** The name of its file, which may be off the disk: `render` makes it again. */
  file: string;
  bytes: number;
  contentType: string;
  seconds: number | null;
  seed: number | null;
  credits: number;
  /** The effective parameters, as the job's record shows them. */
  recipe: Record<string, unknown>;
  render: RenderRequest;
  created: number;
}

/** What is needed to serve an entry's file. */
export interface LibraryFile {
  id: string;
  file: string;
  bytes: number;
  contentType: string;
}

interface EntryRow extends Omit<LibraryEntry, 'object' | 'recipe' | 'render'> {
  objectId: string | null;
  objectName: string | null;
  recipe: string;
  render: string;
}

const ENTRY = `SELECT library.id, library.account_id AS accountId, medium, model, job_id AS jobId,
    objects.id AS objectId, objects.name AS objectName, library.file, library.bytes,
    library.content_type AS contentType, seconds, seed, credits, recipe, render, library.created
  FROM library LEFT JOIN objects ON objects.id = library.object_id`;

export function insertEntry(
  tx: Transaction,
  entry: Omit<LibraryEntry, 'object'> & { objectId: string | null },
): void {
  tx.run(
    `INSERT INTO library (id, account_id, medium, model, job_id, object_id, file, bytes, content_type, seconds, seed,
       credits, recipe, render, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    entry.id,
    entry.accountId,
    entry.medium,
    entry.model,
    entry.jobId,
    entry.objectId,
    entry.file,
    entry.bytes,
    entry.contentType,
    entry.seconds,
    entry.seed,
    entry.credits,
    JSON.stringify(entry.recipe),
    JSON.stringify(entry.render),
    entry.created,
  );
}

/** Keeps a given picture as long as its owner, an entry or an element, is there. */
export function insertPicture(tx: Transaction, file: string, owner: string): void {
  tx.run('INSERT OR IGNORE INTO pictures (file, owner) VALUES (?, ?)', file, owner);
}

export function selectEntry(db: Reader, id: string): LibraryEntry | undefined {
  const row = db.get<EntryRow>(`${ENTRY} WHERE library.id = ?`, id);
  return row && asEntry(row);
}

export function selectLibraryFile(db: Reader, id: string): LibraryFile | undefined {
  return db.get<LibraryFile>(
    'SELECT id, file, bytes, content_type AS contentType FROM library WHERE id = ?',
    id,
  );
}

/** What makes a file again; undefined for one that no entry has. */
export function selectRender(db: Reader, file: string): RenderRequest | undefined {
  const row = db.get<{ render: string }>(
    'SELECT render FROM library WHERE file = ? ORDER BY position LIMIT 1',
    file,
  );
  return row && (JSON.parse(row.render) as RenderRequest);
}

/** A newer renderer makes a render of another length; whatever serves the file goes by this one. */
export function updateRender(tx: Transaction, file: string, bytes: number): void {
  tx.run('UPDATE library SET bytes = ? WHERE file = ? AND bytes <> ?', bytes, file, bytes);
}

export function entryPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM library WHERE id = ?', id)?.position;
}

/** Newest first, from before a position; of one account or of all. */
export function entriesBefore(
  db: Reader,
  scope: { accountId?: string; before: number; limit: number },
): LibraryEntry[] {
  const [ofAccount, values]: [string, SqlValue[]] =
    scope.accountId === undefined ? ['', []] : ['library.account_id = ? AND', [scope.accountId]];
  const rows = db.all<EntryRow>(
    `${ENTRY} WHERE ${ofAccount} library.position < ? ORDER BY library.position DESC LIMIT ?`,
    ...values,
    scope.before,
    scope.limit,
  );
  return rows.map(asEntry);
}

function asEntry({ objectId, objectName, ...row }: EntryRow): LibraryEntry {
  return {
    ...row,
    object: objectId && objectName ? { id: objectId, name: objectName } : null,
    recipe: JSON.parse(row.recipe) as Record<string, unknown>,
    render: JSON.parse(row.render) as RenderRequest,
  };
}
