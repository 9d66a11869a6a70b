import { closeSync, existsSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { installCommands } from '../config/package-manager.ts';
import type { SqlValue } from './transaction.ts';

/** What SQLite takes for no file at all. */
const IN_MEMORY = ':memory:';

/**
 * Opens a file with the SQLite of Node, where Node has one, else with better-sqlite3. A file that is made is its owner's
 * alone, and so are those that SQLite makes beside it [I229]. Throws `NativeModuleMissing`, or what SQLite says of the file.
 */
export function openSqlite(file: string, options: SqliteOptions = {}): SqliteDatabase {
  if (!options.readonly && !options.fileMustExist && file !== IN_MEMORY && file !== NO_FILE) makePrivate(file);
  return hasNodeSqlite() ? new NodeDatabase(file, options) : openBetterSqlite(file, options);
}

/** Which driver is in use, and the version of SQLite. Throws as `openSqlite`. */
export function describeSqlite(): string {
  const database = openSqlite(IN_MEMORY);
  const found = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
  database.close();
  return `${hasNodeSqlite() ? 'node:sqlite' : betterSqliteVersion()}, SQLite ${found.version}`;
}

/** One that is there is not opened: to close it would end every lock of this process on it. Where it cannot be made, SQLite says why. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch {
    // It is there, or its own attempt comes next.
  }
}

/** The name of a database that ends with its connection: in memory, and in a file without a name once it is large. */
export const NO_FILE = '';

export interface SqliteOptions {
  readonly?: boolean;
  fileMustExist?: boolean;
  /** How long a statement waits for a lock of another connection, in milliseconds; 5000 where it is left out. */
  timeout?: number;
}

/** What better-sqlite3 and `node:sqlite` have in common, under the names of the former. */
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
  /** A second call does nothing. */
  close(): unknown;
}

/** The first version of Node whose `node:sqlite` needs no flag and has all that is used of it. */
const SINCE = [22, 13] as const;

/** What is used of `node:sqlite`; the types of the oldest Node that is supported do not know it. */
interface NodeSqlite {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => Handle;
}

interface Handle {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export function hasNodeSqlite(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
}

/** Statements are Node's own: a call of one costs nothing more. */
export class NodeDatabase implements SqliteDatabase {
  readonly #handle: Handle;
  #isOpen = true;

  constructor(file: string, { readonly = false, fileMustExist = false, timeout = 5000 }: SqliteOptions) {
    const { DatabaseSync } = loadQuietly();
    if (fileMustExist && !existsSync(file)) throw missing(file);
    this.#handle = new DatabaseSync(file, { readOnly: readonly });
    // As an option of the constructor it is known since Node 22.16 only.
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
 * Node warns once in a process that its SQLite is experimental, which no user of the emulator can do anything about. Every
 * other warning is passed on, and nothing is left changed. A test runner may give the program a copy of `process`, which
 * Node does not ask: hence the module.
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

function missing(file: string): Error {
  return Object.assign(new Error(`unable to open database file: ${file} is not there`), { code: 'SQLITE_CANTOPEN' });
}

const PACKAGE = 'better-sqlite3';
/** Where npm puts the compiled part; better-sqlite3 itself would look for it in a dozen places. */
const NATIVE = 'better-sqlite3/build/Release/better_sqlite3.node';
const load = createRequire(import.meta.url);

/** Loaded once: a test runner that has ended refuses to load what a late call would ask for. */
let loaded: { Sqlite: typeof import('better-sqlite3'); nativeBinding: ReturnType<typeof load> } | undefined;

/** What is wrong with better-sqlite3, and what to run. */
function missingPart(): string {
  const { build, sqlite } = installCommands();
  return isInstalled()
    ? `has no compiled part for it: its install script was not run, or Node was changed since. Run ${build}`
    : `is not installed: its build failed, or optional packages were left out. Run ${sqlite}`;
}

/** The compiled part of better-sqlite3 is missing, or made for another Node; the message is the remedy. */
export class NativeModuleMissing extends Error {
  override name = 'NativeModuleMissing';

  /** Without its cause, which lists all the places where the part is not. */
  constructor() {
    super(
      `Node ${process.versions.node} needs better-sqlite3, which ${missingPart()}, or use Node 22.13 or later, which needs no compiled part.`,
    );
  }
}

/** Throws `NativeModuleMissing`, or what SQLite says of the file. */
export function openBetterSqlite(file: string, options: SqliteOptions): SqliteDatabase {
  try {
    loaded ??= { Sqlite: load(PACKAGE), nativeBinding: load(NATIVE) };
    const { Sqlite, nativeBinding } = loaded;
    return new Sqlite(file, { ...options, nativeBinding });
  } catch (error) {
    // Node reports a missing file or package, the system a file that cannot be loaded; a second attempt uses other words.
    throw /better_sqlite3\.node|module 'better-sqlite3/.test(String(Object(error).message))
      ? new NativeModuleMissing()
      : error;
  }
}

export function betterSqliteVersion(): string {
  return `better-sqlite3 ${load('better-sqlite3/package.json').version}`;
}

/** Where its build has failed, npm removes an optional package: then there is nothing to rebuild. */
function isInstalled(): boolean {
  try {
    return load.resolve('better-sqlite3/package.json') !== '';
  } catch {
    return false;
  }
}
