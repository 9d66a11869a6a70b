import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { packageManagerCommands } from '../config/package-manager.ts';
import { describeLoadOrStartError } from '../load-or-start-error.ts';
import type { SqlValue } from './reader.ts';

const IN_MEMORY = ':memory:';

/**
 * Prefers `node:sqlite` to better-sqlite3. Only the owner can read the files that it creates [I229]. Throws
 * `NativeModuleError`, or the error of SQLite.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): SqliteDatabase {
  if (!options.readonly && file !== IN_MEMORY && file !== TEMPORARY_DATABASE) makePrivate(file);
  return hasNodeSqlite() ? new NodeDatabase(file, options) : openBetterSqlite(file, options);
}

export function describeSqlite(): string {
  const database = openSqlite(IN_MEMORY);
  const found = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  database.close();
  return `${hasNodeSqlite() ? 'node:sqlite' : betterSqliteVersion()}, SQLite ${found.version}`;
}

/**
 * Creates a missing file. Does not open an existing one, because closing it would release all locks of this process on it.
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch {
    // The file exists, or SQLite will report why it cannot be created.
  }
}

export const TEMPORARY_DATABASE = '';

interface SqliteOptions {
  readonly?: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds. The default is 5000. */
  timeout?: number;
}

export interface SqliteStatement {
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): Iterable<unknown>;
  run(...values: SqlValue[]): WriteResult;
}

export interface WriteResult {
  changes: number;
  lastInsertRowid: number | bigint;
}

export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

const SINCE = [22, 13] as const;

interface NodeSqlite {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => SqliteDatabase;
}

export function hasNodeSqlite(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
}

/** Uses Node's statements directly, because a wrapper would slow every call. */
class NodeDatabase implements SqliteDatabase {
  readonly #handle: SqliteDatabase;
  #isOpen = true;

  constructor(file: string, { readonly = false, timeout = 5000 }: SqliteOptions) {
    const { DatabaseSync } = loadQuietly();
    this.#handle = new DatabaseSync(file, { readOnly: readonly });
    // The constructor has an option for this only since Node 22.16.
    this.#handle.exec(`PRAGMA busy_timeout = ${timeout}`);
  }

  exec(sql: string): void {
    this.#handle.exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    return this.#handle.prepare(sql);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#handle.close();
  }
}

/**
 * Loads `node:sqlite` without the warning that it is experimental. Changes `emitWarning` of the module `node:process`, with
 * which Node warns, because a test runner may have replaced the global `process`.
 */
function loadQuietly(): NodeSqlite {
  const real = process.getBuiltinModule('node:process');
  const { emitWarning } = real;
  real.emitWarning = ((...warning: [string, ...unknown[]]) => {
    const isOurs = warning[1] === 'ExperimentalWarning' && warning[0].includes('SQLite');
    if (!isOurs) Reflect.apply(emitWarning, real, warning);
  }) as typeof emitWarning;
  try {
    return process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite;
  } finally {
    real.emitWarning = emitWarning;
  }
}

const PACKAGE = 'better-sqlite3';
/** The place where npm puts the compiled part. better-sqlite3 itself would look in a dozen places. */
const NATIVE = 'better-sqlite3/build/Release/better_sqlite3.node';
const load = createRequire(import.meta.url);

/** Loaded once, because a test runner that has ended refuses to load more. */
let loaded: { Sqlite: typeof import('better-sqlite3'); nativeBinding: ReturnType<typeof load> } | undefined;

export class NativeModuleError extends Error {
  override name = 'NativeModuleError';

  constructor(cause: unknown) {
    const { build, sqlite } = packageManagerCommands();
    const install = `Run ${isInstalled() ? build : sqlite}, or use Node 22.13 or later, which needs no compiled part.`;
    const name = `better-sqlite3, which Node ${process.versions.node} needs,`;
    super(describeLoadOrStartError(cause, { name, install }), { cause });
  }
}

function openBetterSqlite(file: string, options: SqliteOptions): SqliteDatabase {
  try {
    loaded ??= { Sqlite: load(PACKAGE), nativeBinding: load(NATIVE) };
    const { Sqlite, nativeBinding } = loaded;
    return new Sqlite(file, { ...options, nativeBinding });
  } catch (error) {
    // Covers a missing module, a file that cannot be loaded, and the different message of a second attempt.
    throw /better_sqlite3\.node|module 'better-sqlite3/.test(String(Object(error).message))
      ? new NativeModuleError(error)
      : error;
  }
}

function betterSqliteVersion(): string {
  return `better-sqlite3 ${load('better-sqlite3/package.json').version}`;
}

function isInstalled(): boolean {
  try {
    return load.resolve('better-sqlite3/package.json') !== '';
  } catch {
    return false;
  }
}
