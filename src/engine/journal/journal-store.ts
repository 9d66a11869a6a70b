import { rmSync } from 'node:fs';
import { TimeSlice } from '../../base/clock/clock.ts';
import { Connection, READ_BATCH_CHARACTERS } from '../../base/database/connection.ts';
import { schemaDifference } from '../../base/database/database-file.ts';
import { emulatorRunOfRequestId, parseRequestIdNumber } from '../../base/database/id-store.ts';
import { conditionsWithValues, likePatterns, type SqlCondition } from '../../base/database/list-queries.ts';
import type { SqlValue } from '../../base/database/reader.ts';
import { integer, type RowOf, table, text } from '../../base/database/table.ts';
import type { LogTable, TableSize } from '../../base/database/write-behind.ts';
import { AUDIT_TABLE_SQL } from './audit-store.ts';

export const requests = table('requests', {
  position: integer,
  id: text,
  accountId: text.nullable(),
  /** 0 if the connection was reset. */
  status: integer,
  bytes: integer,
  /** The record as JSON. The bodies have their own columns, because encoding them would cost more than the rest. */
  record: text,
  request: text.nullable(),
  answer: text.nullable(),
});

const journalRows = requests.omit('bytes');

export type JournalRow = RowOf<typeof journalRows>;

export type NewJournalRow = Omit<JournalRow, 'position'>;

