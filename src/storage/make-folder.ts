import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

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
