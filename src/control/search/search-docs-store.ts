import { rmSync } from 'node:fs';
import path from 'node:path';
import { Slice } from '../../base/clock/clock.ts';
import { type ClockMark, realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Connection } from '../../base/database/connection.ts';
import { openScratch } from '../../base/database/scratch-file.ts';
import type { Reader, SqlValue } from '../../base/database/transaction.ts';
import { type Condition, type Doc, type FoundDoc, KINDS, type Kind, type SaidDoc, textOf } from './indexed-text.ts';

/** Places of one millisecond of the machine's clock: the newest comes last, of whatever kind. */
const PLACES = 4096;

/** Raised with every change of the schema or of what is indexed. */
const VERSION = 5;

/** Among so many records the words are looked for without slices. */
const FEW = 1000;

/** `words` knows the trigrams of the texts of `docs`, by their places, and keeps no text itself. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS docs (
    place INTEGER PRIMARY KEY, kind TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, account_id TEXT,
    status INTEGER, took INTEGER, model TEXT, path TEXT, traits TEXT NOT NULL, text TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS docs_by_position ON docs (kind, position);
  CREATE INDEX IF NOT EXISTS docs_by_id ON docs (id);
  CREATE INDEX IF NOT EXISTS docs_by_status ON docs (kind, status, place);
  CREATE INDEX IF NOT EXISTS docs_of_account ON docs (account_id, kind, place);
  CREATE INDEX IF NOT EXISTS docs_by_model ON docs (model, kind, place);
  CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5(folded, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1');
  CREATE TABLE IF NOT EXISTS refs (ref TEXT NOT NULL, place INTEGER NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (ref, place))
    STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS refs_of ON refs (place);`;

/** So many records are deleted from the file, which takes a tenth of a second. Where there are more, it is made anew. */
const MOST_DELETED = 5000;

/** How many records the first slice of a search has: the next has twice as many where it was quick. */
const FIRST_SLICE = 128;
const QUICK_MS = 4;

/** What of an index is searched, and until when. */
export interface Extent {
  /** A query of `words` that narrows it, if there is one. */
  match?: string | undefined;
  before: number;
  limit: number;
  isLate?: (() => boolean) | undefined;
}

