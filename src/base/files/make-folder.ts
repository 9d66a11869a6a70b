import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder for its owner, with missing parents. Throws the system's error. Node's `recursive` never returns below
 * `/proc`, where a new folder is reported as missing.
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
