import type { Positions, Reader, SqlValue } from '../../base/database/transaction.ts';
import { containing } from '../../base/database/word-search-store.ts';
import { LISTED, type ListedEntry, type ListedRow, OF_JOB, toListed } from './library-store.ts';

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

/** `created` is in milliseconds. */
export interface EntryPosition {
  position: number;
  created: number;
}

/**
 * Newest first. A filter by time orders by the clock, which differs from the order of insertion only if the clock was
 * set back.
 */
export function selectEntries(
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

/** There must never be any. */
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
