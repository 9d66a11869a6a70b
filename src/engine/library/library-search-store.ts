import type { Positions, Reader, SqlValue, Transaction } from '../../base/database/transaction.ts';
import { LISTED, type ListedEntry, type ListedRow, OF_JOB, toListed } from './entry-store.ts';

/** The filter of a list of entries; times in milliseconds, `since` included and `until` not. */
export interface LibraryFilter {
  accountId?: string | undefined;
  /** The medium: `image`, `video`, `speech` or `music`. */
  kind?: string | undefined;
  model?: string | undefined;
  /** Occurs in the title or in a text of the recipe, in any case. */
  text?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/** Shorter texts are in no index. */
const SHORTEST_INDEXED = 3;

/** The position of an entry in the order of insertion, and its time (milliseconds). */
export interface EntryPosition {
  position: number;
  created: number;
}

/**
 * Newest first, after an entry's position. With a filter by time they are in the order of the clock, which differs from
 * the order of insertion only if the clock was set back.
 */
export function selectEntries(
  db: Reader,
  filter: LibraryFilter,
  { after, limit }: { after: EntryPosition; limit: number },
): ListedEntry[] {
  const byTime = filter.since !== undefined || filter.until !== undefined;
  const source = filter.text ? searchOf(filter.text) : PLAIN;
  const { from, position } = source;
  const start = byTime ? startInTime(source, filter, after) : startInOrder(source, after);
  const all = [...source.conditions, start, ...conditionsOf(filter)];
  const time = byTime ? 'library.created DESC, ' : '';
  // The rows of a page are found by indexes alone, before their recipes are read.
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

/** The tables to read, and their column with the position of an entry. */
interface Source {
  from: string;
  position: string;
  conditions: Condition[];
}

const PLAIN: Source = { from: 'library', position: 'position', conditions: [] };

function startInOrder({ position }: Source, after: EntryPosition): Condition {
  return { sql: `${position} < ?`, values: [after.position] };
}

/** Only the nearer of two bounds: given both, SQLite would start at the first one it finds. */
function startInTime({ position }: Source, { until }: LibraryFilter, after: EntryPosition): Condition {
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

/** The word index is read newest first, so that a frequent word costs no more than a rare one. */
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

/** The texts of a recipe that a search covers. */
const WORDS = `SELECT concat_ws(char(10), parameters ->> 'title', parameters ->> 'prompt', parameters ->> 'input',
  parameters ->> 'style', parameters ->> 'lyrics') FROM jobs WHERE jobs.position = library.job`;
const SCANNED = `instr(lower((${WORDS})), ?) > 0`;

/** How many entries are indexed in one transaction. */
const INDEXED_AT_ONCE = 500;

/**
 * Adds entries to the word index that are not in it yet, oldest first; returns how many. Searches do this, as indexing
 * each new entry would take a third of the time of its settlement.
 */
export function indexWords(tx: Transaction): number {
  return tx.run(
    `INSERT INTO library_words (rowid, words) SELECT position, (${WORDS}) FROM library
     WHERE position > COALESCE((SELECT rowid FROM library_words ORDER BY rowid DESC LIMIT 1), 0)
     ORDER BY position LIMIT ${INDEXED_AT_ONCE}`,
  );
}

/** Succeeded jobs without a library entry, unless their owner deleted it; there must never be any. */
export function findMissingEntries(db: Reader, { after, last }: Positions): string[] {
  return db
    .all<{ id: string }>(
      `SELECT j.id FROM jobs j LEFT JOIN library l ON l.job = j.position
       WHERE j.position > ? AND j.position <= ? AND j.status = 'succeeded' AND l.id IS NULL
         AND NOT EXISTS (SELECT 1 FROM deleted_entries WHERE job_id = j.id)`,
      after,
      last,
    )
    .map(({ id }) => id);
}

/** Entries of jobs that did not succeed; there must never be any. */
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
