import { existsSync } from 'node:fs';
import type { SqliteDatabase, SqliteOptions, SqliteStatement } from './sqlite-driver.ts';

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
