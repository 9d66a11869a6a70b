import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { asDiskError, EmulatorError, isStorageFull, systemCode } from '../errors.ts';
import { packageFolder } from '../package/package-folder.ts';
import { Connection } from './connection.ts';
import type { Reader } from './transaction.ts';

/** Creating the tables takes ten times as long as copying the prebuilt database. */
export function copyEmptyDatabase(file: string, { durable }: { durable: boolean }): void {
  if (existsSync(file)) return;
  const empty = createRequire(import.meta.url).resolve('#empty-database');
  const fresh = `${file}.new`;
  try {
    writeFileSync(fresh, readFileSync(empty), { mode: 0o600, flush: durable });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    // On a full disk SQLite would leave an empty file, which looks damaged. It reports every other failure itself.
    if (isStorageFull(asDiskError(error))) throw asDiskError(error);
  }
}

/** Updates a file to the current schema, or changes nothing. Throws for the file of a newer version. */
export function migrate(connection: Connection): void {
  const files = schemaFiles();
  const found = foundVersion(connection);
  if (found === files.length) return;
  if (found < 0 || found > files.length || (found === 0 && hasTables(connection)))
    throw otherVersion(found, files.length);
  const steps = files.slice(found).map((file) => readFileSync(file, 'utf8'));
  const version = `PRAGMA user_version = ${files.length};`;
  // A migration that recreates a table drops it first, which foreign keys would forbid.
  connection.script('PRAGMA foreign_keys = OFF;');
  connection.script(`BEGIN IMMEDIATE;\n${steps.join('\n')}\n${version}\nCOMMIT;`);
  connection.script('PRAGMA foreign_keys = ON;');
}

export function foundVersion(connection: Reader): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

export function schemaVersion(): number {
  return schemaFiles().length;
}

function hasTables(connection: Reader): boolean {
  return connection.get('SELECT 1 FROM sqlite_schema LIMIT 1') !== undefined;
}

function schemaFiles(): string[] {
  const folder = path.join(packageFolder(), 'src', 'base', 'database');
  const migrations = path.join(folder, 'migrations');
  const later = existsSync(migrations) ? readdirSync(migrations).sort() : [];
  return [path.join(folder, 'schema.sql'), ...later.map((name) => path.join(migrations, name))];
}

function otherVersion(found: number, known: number): EmulatorError {
  return new EmulatorError(
    'internal_error',
    `The database of the data folder has schema version ${found}; this svc-emulator knows version ${known}. Start the version that made it, choose another folder with --data-dir, or delete the folder.`,
  );
}

type DatabaseFault = { newer: number; known: number } | { damage: string };

/** Returns undefined if the file is sound. No process may have it open. */
export function checkDatabase(file: string): DatabaseFault | undefined {
  try {
    const connection = new Connection(file, { mode: 'reading' });
    try {
      return faultOf(connection);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (!systemCode(error)?.startsWith('SQLITE_')) throw error;
    return { damage: String(Object(error).message) };
  }
}

function faultOf(connection: Connection): DatabaseFault | undefined {
  const known = schemaVersion();
  const found = foundVersion(connection);
  if (found > known) return { newer: found, known };
  if (found < 1) return { damage: 'it has no schema of svc-emulator' };
  const damage = damageOf(connection);
  return damage === undefined ? undefined : { damage };
}

export function damageOf(db: Reader): string | undefined {
  const report = db.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check;
  return report === 'ok' ? undefined : (report ?? 'unreadable');
}

export function schemaOf(db: Reader): string {
  return JSON.stringify(db.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2'));
}
