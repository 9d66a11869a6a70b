import type { Reader, SqlValue } from '../database/transaction.ts';
import { LISTED, type ListedEntry, type ListedRow, OF_OBJECT, toListed } from './library-store.ts';

/** Which entries a list shows; times in milliseconds, `since` included and `until` not. */
export interface LibraryFilter {
  accountId?: string | undefined;
  /** The medium: `image`, `video`, `speech` or `music`. */
  kind?: string | undefined;
  model?: string | undefined;
  /** Stands somewhere in the title or a text it was made from, in whatever case. */
  text?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/** Shorter texts are in no index. */
const SHORTEST_INDEXED = 3;

/** Newest first, from before a position. */
export function selectEntries(
  db: Reader,
  filter: LibraryFilter,
  { before, limit }: { before: number; limit: number },
): ListedEntry[] {
  const conditions = conditionsOf(filter);
  const where = ['position < ?', ...conditions.map(({ sql }) => sql)].join(' AND ');
  // The rows of a page are found by indexes alone; only then are its recipes read.
  const rows = db.all<ListedRow>(
    `SELECT ${LISTED} FROM library ${OF_OBJECT}
     WHERE library.position IN (
       SELECT position FROM library WHERE ${where} ORDER BY position DESC LIMIT ?)
     ORDER BY library.position DESC`,
    before,
    ...conditions.map(({ value }) => value),
    limit,
  );
  return rows.map(toListed);
}

interface Condition {
  sql: string;
  value: SqlValue;
}

function conditionsOf(filter: LibraryFilter): Condition[] {
  const { accountId, kind, model, text, since, until } = filter;
  const conditions: [string, SqlValue | undefined][] = [
    ['account_id = ?', accountId],
    ['medium = ?', kind],
    ['model = ?', model],
    ['created >= ?', since],
    ['created < ?', until],
  ];
  const set = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return text ? [...set, holds(text)] : set;
}

function holds(text: string): Condition {
  if (Array.from(text).length < SHORTEST_INDEXED)
    return { sql: SCANNED, value: text.toLowerCase() };
  const phrase = `"${text.replaceAll('"', '""')}"`;
  return {
    sql: 'position IN (SELECT rowid FROM library_words WHERE library_words MATCH ?)',
    value: phrase,
  };
}

const SCANNED = `instr(lower(concat_ws(char(10), recipe ->> 'title', recipe ->> 'prompt',
  recipe ->> 'input', recipe ->> 'style', recipe ->> 'lyrics')), ?) > 0`;
