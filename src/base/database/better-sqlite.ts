import { createRequire } from 'node:module';
import type { SqliteDatabase, SqliteOptions } from './sqlite-driver.ts';

const PACKAGE = 'better-sqlite3';
/** Where npm puts the compiled part; better-sqlite3 itself would look for it in a dozen places. */
const NATIVE = 'better-sqlite3/build/Release/better_sqlite3.node';
const load = createRequire(import.meta.url);

/** Loaded once: a test runner that has ended refuses to load what a late call would ask for. */
let loaded: { Sqlite: typeof import('better-sqlite3'); nativeBinding: ReturnType<typeof load> } | undefined;

const WITHOUT_BUILD =
  'has no compiled part for it: npm did not run its install script, or Node was changed since. Run npm rebuild --ignore-scripts=false better-sqlite3';
const NOT_INSTALLED =
  'is not installed: its build failed, or npm left out optional packages. Run npm install --ignore-scripts=false better-sqlite3@12';

/** The compiled part of better-sqlite3 is missing, or made for another Node; the message is the remedy. */
export class NativeModuleMissing extends Error {
  override name = 'NativeModuleMissing';

  /** Without its cause, which lists all the places where the part is not. */
  constructor() {
    super(
      `Node ${process.versions.node} needs better-sqlite3, which ${isInstalled() ? WITHOUT_BUILD : NOT_INSTALLED}, or use Node 22.13 or later, which needs no compiled part.`,
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
