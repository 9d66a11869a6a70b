import { rmSync } from 'node:fs';
import path from 'node:path';
import { type Connection, enough } from '../../base/database/connection.ts';
import { requestNumber, requestRun } from '../../base/database/id-store.ts';
import { NO_FILE } from '../../base/database/open-sqlite.ts';
import { openScratch } from '../../base/database/scratch-file.ts';
import type { SqlValue } from '../../base/database/transaction.ts';
import type { LogTable, TableSize } from '../../base/database/write-behind.ts';
import { AUDIT_SCHEMA } from './audit-store.ts';

export interface JournalRow {
  position: number;
  id: string;
  accountId: string | null;
  /** Of the answer; 0 where the connection was reset. */
  status: number;
  /** JSON of everything but the bodies. These have columns of their own: writing them as JSON would cost more than the rest. */
  facts: string;
  request: string | null;
  answer: string | null;
}

export type NewRow = Omit<JournalRow, 'position'>;

/** The newest entries before a position: of one account or of all. */
export interface JournalSlice {
  accountId?: string | undefined;
  before: number;
  limit: number;
}

/** A stretch of the journal between two positions, both excluded. */
export interface JournalStretch {
  accountId?: string | undefined;
  after: number;
  before: number;
  newestFirst: boolean;
}

/** Characters of the rows that are read at once, but for the last of them. */
const PIECE = 131_072;

/** The requests in the journal's file. */
export class JournalStore implements LogTable<NewRow> {
  readonly #connection: Connection;
  /** The last position of earlier runs. */
  readonly #before: number;
  /** The same of each run of the emulator whose requests are here, by the part that their ids share. */
  readonly #runs: Map<string, number>;

  constructor(connection: Connection) {
    this.#connection = connection;
    const last = 'SELECT COALESCE(MAX(position), 0) AS position FROM requests';
    this.#before = this.#connection.get<{ position: number }>(last)?.position ?? 0;
    const runs = this.#connection.all<{ name: string; before: number }>('SELECT * FROM runs');
    this.#runs = new Map(runs.map(({ name, before }) => [name, before]));
  }

