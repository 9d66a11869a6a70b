import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and its missing parents. Returns those that it made, the innermost first. Throws the system's error.
 * Node's `recursive` never returns below `/proc`, where a new folder is reported as missing.
 */
export function makeFolder(folder: string, mode = 0o777): string[] {
  if (existsSync(folder)) return [];
  const parents = makeFolder(path.dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
    return [folder, ...parents];
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!existsSync(folder)) throw error;
    return parents;
  }
}
