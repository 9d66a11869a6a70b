import type { Reader, SqlValue, Transaction } from '../database/transaction.ts';
import { LISTED, type ListedEntry, type ListedRow, OF_JOB, toListed } from './library-store.ts';

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

/** Where an entry stands: in the order of making, and in time (milliseconds). */
export interface EntryPlace {
  position: number;
  created: number;
}

/**
 * Newest first, after an entry's place. Within a stretch of time they come in the order of the clock, which differs
 * from that of making only where it was set back.
 */
export function selectEntries(
  db: Reader,
  filter: LibraryFilter,
  { after, limit }: { after: EntryPlace; limit: number },
): ListedEntry[] {
  const byTime = filter.since !== undefined || filter.until !== undefined;
  const source = filter.text ? searchOf(filter.text) : PLAIN;
  const { from, position } = source;
  const start = byTime ? startInTime(source, filter, after) : startInOrder(source, after);
  const all = [...source.conditions, start, ...conditionsOf(filter)];
  const time = byTime ? 'library.created DESC, ' : '';
  // The rows of a page are found by indexes alone; only then are its recipes read.
  const rows = db.all<ListedRow>(
    `SELECT ${LISTED} FROM library ${OF_JOB}
     WHERE library.position IN (
       SELECT position FROM ${from} WHERE ${all.map(({ sql }) => sql).join(' AND ')}
       ORDER BY ${time}${position} DESC LIMIT ?)
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

/** Which tables are read, and by which name of theirs an entry's position. */
interface Source {
  from: string;
  position: string;
  conditions: Condition[];
}

const PLAIN: Source = { from: 'library', position: 'position', conditions: [] };

function startInOrder({ position }: Source, after: EntryPlace): Condition {
  return { sql: `${position} < ?`, values: [after.position] };
}

/** One bound only, the nearer one: of two, SQLite would begin at the first it meets. */
function startInTime({ position }: Source, { until }: LibraryFilter, after: EntryPlace): Condition {
  if (until !== undefined && until <= after.created) return { sql: 'created < ?', values: [until] };
  return { sql: `(created, ${position}) < (?, ?)`, values: [after.created, after.position] };
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

/** The index of words is read newest first, so that a word that all entries have costs no more than one that few have. */
function searchOf(text: string): Source {
  if (Array.from(text).length < SHORTEST_INDEXED) {
    return { ...PLAIN, conditions: [{ sql: SCANNED, values: [text.toLowerCase()] }] };
  }
  // The index of words cannot be asked for it.
  if (text.includes('\0')) return { ...PLAIN, conditions: [{ sql: '0', values: [] }] };
  const phrase = `"${text.replaceAll('"', '""')}"`;
  return {
    from: 'library_words CROSS JOIN library ON library.position = library_words.rowid',
    position: 'library_words.rowid',
    conditions: [{ sql: 'library_words MATCH ?', values: [phrase] }],
  };
}

/** The texts of a recipe that a search looks at. */
const WORDS = `SELECT concat_ws(char(10), parameters ->> 'title', parameters ->> 'prompt', parameters ->> 'input',
  parameters ->> 'style', parameters ->> 'lyrics') FROM jobs WHERE jobs.position = library.job`;
const SCANNED = `instr(lower((${WORDS})), ?) > 0`;

/** How many entries are put into the index of words in one transaction. */
const INDEXED_AT_ONCE = 500;

/**
 * Puts entries that are not yet in the index of words into it, oldest first; answers how many. It is for whoever
 * searches to do: one by one, as they are made, entries would spend a third of their settlement on it.
 */
export function indexWords(tx: Transaction): number {
  return tx.run(
    `INSERT INTO library_words (rowid, words) SELECT position, (${WORDS}) FROM library
     WHERE position > COALESCE((SELECT rowid FROM library_words ORDER BY rowid DESC LIMIT 1), 0)
     ORDER BY position LIMIT ${INDEXED_AT_ONCE}`,
  );
}
