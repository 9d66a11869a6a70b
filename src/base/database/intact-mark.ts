import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { SCHEMA_VERSION } from './database-file.ts';

/**
 * Marks a closed database as sound, in a file next to it, so that nobody needs to read every row of it again. A change
 * or a copy of the database makes the mark invalid. Without a mark the database is checked, so errors are ignored.
 */
export function markDatabaseIntact(file: string): void {
  try {
    writeFileSync(markOf(file), stateOf(file), { mode: 0o600 });
  } catch {}
}

export function isDatabaseMarkedIntact(file: string): boolean {
  if (['-wal', '-journal'].some((suffix) => existsSync(file + suffix))) return false;
  try {
    return readFileSync(markOf(file), 'utf8') === stateOf(file);
  } catch {
    return false;
  }
}

function markOf(file: string): string {
  return `${file}.sound`;
}

/** Includes the time of the last change of the file's metadata, which no program can set. */
function stateOf(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [SCHEMA_VERSION, ino, size, mtimeNs, ctimeNs].join(' ');
}