/** The index of all records: a file that is not durable, opened when it is first needed, made anew where it cannot be read. */
export class SearchDocs {
  readonly #file: string;
  #opened: Connection | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** All or none. */
  insertAll(docs: readonly Doc[]): void {
    this.#connection.atomically(() => {
      for (const doc of docs) this.#insert(doc);
    });
  }

  /** The position and id of the last indexed record of a kind. */
  last(kind: Kind): { position: number; id: string } | undefined {
    return this.#connection.get('SELECT position, id FROM docs WHERE kind = ? ORDER BY position DESC LIMIT 1', kind);
  }

  counts(): Record<Kind, number> {
    const sql = 'SELECT kind, COUNT(*) AS n FROM docs GROUP BY kind';
    const found = new Map(this.#connection.all<{ kind: Kind; n: number }>(sql).map(({ kind, n }) => [kind, n]));
    return Object.fromEntries(KINDS.map((kind) => [kind, found.get(kind) ?? 0])) as Record<Kind, number>;
  }

  /**
   * Newest first, before a place: among the few that the words leave, or in slices, with other work between them. `isLate`
   * ends it early, with what was found until then.
   */
  async find(conditions: readonly Condition[], { match, before, limit, isLate }: Extent): Promise<FoundDoc[]> {
    const few = match && this.#few(match);
    if (few) return this.#first([{ sql: 'place < ?', values: [before] }, oneOf(few), ...conditions], limit);
    const found: FoundDoc[] = [];
    const slice = new Slice();
    let count = FIRST_SLICE;
    for (let end = before; found.length < limit && !isLate?.(); ) {
      const floor = this.#floor(end, count);
      if (floor === undefined) break;
      const between = { sql: 'place < ? AND place >= ?', values: [end, floor] };
      found.push(...this.#first([between, ...conditions], limit - found.length));
      end = floor;
      if (slice.spent < QUICK_MS) count *= 2;
      else if (slice.isOver) count = Math.ceil(count / 2);
      await slice.turn();
    }
    return found;
  }

  /** Those that are there of some ids, with all that their words are looked for in. */
  texts(ids: readonly string[]): SaidDoc[] {
    const sql = `SELECT id, kind, status, model, path, text FROM docs
      WHERE id IN (SELECT value FROM json_each(?)) ORDER BY place`;
    return this.#connection.all<SaidDoc>(sql, JSON.stringify(ids));
  }

  placeOf(id: string): number | undefined {
    return this.#connection.get<{ place: number }>('SELECT place FROM docs WHERE id = ?', id)?.place;
  }

  /** Those that led to something (`made`) or that only name it, oldest first. */
  referring(ref: string, made: boolean, limit: number): FoundDoc[] {
    return this.#connection.all<FoundDoc>(
      `SELECT docs.place AS place, kind, id, account_id AS accountId FROM refs JOIN docs ON docs.place = refs.place
       WHERE ref = ? AND made = ? ORDER BY refs.place LIMIT ?`,
      ref,
      Number(made),
      limit,
    );
  }

  /** How many requests name each of some ids without having led to it. */
  naming(refs: readonly string[]): Map<string, number> {
    const rows = this.#connection.all<{ ref: string; n: number }>(
      `SELECT ref, COUNT(*) AS n FROM refs CROSS JOIN docs ON docs.place = refs.place
       WHERE made = 0 AND kind = 'request' AND ref IN (SELECT value FROM json_each(?)) GROUP BY ref`,
      JSON.stringify(refs),
    );
    return new Map(rows.map(({ ref, n }) => [ref, n]));
  }

  /** What there is of a column, the most frequent first. */
  values(column: 'model' | 'path', limit: number): string[] {
    const rows = this.#connection.all<{ value: string }>(
      `SELECT ${column} AS value FROM (SELECT ${column} FROM docs ORDER BY place DESC LIMIT 2000)
       WHERE ${column} IS NOT NULL GROUP BY value ORDER BY COUNT(*) DESC LIMIT ?`,
      limit,
    );
    return rows.map(({ value }) => value);
  }

  /** Forgets requests: those before a position, those of an account, or all. */
  forgetRequests({ before, accountId }: { before?: number; accountId?: string | undefined }): void {
    if (before !== undefined) this.#delete("kind = 'request' AND position < ?", before);
    else if (accountId !== undefined) this.#delete("kind = 'request' AND account_id = ?", accountId);
    else this.#delete("kind = 'request'");
  }

  /** Forgets what the database held: it was replaced. */
  forgetState(): void {
    this.#delete('kind IN (SELECT value FROM json_each(?))', JSON.stringify(STATE_KINDS));
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  get #connection(): Connection {
    this.#opened ??= openIndex(this.#file);
    return this.#opened;
  }

  /** The places of what may fit a query of `words`, where they are few. */
  #few(match: string): number[] | undefined {
    const sql = `SELECT rowid AS place FROM words WHERE words MATCH ? LIMIT ${FEW + 1}`;
    const places = this.#connection.all<{ place: number }>(sql, match).map(({ place }) => place);
    return places.length > FEW ? undefined : places;
  }

  /** The lowest of so many places before one; undefined at the end. */
  #floor(before: number, count: number): number | undefined {
    const sql = 'SELECT MIN(place) AS floor FROM (SELECT place FROM docs WHERE place < ? ORDER BY place DESC LIMIT ?)';
    return this.#connection.get<{ floor: number | null }>(sql, before, count)?.floor ?? undefined;
  }

  /** Newest first. */
  #first(conditions: readonly Condition[], limit: number): FoundDoc[] {
    return this.#connection.all<FoundDoc>(
      `SELECT place, kind, id, account_id AS accountId FROM docs
       WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ORDER BY place DESC LIMIT ?`,
      ...conditions.flatMap(({ values }) => values),
      limit,
    );
  }

  #delete(where: string, ...values: SqlValue[]): void {
    const count = `SELECT COUNT(*) AS n FROM docs WHERE ${where}`;
    const { n } = this.#connection.get<{ n: number }>(count, ...values) ?? { n: 0 };
    if (n === 0) return;
    if (n > MOST_DELETED) {
      this.close();
      rmSync(this.#file, { force: true });
      return;
    }
    const chosen = `SELECT place FROM docs WHERE ${where}`;
    this.#connection.atomically(() => {
      this.#connection.run(`DELETE FROM words WHERE rowid IN (${chosen})`, ...values);
      this.#connection.run(`DELETE FROM refs WHERE place IN (${chosen})`, ...values);
      this.#connection.run(`DELETE FROM docs WHERE ${where}`, ...values);
    });
  }

  #insert(doc: Doc): void {
    const { kind, position, id, accountId, facts, text, refs } = doc;
    const place = this.#freePlace(Math.floor(doc.at) * PLACES);
    const { status, took, model, path: of, traits } = facts;
    const made = this.#connection.run(
      `INSERT OR IGNORE INTO docs (place, kind, position, id, account_id, status, took, model, path, traits, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      place,
      kind,
      position,
      id,
      accountId,
      status,
      took,
      model,
      of,
      traits,
      text,
    );
    if (made === 0) return;
    // Earlier versions of SQLite (3.40) end a text of `words` at a NUL.
    this.#connection.run('INSERT INTO words (rowid, folded) VALUES (?, ?)', place, text.replaceAll('\0', '\ufffd'));
    const both = [...refs.named.map((ref) => [ref, 0] as const), ...refs.made.map((ref) => [ref, 1] as const)];
    for (const [ref, isMade] of both) {
      this.#connection.run('INSERT OR REPLACE INTO refs (ref, place, made) VALUES (?, ?, ?)', ref, place, isMade);
    }
  }

  /** The next place of a moment; where all of them are taken, the next that is free. */
  #freePlace(first: number): number {
    const taken = this.#connection.get<{ last: number | null }>(
      'SELECT MAX(place) AS last FROM docs WHERE place >= ? AND place < ?',
      first,
      first + PLACES,
    )?.last;
    if (taken === null || taken === undefined) return first;
    return taken + 1 < first + PLACES ? taken + 1 : this.#freePlace(first + PLACES);
  }
}

function oneOf(places: readonly number[]): Condition {
  return { sql: 'place IN (SELECT value FROM json_each(?))', values: [JSON.stringify(places)] };
}

function openIndex(file: string): Connection {
  // Earlier versions kept the state in a file of its own.
  rmSync(path.join(path.dirname(file), 'search-state.db'), { force: true });
  return openScratch(file, { version: VERSION, schema: SCHEMA, probe: 'SELECT COUNT(*) FROM docs' });
}

/** A row of the database as the index reads it. */
interface Row {
  position: number;
  id: string;
  accountId: string;
  created: number;
  model: string | null;
  /** Texts or JSON. */
  one: string | null;
  two: string | null;
  ref: string | null;
}

type StateKind = Exclude<Kind, 'request'>;

const ROWS: Record<StateKind, string> = {
  job: `SELECT position, id, account_id AS accountId, created, model, parameters AS one, NULL AS two, NULL AS ref
    FROM jobs`,
  event: `SELECT position, id, account_id AS accountId, created, NULL AS model, type AS one, body AS two,
    COALESCE(run_id, job_id) AS ref FROM events`,
  delivery: `SELECT position, id, account_id AS accountId, created, NULL AS model,
    url || ' ' || (SELECT type FROM events WHERE events.id = event_id) AS one, endpoint_id AS two, event_id AS ref
    FROM deliveries`,
  run: `SELECT position, id, account_id AS accountId, started AS created, NULL AS model, inputs AS one,
    flow_id AS two, NULL AS ref FROM runs`,
};

export const STATE_KINDS = Object.keys(ROWS) as StateKind[];

/** What came after a position, oldest first. */
export function rowsAfter(
  db: Reader,
  kind: StateKind,
  { position, limit, marks }: { position: number; limit: number; marks: readonly ClockMark[] },
): Doc[] {
  const rows = db.all<Row>(`${ROWS[kind]} WHERE position > ? ORDER BY position LIMIT ?`, position, limit);
  return rows.map((row) => docOf(kind, row, marks));
}

function docOf(kind: StateKind, row: Row, marks: readonly ClockMark[]): Doc {
  const { position, id, accountId, created, model, one, two, ref } = row;
  const words = [id, ref, model, textOf(one), textOf(two)];
  return {
    kind,
    position,
    id,
    accountId,
    at: realTimeOf(marks, created, 0),
    facts: { status: null, took: null, model, path: null, traits: '' },
    text: words.filter(Boolean).join('\n').toLowerCase().normalize('NFC'),
    refs: { made: [], named: ref === null ? [] : [ref] },
  };
}