export class JournalStore implements LogTable<NewJournalRow> {
  readonly #connection: Connection;
  /** The last position of earlier runs of the emulator. */
  #before: number;
  #run: string | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    const last = 'SELECT COALESCE(MAX(position), 0) AS position FROM requests';
    this.#before = this.#connection.get<{ position: number }>(last)?.position ?? 0;
  }

  insertAll(rows: readonly NewJournalRow[]): void {
    try {
      this.#connection.atomically(() => {
        requests.insertAll(
          this.#connection,
          rows.map((row) => this.#placed(row)),
        );
      });
    } catch (error) {
      // The row of this emulator run in `runs` was rolled back too, so it is written again with the next rows.
      this.#run = undefined;
      throw error;
    }
  }

  /**
   * Copies the rows of another journal file into this one. Later requests of this emulator run get positions above
   * those of the other runs in the file.
   */
  importFile(file: string): Promise<void> {
    return withFile(this.#connection, file, () => {
      this.#moveAboveImportedRuns();
      return copyRows(this.#connection, { from: 'kept', to: 'main' });
    });
  }

  size(): TableSize {
    return this.#connection.get<TableSize>(`${SIZE} FROM requests`) ?? { rows: 0, bytes: 0 };
  }

  /** Reads the sizes of rows before the deletion, because a deletion that returns them takes twice as long. */
  removeOldest(count: number): TableSize {
    const oldest = this.#connection.get<TableSize & { last: number | null }>(
      `${SIZE}, MAX(position) AS last FROM (SELECT position, bytes FROM requests ORDER BY position LIMIT ?)`,
      count,
    );
    if (!oldest?.last) return { rows: 0, bytes: 0 };
    this.#connection.run('DELETE FROM requests WHERE position <= ?', oldest.last);
    return oldest;
  }

  clear(): void {
    this.#connection.run('DELETE FROM requests');
  }

  piece({ accountId, after, before, newestFirst }: JournalRange): JournalRow[] {
    const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
    const order = newestFirst ? 'DESC' : 'ASC';
    const sql = `${journalRows.select} WHERE ${owned}position > ? AND position < ? ORDER BY position ${order}`;
    return this.#connection.piece<JournalRow>(journalRowSize, sql, ...owner, after, before);
  }

  sizes({ accountId, before, limit }: JournalPageQuery): { position: number; bytes: number }[] {
    const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
    const sql = `SELECT position, COALESCE(octet_length(request), 0) + COALESCE(octet_length(answer), 0) AS bytes
      FROM requests WHERE ${owned}position < ?
      ORDER BY position DESC LIMIT ?`;
    return this.#connection.all(sql, ...owner, before, limit);
  }

  count(accountId: string | undefined): number {
    const owner = accountId === undefined ? [] : [accountId];
    const sql = `SELECT COUNT(*) AS n FROM requests ${owner.length ? 'WHERE account_id = ?' : ''}`;
    return this.#connection.get<{ n: number }>(sql, ...owner)?.n ?? 0;
  }

  matching(
    { before, from }: { before: number; from: number },
    conditions: readonly SqlCondition[],
  ): MatchingRequestPosition[] {
    return this.#connection.all<MatchingRequestPosition>(
      `SELECT position, id, account_id AS accountId, ${recordFieldSql('began')} + COALESCE(${recordFieldSql('duration_ms')}, 0) AS at FROM requests
       WHERE position < ? AND position >= ? ${conditions.map(({ sql }) => `AND ${sql}`).join(' ')} ORDER BY position DESC`,
      before,
      from,
      ...conditions.flatMap(({ values }) => values),
    );
  }

  naming(text: string, limit: number): JournalRow[] {
    const [pattern = ''] = likePatterns(text);
    return this.#connection.all<JournalRow>(
      `${journalRows.select} WHERE record LIKE ? ESCAPE '!' ORDER BY position LIMIT ?`,
      pattern,
      limit,
    );
  }

  paths(text: string): string[] {
    const [pattern = ''] = likePatterns(text);
    const sql = `SELECT ${recordFieldSql('path')} AS path FROM requests WHERE record LIKE ? ESCAPE '!'`;
    return this.#connection.all<{ path: string }>(sql, pattern).map(({ path }) => path);
  }

  floor({ accountId, before, limit }: JournalPageQuery): number | undefined {
    const [owned, owner] = conditionsWithValues(['account_id = ?', accountId]);
    const sql = `SELECT MIN(position) AS floor FROM (SELECT position FROM requests
      WHERE ${owned}position < ? ORDER BY position DESC LIMIT ?)`;
    const found = this.#connection.get<{ floor: number | null }>(sql, ...owner, before, limit);
    return found?.floor ?? undefined;
  }

  search(slice: JournalPageQuery & { from: number }, wanted: RequestConditions): JournalRow[] {
    const { accountId, before, from, limit } = slice;
    const { status: [least, most] = [], operation, path, text, since } = wanted;
    const [given, values] = conditionsWithValues(
      ['account_id = ?', accountId],
      ['status >= ?', least],
      ['status <= ?', most],
      [`${recordFieldSql('operation')} = ?`, operation],
      [`instr(${recordFieldSql('path')}, ?) = 1`, path],
      [`${recordFieldSql('began')} >= ?`, since],
    );
    const [said, patterns] = textCondition(text);
    return this.#connection.piece<JournalRow>(
      journalRowSize,
      `${journalRows.select} WHERE ${given}${said}position < ? AND position >= ? ORDER BY position DESC LIMIT ?`,
      ...values,
      ...patterns,
      before,
      from,
      limit,
    );
  }

  find(id: string): JournalRow | undefined {
    const n = parseRequestIdNumber(id);
    if (n === undefined) return undefined;
    const at = `${journalRows.select} WHERE position = (SELECT before FROM runs WHERE name = ?) + ?`;
    const row = this.#connection.get<JournalRow>(at, emulatorRunOfRequestId(id), n);
    return row?.id === id ? row : undefined;
  }

  /** Lists the fields one by one, because copying the row would take as long as writing it. */
  #placed(row: NewJournalRow): RowOf<typeof requests> {
    const { id, accountId, status, record, request, answer } = row;
    return {
      position: this.#newPosition(id),
      id,
      accountId,
      status,
      bytes: journalRowSize(row),
      record,
      request,
      answer,
    };
  }

  #newPosition(id: string): number {
    const n = parseRequestIdNumber(id);
    if (n === undefined) throw new Error(`${id} is not an id of a request`);
    const run = emulatorRunOfRequestId(id);
    if (run !== this.#run) this.#begin(run);
    return this.#before + n;
  }

  #moveAboveImportedRuns(): void {
    const run = this.#run ?? '';
    const saved = this.#connection.get<{ before: number }>('SELECT before FROM kept.runs WHERE name = ?', run);
    const others = this.#connection.get<{ last: number | null }>(
      'SELECT MAX(position) AS last FROM kept.requests WHERE substr(id, 5, 12) <> ?',
      run,
    );
    this.#before = Math.max(saved?.before ?? this.#before, others?.last ?? 0);
    if (this.#run !== undefined) this.#begin(this.#run);
  }

  #begin(run: string): void {
    this.#run = run;
    this.#connection.run('INSERT OR REPLACE INTO runs (name, before) VALUES (?, ?)', run, this.#before);
  }
}

const SIZE = 'SELECT COUNT(*) AS rows, COALESCE(SUM(bytes), 0) AS bytes';

/** The size of a row: the characters of its record and its bodies. */
export function journalRowSize({ record, request, answer }: NewJournalRow): number {
  return record.length + (request?.length ?? 0) + (answer?.length ?? 0);
}

