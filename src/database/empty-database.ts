import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Made when the package was built: all tables of this version, and nothing in them. */
const EMPTY = createRequire(import.meta.url).resolve('#empty-database');

/** Puts the empty database of this version where there is no file yet: to make its tables takes ten times as long. */
export function layEmptyDatabase(file: string, { durable }: { durable: boolean }): void {
  if (existsSync(file)) return;
  const fresh = `${file}.new`;
  try {
    writeFileSync(fresh, readFileSync(EMPTY), { mode: 0o600, flush: durable });
    renameSync(fresh, file);
  } catch {
    // What hinders this, SQLite says when it makes the file itself.
    rmSync(fresh, { force: true });
  }
}
