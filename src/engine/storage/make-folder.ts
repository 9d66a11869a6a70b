import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { openSqlite } from '../../base/database/open-sqlite.ts';
import type { SqliteDatabase } from '../../base/database/sqlite-driver.ts';
import { systemCode } from '../../base/errors.ts';

/**
 * Makes a folder for its owner, with those above it that are missing. Throws the system's error. Node's own way to do this
 * never ends where the system says of a folder in one that is there that there is none, as it does below `/proc`.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!existsSync(folder)) throw error;
  }
}

export const LOCK = 'lock.db';

/** An open exclusive transaction on a database of its own: the system ends it with the process, whatever ends that. */
export function takeLock(folder: string): SqliteDatabase {
  const lock = openSqlite(path.join(folder, LOCK), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!systemCode(error)?.startsWith('SQLITE_BUSY')) throw error;
    throw new DataFolderInUse(
      `The data folder ${folder} is in use by another svc-emulator. Stop that one, choose another folder with --data-dir, or keep nothing with --ephemeral.`,
      { cause: error },
    );
  }
}

/** Another process has the folder (exit code 3). */
export class DataFolderInUse extends Error {
  override name = 'DataFolderInUse';
}

/** The folder cannot be used; the message names it and the remedy (exit code 1). */
export class DataFolderUnusable extends Error {
  override name = 'DataFolderUnusable';
}

/** Adds the name of the folder to an error of the system. */
export function explained<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new DataFolderUnusable(
      `The data folder ${folder} cannot be used: ${(error as Error).message}. Make it a folder that this user may write, with space on its disk, or choose another one with --data-dir.`,
      { cause: error },
    );
  }
}
