import type { Connection } from '../../base/database/connection.ts';
import { openScratch } from '../../base/database/scratch-file.ts';
import type { SqlValue } from '../../base/database/transaction.ts';
import type { Condition, Doc, DocSlice, FoundDoc, Kind, SaidDoc } from './indexed-text.ts';

/**
 * Places of one millisecond of the machine's clock: the newest comes last, of whatever kind. Each file has those of its own
 * turn, so that no two records have the same.
 */
const PLACES = 4096;
const TURNS = 2;

/** Raised with every change of the schema or of what is indexed. */
const VERSION = 4;

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
  CREATE TABLE IF NOT EXISTS refs (ref TEXT NOT NULL, place INTEGER NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (ref, place))
    STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS refs_of ON refs (place);`;

/** An index: a file of its own, not durable, made anew where it cannot be read. `turn` is 0 or 1. */
export class SearchDocsStore {
  readonly #connection: Connection;
  readonly #turn: number;

  constructor(file: string, turn: number) {
    this.#connection = openScratch(file, { version: VERSION, schema: SCHEMA, probe: 'SELECT COUNT(*) FROM docs' });
    this.#turn = turn;
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

  counts(): { kind: Kind; n: number }[] {
    return this.#connection.all('SELECT kind, COUNT(*) AS n FROM docs GROUP BY kind');
  }

  /** Newest first. */
  find(conditions: readonly Condition[], { before, from, limit }: DocSlice): FoundDoc[] {
    const all = [{ sql: 'place < ? AND place >= ?', values: [before, from] }, ...conditions];
    return this.#connection.all<FoundDoc>(
      `SELECT place, kind, id, account_id AS accountId FROM docs
       WHERE ${all.map(({ sql }) => sql).join(' AND ')} ORDER BY place DESC LIMIT ?`,
      ...all.flatMap(({ values }) => values),
      limit,
    );
  }

  /** The lowest of so many places before one; undefined at the end. */
  floor(before: number, count: number): number | undefined {
    const sql = 'SELECT MIN(place) AS floor FROM (SELECT place FROM docs WHERE place < ? ORDER BY place DESC LIMIT ?)';
    return this.#connection.get<{ floor: number | null }>(sql, before, count)?.floor ?? undefined;
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

  /** What there is of a column and how often, the most frequent first. */
  values(column: 'model' | 'path', limit: number): { value: string; n: number }[] {
    return this.#connection.all(
      `SELECT ${column} AS value, COUNT(*) AS n FROM (SELECT ${column} FROM docs ORDER BY place DESC LIMIT 2000)
       WHERE ${column} IS NOT NULL GROUP BY value ORDER BY n DESC LIMIT ?`,
      limit,
    );
  }

  /** Forgets the requests before a position. */
  removeBefore(position: number): void {
    this.#remove("kind = 'request' AND position < ?", [position]);
  }

  /** Forgets the requests of an account. */
  removeOf(accountId: string): void {
    this.#remove("kind = 'request' AND account_id = ?", [accountId]);
  }

  close(): void {
    this.#connection.close();
  }

  #remove(where: string, values: SqlValue[]): void {
    const chosen = `SELECT place FROM docs WHERE ${where}`;
    this.#connection.run(`DELETE FROM refs WHERE place IN (${chosen})`, ...values);
    this.#connection.run(`DELETE FROM docs WHERE ${where}`, ...values);
  }

  #insert(doc: Doc): void {
    const { kind, position, id, accountId, facts, text, refs } = doc;
    const place = this.#freePlace(Math.floor(doc.at) * PLACES + this.#turn);
    const { status, took, model, path, traits } = facts;
    const made = this.#connection.run(
      `INSERT OR IGNORE INTO docs (place, kind, position, id, account_id, status, took, model, path, traits, text)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[place, kind, position, id, accountId, status, took, model, path, traits, text],
    );
    if (made === 0) return;
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
    return taken + TURNS < first + PLACES ? taken + TURNS : this.#freePlace(first + PLACES);
  }
}