  /** All or none. */
  insertAll(rows: readonly NewRow[]): void {
    this.#connection.atomically(() => {
      for (let at = 0; at < rows.length; at += MANY) this.#insert(rows.slice(at, at + MANY));
    });
  }

  size(): TableSize {
    const found = this.#connection.get<TableSize>(
      'SELECT COUNT(*) AS rows, COALESCE(SUM(bytes), 0) AS bytes FROM requests',
    );
    return found ?? { rows: 0, bytes: 0 };
  }

  /** Removes the oldest `count`; answers how much that was. */
  removeOldest(count: number): TableSize {
    const removed = this.#connection.all<{ position: number; bytes: number }>(
      'SELECT position, bytes FROM requests ORDER BY position LIMIT ?',
      count,
    );
    const last = removed.at(-1);
    if (last) this.#connection.run('DELETE FROM requests WHERE position <= ?', last.position);
    return { rows: removed.length, bytes: removed.reduce((sum, row) => sum + row.bytes, 0) };
  }

  /** Newest first; `before` is the position of the last one seen. */
  list({ accountId, before, limit }: JournalSlice): JournalRow[] {
    if (accountId === undefined) {
      const all = `${COLUMNS} WHERE position < ? ORDER BY position DESC LIMIT ?`;
      return this.#connection.all(all, before, limit);
    }
    const own = `${COLUMNS} WHERE account_id = ? AND position < ? ORDER BY position DESC LIMIT ?`;
    return this.#connection.all(own, accountId, before, limit);
  }

  /** Oldest first; `position` is that of the last one seen. */
  after(position: number, limit: number): JournalRow[] {
    return this.#connection.all<JournalRow>(`${COLUMNS} WHERE position > ? ORDER BY position LIMIT ?`, position, limit);
  }

  /** The first rows of a stretch, as many as are read at once. */
  piece({ accountId, after, before, newestFirst }: JournalStretch): JournalRow[] {
    const owner = accountId === undefined ? [] : [accountId];
    const where = `position > ? AND position < ? ${owner.length ? 'AND account_id = ?' : ''}`;
    const sql = `${COLUMNS} WHERE ${where} ORDER BY position ${newestFirst ? 'DESC' : 'ASC'}`;
    return this.#connection.some(enough<JournalRow>(PIECE, rowSize), sql, after, before, ...owner);
  }

  /** Bytes of the bodies of each entry of a slice, newest first; the bodies are not read for it. */
  sizes({ accountId, before, limit }: JournalSlice): { position: number; bytes: number }[] {
    const owner = accountId === undefined ? [] : [accountId];
    const sql = `SELECT position, COALESCE(octet_length(request), 0) + COALESCE(octet_length(answer), 0) AS bytes
      FROM requests WHERE ${owner.length ? 'account_id = ? AND' : ''} position < ?
      ORDER BY position DESC LIMIT ?`;
    return this.#connection.all(sql, ...owner, before, limit);
  }

  count(accountId: string | undefined): number {
    const owner = accountId === undefined ? [] : [accountId];
    const sql = `SELECT COUNT(*) AS n FROM requests ${owner.length ? 'WHERE account_id = ?' : ''}`;
    return this.#connection.get<{ n: number }>(sql, ...owner)?.n ?? 0;
  }

  /** The position of the oldest entry; 0 when there is none. */
  first(): number {
    const sql = 'SELECT COALESCE(MIN(position), 0) AS first FROM requests';
    return this.#connection.get<{ first: number }>(sql)?.first ?? 0;
  }

  /**
   * The position of the last entry of a slice, of those that an index finds: of an account, or of a status. Undefined
   * when the slice is empty.
   */
  floor({ accountId, before, limit }: JournalSlice, status?: StatusRange): number | undefined {
    const owner = { text: 'AND account_id = ?', values: [accountId ?? null] };
    const led = accountId === undefined ? conditionsOf({ status }) : owner;
    const sql = `SELECT MIN(position) AS floor FROM (SELECT position FROM requests
      WHERE position < ? ${led.text} ORDER BY position DESC LIMIT ?)`;
    const found = this.#connection.get<{ floor: number | null }>(sql, before, ...led.values, limit);
    return found?.floor ?? undefined;
  }

  /** The wanted entries of a slice, not before the position `from`, newest first: as many as are read at once. */
  search(slice: JournalSlice & { from: number }, wanted: Wanted): JournalRow[] {
    const { accountId, before, from, limit } = slice;
    const owner = accountId === undefined ? [] : [accountId];
    const { text, values } = conditionsOf(wanted);
    return this.#connection.some(
      enough<JournalRow>(PIECE, rowSize),
      `${COLUMNS} WHERE ${owner.length ? 'account_id = ? AND' : ''} position < ? AND position >= ?
       ${text} ORDER BY position DESC LIMIT ?`,
      ...owner,
      before,
      from,
      ...values,
      limit,
    );
  }

  find(id: string): JournalRow | undefined {
    const position = this.#positionOf(id);
    if (position === undefined) return undefined;
    const row = this.#connection.get<JournalRow>(`${COLUMNS} WHERE position = ?`, position);
    return row?.id === id ? row : undefined;
  }

  position(id: string): number | undefined {
    return this.find(id)?.position;
  }

  delete(accountId: string | undefined): void {
    if (accountId === undefined) this.#connection.run('DELETE FROM requests');
    else this.#connection.run('DELETE FROM requests WHERE account_id = ?', accountId);
  }

  /** The position follows from the number in the id, counted from the beginning of its run. */
  #positionOf(id: string): number | undefined {
    const n = requestNumber(id);
    const before = this.#runs.get(requestRun(id));
    return n === undefined || before === undefined ? undefined : before + n;
  }

  /** Null: the database chooses. */
  #newPosition(id: string): number | null {
    const n = requestNumber(id);
    if (n === undefined) return null;
    const run = requestRun(id);
    if (!this.#runs.has(run)) this.#begin(run);
    return this.#before + n;
  }

  #begin(run: string): void {
    this.#runs.set(run, this.#before);
    this.#connection.run('INSERT OR REPLACE INTO runs (name, before) VALUES (?, ?)', run, this.#before);
  }

  /** One statement of many rows costs half as much as many of one row. */
  #insert(rows: readonly NewRow[]): void {
    const values = (row: NewRow) => this.#values(row);
    if (rows.length === MANY) this.#connection.run(INSERT_MANY, ...rows.flatMap(values));
    else for (const row of rows) this.#connection.run(INSERT_ONE, ...values(row));
  }

  #values(row: NewRow): SqlValue[] {
    const { id, accountId, status, facts, request, answer } = row;
    return [this.#newPosition(id), id, accountId, status, rowSize(row), facts, request, answer];
  }
}

