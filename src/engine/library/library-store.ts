import { deriveRelatedId } from '../../base/database/id-store.ts';
import {
  conditionsWithValues,
  likePatterns,
  readIds,
  type SqlCondition,
  unknownCursorError,
} from '../../base/database/list-queries.ts';
import type { PositionRange, Reader } from '../../base/database/reader.ts';
import { integer, type RowOf, real, rowId, table, text } from '../../base/database/table.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { JobRenderInput, StoredFile } from '../../media/render-request.ts';
import { referencePictureNames } from '../../media/request-measures.ts';
import type { Job, MediaKind } from '../jobs/job-store.ts';
import { createUrlSigner, objectPath, thumbnailPath } from '../storage/cdn-url.ts';
import { extensionOfContentType } from '../storage/file-store.ts';

export const library = table('library', {
  position: rowId,
  id: text,
  accountId: text,
  /** The `position` of the job in the table `jobs`. */
  job: integer,
  medium: text.of<MediaKind>(),
  model: text,
  objectId: text.nullable(),
  /** The name of the file. A missing file is rendered again from the job's row, unless a scripted answer gave it. */
  file: text,
  bytes: integer,
  contentType: text,
  seconds: real.nullable(),
  created: integer,
});

const entries = library.omit('position', 'job', 'objectId');

interface OfJob {
  jobId: string;
  seed: number | null;
  credits: number;
}

export type ListedLibraryEntry = RowOf<typeof entries> &
  OfJob & {
    object: { id: string; name: string } | null;
    recipe: Record<string, unknown>;
  };

export type LibraryEntry = ListedLibraryEntry & { render: JobRenderInput };

const libraryFiles = library.pick('id', 'accountId', 'file', 'bytes', 'contentType', 'created');

export type LibraryFile = RowOf<typeof libraryFiles>;

interface NewEntry {
  job: Pick<Job, 'position' | 'id' | 'accountId' | 'medium' | 'model' | 'render'>;
  file: StoredFile;
  objectId?: string | undefined;
}

/** The id of the library entry has the same digits as the id of the job. */
export function libraryEntryIdOfJob(jobId: string): string {
  return deriveRelatedId(jobId, 'library');
}

/** The recipe and the seed stay in the row of the job [R053 I047]. Returns the id of the entry. */
export function addLibraryEntry(tx: Transaction, { job, file, objectId }: NewEntry): string {
  const { accountId, medium, model, render } = job;
  const id = libraryEntryIdOfJob(job.id);
  const { name, bytes, contentType, seconds } = file;
  const made = { file: name, bytes, contentType, seconds, created: tx.now };
  library.insert(tx, { id, accountId, job: job.position, medium, model, objectId, ...made });
  // Keeps the reference pictures, because the render may have to be made again from them.
  for (const picture of referencePictureNames(render)) insertFileUse(tx, picture, id);
  return id;
}

/** Records that `owner`, a library entry or an element, uses the file. An upload stays as long as it has an owner. */
export function insertFileUse(tx: Transaction, file: string, owner: string): void {
  tx.run('INSERT OR IGNORE INTO pictures (file, owner) VALUES (?, ?)', file, owner);
}

export function libraryFileName({ id, contentType }: Pick<LibraryFile, 'id' | 'contentType'>): string {
  return `${id}.${extensionOfContentType(contentType)}`;
}

type Addressed = Pick<LibraryEntry, 'id' | 'contentType' | 'object'>;

/** The URL is permanent if the file was stored, otherwise valid for at least 7 days from `now` [R232]. */
export function relativeFileUrl(db: Reader, entry: Addressed, now: number): string {
  return fileUrl(entry, createUrlSigner(db, now));
}

function fileUrl(entry: Addressed, sign: (path: string) => string): string {
  if (entry.object) return objectPath(entry.object);
  return sign(libraryPath({ id: entry.id, name: libraryFileName(entry) }));
}

export function relativeFileAndThumbnailUrls(
  entry: Addressed,
  sign: (path: string) => string,
): { file: string; thumbnail: string } {
  return { file: fileUrl(entry, sign), thumbnail: sign(thumbnailPath(entry.id)) };
}

function libraryPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/library/${id}/${name}`;
}

export function hasFileUse(db: Reader, file: string, owner: string): boolean {
  const kept = db.get('SELECT 1 FROM pictures WHERE file = ? AND owner = ?', file, owner);
  return kept !== undefined;
}

export function deleteFileUse(tx: Transaction, file: string, owner: string): void {
  tx.run('DELETE FROM pictures WHERE file = ? AND owner = ?', file, owner);
}

interface WithJob extends OfJob {
  objectId: string | null;
  objectName: string | null;
  parameters: string;
}

const LISTED = `${entries.list}, jobs.id AS jobId, seed, credits, parameters, objects.id AS objectId, objects.name AS objectName`;
const OF_JOB = `JOIN jobs ON jobs.position = library.job
  LEFT JOIN objects ON objects.id = library.object_id`;

export function findLibraryEntry(db: Reader, id: string): LibraryEntry | undefined {
  const sql = `SELECT ${LISTED}, render FROM library ${OF_JOB} WHERE library.id = ?`;
  const row = entries.get<WithJob & { render: string }>(db, sql, id);
  return row && { ...toListed(row), render: JSON.parse(row.render) as JobRenderInput };
}

export function findLibraryFile(db: Reader, id: string): LibraryFile | undefined {
  return libraryFiles.get(db, `${libraryFiles.select} WHERE id = ?`, id);
}

export function findRenderInputOfFile(db: Reader, file: string): JobRenderInput | undefined {
  const row = db.get<{ render: string }>(
    `SELECT render FROM library JOIN jobs ON jobs.position = library.job
     WHERE library.file = ? ORDER BY library.position LIMIT 1`,
    file,
  );
  return row && (JSON.parse(row.render) as JobRenderInput);
}

/** Updates the size, because a newer renderer may make a file of another length. */
export function updateRenderSize(tx: Transaction, file: string, bytes: number): void {
  tx.run('UPDATE library SET bytes = ? WHERE file = ? AND bytes <> ?', bytes, file, bytes);
}

function entryPosition(db: Reader, id: string): EntryPosition | undefined {
  return db.get('SELECT position, created FROM library WHERE id = ?', id);
}

function toListed({ objectId, objectName, parameters, ...row }: RowOf<typeof entries> & WithJob): ListedLibraryEntry {
  return {
    ...row,
    object: objectId && objectName ? { id: objectId, name: objectName } : null,
    recipe: JSON.parse(parameters) as Record<string, unknown>,
  };
}

/** Times are in milliseconds. `since` is included, `until` is not. */
interface LibraryFilter {
  accountId?: string | undefined;
  /** `image`, `video`, `speech` or `music`. */
  kind?: string | undefined;
  model?: string | undefined;
  /** The title, prompt, input, style or lyrics must contain this text. `likePatterns` says which letters count as equal. */
  text?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

interface EntryPosition {
  position: number;
  created: number;
}

const DEFAULT_LIMIT = 1000;

const FIRST = { position: Number.MAX_SAFE_INTEGER, created: Number.MAX_SAFE_INTEGER };

/**
 * Lists entries newest first. With `since` or `until` it sorts by `created`, which gives another order only if the clock
 * was set back. Throws `invalid_request` for an unknown `after`.
 */
export function listLibraryEntries(
  db: Reader,
  page: LibraryFilter & { limit?: number | undefined; after?: string | undefined } = {},
): ListedLibraryEntry[] {
  const { limit = DEFAULT_LIMIT, after, text, ...filter } = page;
  const last = after === undefined ? FIRST : entryPosition(db, after);
  if (last === undefined) throw unknownCursorError('a library entry', after ?? '');
  const { accountId, kind, model, since, until } = filter;
  const byTime = since !== undefined || until !== undefined;
  const start = byTime ? startInTime(filter, last) : { sql: 'position < ?', values: [last.position] };
  const conditions = [start, ...textConditions(text)];
  const [given, values] = conditionsWithValues(
    ['account_id = ?', accountId],
    ['medium = ?', kind],
    ['model = ?', model],
    ['created >= ?', since],
  );
  const time = byTime ? 'library.created DESC, ' : '';
  // The inner query finds the rows of the page, so that the parameters of jobs are read only for these.
  const rows = entries.all<WithJob>(
    db,
    `SELECT ${LISTED} FROM library ${OF_JOB}
     WHERE library.position IN (
       SELECT position FROM library WHERE ${given}${conditions.map(({ sql }) => sql).join(' AND ')}
       ORDER BY ${time}position DESC LIMIT ?)
     ORDER BY ${time}library.position DESC`,
    ...values,
    ...conditions.flatMap((each) => each.values),
    limit,
  );
  return rows.map(toListed);
}

/**
 * Returns the narrower of the conditions `until` and `after`. If given both, SQLite would use only the first one to
 * find the start.
 */
function startInTime({ until }: LibraryFilter, after: EntryPosition): SqlCondition {
  if (until !== undefined && until <= after.created) return { sql: 'created < ?', values: [until] };
  return { sql: '(created, position) < (?, ?)', values: [after.created, after.position] };
}

const RECIPE = '(SELECT parameters FROM jobs WHERE jobs.position = library.job)';
const WORDS = `(SELECT concat_ws(char(10), parameters ->> 'title', parameters ->> 'prompt', parameters ->> 'input',
  parameters ->> 'style', parameters ->> 'lyrics') FROM jobs WHERE jobs.position = library.job)`;

/** Searches the JSON text of a recipe before its fields, because parsing the JSON is slow. */
function textConditions(text = ''): SqlCondition[] {
  if (text === '') return [];
  // Matches nothing, because no recipe contains a NUL, and SQLite would end the searched text at it.
  if (text.includes('\0')) return [{ sql: '0', values: [] }];
  const patterns = likePatterns(text);
  return [RECIPE, WORDS].map((column) => ({
    sql: `(${patterns.map(() => `${column} LIKE ? ESCAPE '!'`).join(' OR ')})`,
    values: patterns,
  }));
}

export function findJobIdsWithoutEntry(db: Reader, { after, last }: PositionRange): string[] {
  return readIds(
    db,
    `SELECT j.id FROM jobs j LEFT JOIN library l ON l.job = j.position
     WHERE j.position > ? AND j.position <= ? AND j.status = 'succeeded' AND l.id IS NULL`,
    after,
    last,
  );
}

export function findOrphanEntryIds(db: Reader, { after, last }: PositionRange): string[] {
  return readIds(
    db,
    `SELECT l.id FROM library l LEFT JOIN jobs j ON j.position = l.job
     WHERE l.position > ? AND l.position <= ? AND (j.status IS NULL OR j.status <> 'succeeded')`,
    after,
    last,
  );
}
