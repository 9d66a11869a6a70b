import { containing } from '../../base/database/list-queries.ts';
import type { Positions, Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import { invalid, quoted } from '../../base/errors.ts';
import type { JobRender } from '../../media/render-request.ts';
import type { LibraryEntry, LibraryFile } from './library-store.ts';

export type ListedEntry = Omit<LibraryEntry, 'render'>;

interface ListedRow extends Omit<LibraryEntry, 'object' | 'recipe' | 'render'> {
  objectId: string | null;
  objectName: string | null;
  recipe: string;
}

const LISTED = `library.id, library.account_id AS accountId, library.medium, library.model, jobs.id AS jobId,
    objects.id AS objectId, objects.name AS objectName, library.file, library.bytes,
    library.content_type AS contentType, seconds, seed, credits, parameters AS recipe, library.created`;
const OF_JOB = `JOIN jobs ON jobs.position = library.job
  LEFT JOIN objects ON objects.id = library.object_id`;

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

function entryPosition(db: Reader, id: string): { position: number; created: number } | undefined {
  return db.get('SELECT position, created FROM library WHERE id = ?', id);
}

function toListed({ objectId, objectName, ...row }: ListedRow): ListedEntry {
  return {
    ...row,
    object: objectId && objectName ? { id: objectId, name: objectName } : null,
    recipe: JSON.parse(row.recipe) as Record<string, unknown>,
  };
}

/** Times are in milliseconds. `since` is included, `until` is not. */
export interface LibraryFilter {
  accountId?: string | undefined;
  /** `image`, `video`, `speech` or `music`. */
  kind?: string | undefined;
  model?: string | undefined;
  /** Matches the title or a text of the recipe, in any case. */
  text?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

interface EntryPosition {
  position: number;
  created: number;
}

const DEFAULT_LIMIT = 1000;

/** Newer than all entries. */
const FIRST = { position: Number.MAX_SAFE_INTEGER, created: Number.MAX_SAFE_INTEGER };

/** Newest first. Throws `invalid_request` for an unknown `after`. */
export function listEntries(
  db: Reader,
  page: LibraryFilter & { limit?: number | undefined; after?: string | undefined } = {},
): ListedEntry[] {
  const { limit = DEFAULT_LIMIT, after, ...filter } = page;
  const position = after === undefined ? FIRST : entryPosition(db, after);
  if (position === undefined) {
    throw invalid(
      'after',
      `after must be the id of a library entry, not ${quoted(after ?? '')}. Leave it out to start with the first page.`,
    );
  }
  return selectEntries(db, filter, { after: position, limit });
}

/**
 * Newest first. A filter by time orders by the clock, which differs from the order of insertion only if the clock was
 * set back.
 */
function selectEntries(
  db: Reader,
  filter: LibraryFilter,
  { after, limit }: { after: EntryPosition; limit: number },
): ListedEntry[] {
  const byTime = filter.since !== undefined || filter.until !== undefined;
  const start = byTime ? startInTime(filter, after) : startInOrder(after);
  const all = [start, ...conditionsOf(filter), ...textConditions(filter.text)];
  const time = byTime ? 'library.created DESC, ' : '';
  // Finds the rows of a page by indexes alone, before reading their recipes.
  const rows = db.all<ListedRow>(
    `SELECT ${LISTED} FROM library ${OF_JOB}
     WHERE library.position IN (
       SELECT position FROM library WHERE ${all.map(({ sql }) => sql).join(' AND ')}
       ORDER BY ${time}position DESC LIMIT ?)
     ORDER BY ${time}library.position DESC`,
    ...all.flatMap(({ values }) => values),
    limit,
  );
  return rows.map(toListed);
}

interface Condition {
  sql: string;
  values: SqlValue[];
}

function startInOrder(after: EntryPosition): Condition {
  return { sql: 'position < ?', values: [after.position] };
}

/** Only the nearer of two bounds: given both, SQLite starts at the first one. */
function startInTime({ until }: LibraryFilter, after: EntryPosition): Condition {
  if (until !== undefined && until <= after.created) return { sql: 'created < ?', values: [until] };
  return { sql: '(created, position) < (?, ?)', values: [after.created, after.position] };
}

function conditionsOf(filter: LibraryFilter): Condition[] {
  const { accountId, kind, model, since } = filter;
  const conditions: [string, SqlValue | undefined][] = [
    ['account_id = ?', accountId],
    ['medium = ?', kind],
    ['model = ?', model],
    ['created >= ?', since],
  ];
  return conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, values: [value] }]));
}

const RECIPE = '(SELECT parameters FROM jobs WHERE jobs.position = library.job)';
const WORDS = `(SELECT concat_ws(char(10), parameters ->> 'title', parameters ->> 'prompt', parameters ->> 'input',
  parameters ->> 'style', parameters ->> 'lyrics') FROM jobs WHERE jobs.position = library.job)`;

/** Parsing a recipe is slow, so it is first searched as text. */
function textConditions(text = ''): Condition[] {
  if (text === '') return [];
  // No recipe contains a NUL, and SQL ends a text there.
  if (text.includes('\0')) return [{ sql: '0', values: [] }];
  const patterns = containing(text);
  return [RECIPE, WORDS].map((column) => ({
    sql: `(${patterns.map(() => `${column} LIKE ? ESCAPE '!'`).join(' OR ')})`,
    values: patterns,
  }));
}

/** Succeeded jobs without a library entry; there must never be any. */
export function findMissingEntries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT j.id FROM jobs j LEFT JOIN library l ON l.job = j.position
       WHERE j.position > ? AND j.position <= ? AND j.status = 'succeeded' AND l.id IS NULL`,
      after,
      last,
    )
    .map(({ id }) => id);
}

export function findOrphanEntries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT l.id FROM library l LEFT JOIN jobs j ON j.position = l.job
       WHERE l.position > ? AND l.position <= ? AND (j.status IS NULL OR j.status <> 'succeeded')`,
      after,
      last,
    )
    .map(({ id }) => id);
}