/** The version of the file. Increases with every change to existing tables or to the JSON in them. */
const VERSION = 4;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS requests (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL, account_id TEXT, status INTEGER NOT NULL, bytes INTEGER NOT NULL,
    record TEXT NOT NULL, request TEXT, answer TEXT
  ) STRICT;
  -- With the sizes, which are added up.
  CREATE INDEX IF NOT EXISTS requests_of_account ON requests (account_id, position, bytes);
  CREATE TABLE IF NOT EXISTS runs (name TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ${AUDIT_TABLE_SQL}`;

const UNREADABLE = `SELECT 1 FROM requests WHERE NOT json_valid(record) OR instr(record, char(0)) > 0
  UNION ALL SELECT 1 FROM audit WHERE NOT json_valid(detail) OR instr(detail, char(0)) > 0
    OR NOT json_valid(COALESCE(call, 'null')) OR instr(call, char(0)) > 0 LIMIT 1`;

function isOwn(connection: Connection): boolean {
  const foreign = schemaDifference(connection, (empty) => empty.script(SCHEMA));
  return foreign === undefined && connection.get(UNREADABLE) === undefined;
}

/**
 * Opens the journal file, which is not durable. An empty file replaces one that cannot be used, such as one of another
 * version.
 */
export function openJournalFile(file: string): Connection {
  try {
    return openScratch(file);
  } catch {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return openScratch(file);
  }
}

function openScratch(file: string): Connection {
  const connection = new Connection(file, { mode: 'scratch' });
  try {
    const found = versionOf(connection);
    const tables = connection.get<{ n: number }>('SELECT COUNT(*) AS n FROM sqlite_schema')?.n;
    if (tables === 0) connection.script(`PRAGMA user_version = ${VERSION}`);
    else if (found !== VERSION) throw new Error('a file of another version');
    connection.script(SCHEMA);
    if (!isOwn(connection)) throw new Error('a file of another program');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

export function isJournalFile(file: string): boolean {
  try {
    const connection = new Connection(file, { mode: 'reading' });
    try {
      return versionOf(connection) === VERSION && isOwn(connection);
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}

function versionOf(connection: Connection): number | undefined {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version;
}

export function exportJournalFile(connection: Connection, file: string): Promise<void> {
  openJournalFile(file).close();
  return withFile(connection, file, () => copyRows(connection, { from: 'main', to: 'kept' }));
}

async function withFile(connection: Connection, file: string, work: () => Promise<void>): Promise<void> {
  connection.run('ATTACH DATABASE ? AS kept', file);
  try {
    await work();
  } finally {
    connection.run('DETACH DATABASE kept');
  }
}

interface Way {
  from: 'main' | 'kept';
  to: 'main' | 'kept';
}

/** How many rows a statement copies: few, because a row may contain a large body. */
const ROWS_AT_ONCE = 50;

/** Copies rows in pieces, with other work in between. Rows that are added meanwhile are left out. */
async function copyRows(connection: Connection, { from, to }: Way): Promise<void> {
  const lastOf = (name: string) =>
    connection.get<{ last: number | null }>(`SELECT MAX(position) AS last FROM ${from}.${name}`)?.last ?? 0;
  const ends = (['requests', 'audit'] as const).map((name) => ({ name, last: lastOf(name) }));
  connection.run(`INSERT OR REPLACE INTO ${to}.runs SELECT * FROM ${from}.runs`);
  const slice = new TimeSlice();
  for (const { name, last } of ends) {
    const piece = `FROM ${from}.${name} WHERE position > ? AND position <= ? ORDER BY position LIMIT ${ROWS_AT_ONCE}`;
    for (let after = 0; ; ) {
      const end = connection.get<{ end: number | null }>(
        `SELECT MAX(position) AS end FROM (SELECT position ${piece})`,
        after,
        last,
      )?.end;
      if (end == null) break;
      connection.run(`INSERT OR REPLACE INTO ${to}.${name} SELECT * ${piece}`, after, end);
      after = end;
      if (slice.isOver) await slice.turn();
    }
  }
}

export interface JournalPageQuery {
  accountId?: string | undefined;
  before: number;
  limit: number;
}

export interface JournalRange {
  accountId?: string | undefined;
  after: number;
  before: number;
  newestFirst: boolean;
}

export interface RequestConditions {
  status?: readonly [number, number] | undefined;
  operation?: string | undefined;
  path?: string | undefined;
  text?: string | undefined;
  /** The earliest time of arrival, in milliseconds of the machine's clock. */
  since?: number | undefined;
}

/** `at` is the end of the response, in milliseconds of the machine's clock. */
export interface MatchingRequestPosition {
  position: number;
  id: string;
  accountId: string | null;
  at: number;
}

/** Whether there may be more rows. A piece that is full may have ended early. */
export function mayHaveMoreRows(rows: readonly JournalRow[]): boolean {
  return rows.reduce((sum, row) => sum + journalRowSize(row), 0) >= READ_BATCH_CHARACTERS;
}

export function recordFieldSql(name: string): string {
  return `record ->> '$.${name}'`;
}

function textCondition(text: string | undefined): [condition: string, values: SqlValue[]] {
  if (text === undefined) return ['', []];
  const patterns = likePatterns(text);
  const columns = ['request', 'answer', recordFieldSql('path')];
  const tests = columns.flatMap((column) =>
    patterns.map((pattern) => [`${column} LIKE ? ESCAPE '!'`, pattern] as const),
  );
  return [`(${tests.map(([test]) => test).join(' OR ')}) AND `, tests.map(([, pattern]) => pattern)];
}
