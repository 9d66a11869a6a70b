import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EmulatorError } from '../errors.ts';
import { packageFolder } from '../package/fixture-folder.ts';
import type { Connection } from './connection.ts';
import type { Reader } from './transaction.ts';

/** Brings a file to this version's schema, or leaves it as it was. */
export function migrate(connection: Connection): void {
  const files = migrationFiles();
  const found = foundVersion(connection);
  if (found > files.length) throw tooNew(found, files.length);
  if (found === files.length) return;
  const steps = files.slice(found).map((file) => readFileSync(file, 'utf8'));
  connection.script(`BEGIN IMMEDIATE;\n${steps.join('\n')}\nPRAGMA user_version = ${files.length};\nCOMMIT;`);
}

/** The version of the schema that a file has: 0 for an empty one. */
export function foundVersion(connection: Reader): number {
  const row = connection.get<{ user_version: number }>('PRAGMA user_version');
  return row?.user_version ?? 0;
}

/** What `user_version` says of a file with this version's schema. */
export function schemaVersion(): number {
  return migrationFiles().length;
}

function migrationFiles(): string[] {
  const folder = path.join(packageFolder(), 'src', 'database', 'migrations');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => path.join(folder, name));
}

function tooNew(found: number, known: number): EmulatorError {
  return new EmulatorError(
    'internal_error',
    `The data folder has version ${found}, made by a newer svc-emulator; this one knows versions up to ${known}. Upgrade, or choose another folder with --data-dir.`,
  );
}
