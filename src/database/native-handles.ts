import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import Sqlite from 'better-sqlite3';

/** Where npm puts the compiled part; better-sqlite3 itself would look for it in a dozen places. */
const NATIVE = 'better-sqlite3/build/Release/better_sqlite3.node';
const load = createRequire(import.meta.url);

/** Since which version Node's headers give every object of an addon a hook that its destructor takes away again. */
const SINCE = [24, 19] as const;

/**
 * Where an addon was compiled with such headers, the process is aborted when one of its objects is collected in a moment
 * in which no script runs. Nothing that is held here is ever collected; a closed database has let go of all but a few
 * hundred bytes for each statement. It is the one state that emulators of a process share, and none of them reads it.
 */
const held: object[] = [];

/** What SQLite takes for no file at all. */
const IN_MEMORY = ':memory:';

/** The name of a database that ends with its connection: in memory, and in a file without a name once it is large. */
export const NO_FILE = '';

/** Keeps an object of the addon from being collected where that would end the process. */
export function hold<Native extends object>(native: Native): Native {
  if (isAffected(process.versions.node)) held.push(native);
  return native;
}

/** The compiled part of better-sqlite3 is missing, or made for another Node; the message is the remedy. */
export class NativeModuleMissing extends Error {
  override name = 'NativeModuleMissing';

  /** Without its cause, which lists all the places where the part is not. */
  constructor() {
    super(
      'better-sqlite3 has no compiled part for this Node: npm was kept from running its install script, or Node was changed since. Run npm rebuild better-sqlite3 (npm 11: npm install-scripts approve better-sqlite3 before it).',
    );
  }
}

/**
 * A file that is made is its owner's alone, and so are those that SQLite makes beside it [I229].
 * Throws `NativeModuleMissing`, or what SQLite says of the file.
 */
export function openSqlite(file: string, options: Sqlite.Options = {}): Sqlite.Database {
  if (!options.readonly && !options.fileMustExist && file !== IN_MEMORY && file !== NO_FILE) makePrivate(file);
  try {
    return hold(new Sqlite(file, { ...options, nativeBinding: load(NATIVE) }));
  } catch (error) {
    // Node reports a missing file, the system one that cannot be loaded, and a second attempt uses other words.
    throw String(Object(error).message).includes('better_sqlite3.node') ? new NativeModuleMissing() : error;
  }
}

/** Where it cannot be made, SQLite says why. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
  } catch {
    // Its own attempt comes next.
  }
}

function isAffected(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > SINCE[0] || (major === SINCE[0] && minor >= SINCE[1]);
}
