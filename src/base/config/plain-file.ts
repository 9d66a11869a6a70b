import { readFileSync, type Stats, statSync } from 'node:fs';
import { invalid } from '../errors.ts';

const MOST_MIB = 100;

/** Reads a file that a user has named. Throws as `requirePlain`, and the system's error for a file that cannot be read. */
export function readPlainFile(file: string): string {
  requirePlain(statSync(file));
  return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
}

/**
 * Throws `invalid_request` for a pipe or a device, which may never end, and for a file over 100 MiB. A folder passes: the
 * system refuses to read it.
 */
export function requirePlain(facts: Pick<Stats, 'isFile' | 'isDirectory' | 'size'>): void {
  if (!facts.isFile() && !facts.isDirectory()) throw invalid(null, 'it is a pipe or a device; expected a plain file.');
  if (facts.size > MOST_MIB * 1_048_576) throw invalid(null, `it is over ${MOST_MIB} MiB; expected a smaller file.`);
}