const COLUMNS = 'SELECT position, id, account_id AS accountId, status, facts, request, answer FROM requests';
const MANY = 32;
const INSERT = 'INSERT INTO requests (position, id, account_id, status, bytes, facts, request, answer) VALUES';
const INSERT_ONE = `${INSERT} (?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_MANY = `${INSERT} ${Array.from({ length: MANY }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`;

/** Whether rows are as many as are read at once: there may be more. */
export function isFullPiece(rows: readonly JournalRow[]): boolean {
  return rows.reduce((sum, row) => sum + rowSize(row), 0) >= PIECE;
}

/** Characters of a row. */
export function rowSize({ facts, request, answer }: NewRow): number {
  return facts.length + (request?.length ?? 0) + (answer?.length ?? 0);
}

/** Raised with every change of the schema or of what the facts hold. */
const VERSION = 2;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL, account_id TEXT, status INTEGER NOT NULL, bytes INTEGER NOT NULL,
    facts TEXT NOT NULL, request TEXT, answer TEXT
  ) STRICT;
  -- With the sizes, which are added up.
  CREATE INDEX IF NOT EXISTS requests_of_account ON requests (account_id, position, bytes);
  CREATE INDEX IF NOT EXISTS requests_by_status ON requests (status / 100, position, status);
  CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${AUDIT_SCHEMA}`;

const NEWEST = 'ORDER BY position DESC LIMIT 1';
const PROBE = `SELECT (SELECT id FROM requests ${NEWEST}), (SELECT kind FROM audit ${NEWEST})`;

/** Opens the journal's own database file: not durable, bounded, and no part of any snapshot. */
export function openJournalFile(file: string): Connection {
  // Earlier versions kept the audit log there.
  if (file !== NO_FILE) rmSync(path.join(path.dirname(file), 'record.db'), { force: true });
  return openScratch(file, { version: VERSION, schema: SCHEMA, probe: PROBE });
}

/** From the first status to the last, both of one class. */
export type StatusRange = readonly [number, number];

/** Which requests are wanted; what is left out may be anything. */
export interface Wanted {
  status?: StatusRange | undefined;
  operation?: string | undefined;
  /** The beginning of the path. */
  path?: string | undefined;
  /** A piece of path, body or answer; capitals count as small letters. */
  text?: string | undefined;
  /** Milliseconds of real time: those that came then or later. */
  since?: number | undefined;
}

/** What a request has to meet, as further conditions of a query. */
export function conditionsOf({ status, operation, path, text, since }: Wanted): {
  text: string;
  values: SqlValue[];
} {
  const conditions: [string, SqlValue[]][] = [];
  // A range is within one class, by which an index goes.
  if (status)
    conditions.push(['status / 100 = ? AND status BETWEEN ? AND ?', [Math.floor(status[0] / 100), ...status]]);
  if (operation !== undefined) conditions.push([`${fact('operation')} = ?`, [operation]]);
  if (path !== undefined) conditions.push([`instr(${fact('path')}, ?) = 1`, [path]]);
  if (since !== undefined) conditions.push([`${fact('began')} >= ?`, [since]]);
  if (text !== undefined) conditions.push(textCondition(text));
  return {
    text: conditions.map(([condition]) => `AND ${condition}`).join(' '),
    values: conditions.flatMap(([, values]) => values),
  };
}

function fact(name: string): string {
  return `facts ->> '$.${name}'`;
}

/** Bodies are JSON as somebody wrote it: as it is, with quotes escaped, or with all but ASCII escaped. */
function textCondition(text: string): [string, SqlValue[]] {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const patterns = [...new Set([text, escaped, ascii])].map(containing);
  const columns = ['request', 'answer', fact('path')];
  const tests = columns.flatMap((column) =>
    patterns.map((pattern) => [`${column} LIKE ? ESCAPE '!'`, pattern] as const),
  );
  return [`(${tests.map(([test]) => test).join(' OR ')})`, tests.map(([, pattern]) => pattern)];
}

function containing(text: string): string {
  return `%${text.replace(/[%_!]/g, '!$&')}%`;
}
