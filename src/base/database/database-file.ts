import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isStorageFullError, quoted, systemErrorCode, translateDiskError } from '../errors.ts';
import { packageFolder } from '../package/package-folder.ts';
import { asOneLine } from '../text.ts';
import { Connection } from './connection.ts';
import type { Reader } from './reader.ts';

export const SCHEMA_VERSION = 1;
/** "svce" in ASCII. SQLite stores it at byte `ID_OFFSET` of the file. */
const APPLICATION_ID = 0x73_76_63_65;
const ID_OFFSET = 68;
const MAGIC = 'SQLite format 3\0';

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
    // Throws if the disk is full or may not be written, because SQLite might leave an empty file, which looks damaged.
    // After other failures SQLite makes the file, or reports why it cannot.
    if (isStorageFullError(translateDiskError(error))) throw translateDiskError(error);
  }
}

export function createTables(connection: Connection): void {
  if (readSchemaVersion(connection) === SCHEMA_VERSION) return;
  const schema = readFileSync(path.join(packageFolder(), 'src', 'base', 'database', 'schema.sql'), 'utf8');
  const marks = `PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID};`;
  connection.script(`BEGIN IMMEDIATE;\n${schema}\n${marks}\nCOMMIT;`);
}

export function readSchemaVersion(connection: Reader): number {
  return connection.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0;
}

type DatabaseFault = { foreign: string } | { newer: number } | { damage: string };

/**
 * Returns undefined if the file is sound. Changes nothing in the file. No process may have it open. Throws the system's
 * error if it cannot be read.
 */
export function findDatabaseProblem(
  file: string,
  foreignIn: (db: Reader) => string | undefined = () => undefined,
): DatabaseFault | undefined {
  if (isOfAnotherProgram(file)) return { foreign: 'it is the database of another program' };
  try {
    const connection = new Connection(file, { mode: 'reading' });
    try {
      return faultOf(connection, foreignIn);
    } finally {
      connection.close();
    }
  } catch (error) {
    // A full disk or a lock of another program is not damage.
    if (!/^SQLITE_(?:CORRUPT|ERROR|NOTADB)/.test(systemErrorCode(error) ?? '')) throw error;
    return { damage: asOneLine(String(Object(error).message)) };
  }
}

/** Reads the header itself, because SQLite may write files next to a database that it opens. */
function isOfAnotherProgram(file: string): boolean {
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    const isWhole = readSync(handle, header) === header.length;
    const isSqlite = isWhole && header.toString('latin1', 0, MAGIC.length) === MAGIC;
    return isSqlite && header.readUInt32BE(ID_OFFSET) !== APPLICATION_ID;
  } finally {
    closeSync(handle);
  }
}

function faultOf(connection: Connection, foreignIn: (db: Reader) => string | undefined): DatabaseFault | undefined {
  const version = readSchemaVersion(connection);
  if (version > SCHEMA_VERSION) return { newer: version };
  if (version < SCHEMA_VERSION) return { damage: 'it has no schema of svc-emulator' };
  const damage = damageOf(connection);
  if (damage !== undefined) return { damage };
  const foreign = foreignIn(connection);
  return foreign === undefined ? undefined : { foreign };
}

function damageOf(db: Reader): string | undefined {
  const report = db.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check;
  return report === 'ok' ? undefined : asOneLine(report ?? 'unreadable');
}

interface SchemaItem {
  type: string;
  name: string;
  tbl_name: string;
  sql: string | null;
}

/** Leaves out comments and extra spaces, because a new comment must not make older data folders unusable. */
export function schemaOf(db: Reader): SchemaItem[] {
  const items = db.all<SchemaItem>('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY 1, 2');
  return items.map((item) => ({ ...item, sql: item.sql?.replace(/--.*/g, '').replace(/\s+/g, ' ') ?? null }));
}

/** Undefined if every table, index, trigger and view is as `create` makes it. */
export function schemaDifference(db: Reader, create: (empty: Connection) => void = createTables): string | undefined {
  const own = new Connection(':memory:', { mode: 'quick' });
  create(own);
  const [found, wanted] = [schemaOf(db), schemaOf(own)];
  own.close();
  const isIn = (items: readonly SchemaItem[], item: SchemaItem) => items.some((each) => isDeepStrictEqual(each, item));
  const extra = found.find((item) => !isIn(wanted, item));
  const odd = extra ?? wanted.find((item) => !isIn(found, item));
  if (!odd) return undefined;
  return `its tables are not those of svc-emulator: it ${extra ? 'contains' : 'lacks'} the ${odd.type} ${quoted(odd.name)}`;
}
