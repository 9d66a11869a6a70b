import { z } from 'zod';
import type { Reader } from '../../base/database/transaction.ts';

/** The latest time that a response can contain, in milliseconds. */
const LATEST = Date.UTC(9999, 11, 31);

const MOMENTS = new Set(
  ['created', 'started', 'completed', 'finished', 'revoked', 'expires', 'attempted_at', 'last_delivery_at'].concat([
    'ready_at',
    'refused_at',
    'used',
  ]),
);
/** Columns that become a response header. */
const HEADERS = new Set(['content_type']);
const JSON_COLUMNS = new Set([
  'settings.value',
  'jobs.parameters',
  'jobs.render',
  'jobs.outcome',
  'jobs.result',
  'jobs.faults',
  'endpoints.events',
  'events.body',
  'elements.picture',
  'elements.voice',
  'flows.steps',
  'runs.inputs',
  'runs.failure',
  'runs.faults',
  'orders.faults',
  'run_steps.post',
  'run_steps.outcome',
  'faults.match',
  'faults.effect',
  'fixtures.written',
  'fixtures.media',
]);

/** Columns with a file name, and columns of JSON with a `file` or `sha256`. */
const FILE_COLUMNS = ['files.name', 'objects.file', 'library.file', 'pictures.file', 'fixture_files.file'];
const JSON_WITH_FILES = ['elements.picture', 'elements.voice', 'jobs.outcome', 'jobs.render', 'fixtures.media'];

/**
 * The column with a file name other than 64 hex digits; undefined if there is none. Such a name could lead out of the
 * data folder.
 */
export function foreignFileName(db: Reader): string | undefined {
  const wrong =
    FILE_COLUMNS.find((name) => has(db, tableOf(name), notHex(name))) ??
    JSON_WITH_FILES.find((name) => has(db, `${tableOf(name)}, json_tree(${validJson(name)}) AS tree`, NAMED_WRONGLY));
  return wrong && `${wrong} names a file by something other than 64 hex digits`;
}

const tableOf = (column: string) => column.split('.')[0] ?? '';
/** Only JSON that may name a file is parsed, because parsing takes most of the time. */
function validJson(column: string): string {
  const mayName = ['file', 'sha256', '\\'].map((text) => `instr(${column}, '${text}')`).join(' + ');
  return `iif(${mayName} > 0 AND json_valid(${column}), ${column}, '{}')`;
}

function notHex(value: string): string {
  return `(typeof(${value}) <> 'text' OR octet_length(${value}) <> 64 OR ${value} GLOB '*[^0-9a-f]*')`;
}

const NAMED_WRONGLY = `tree.key IN ('file', 'sha256') AND ${notHex('tree.value')}`;

/** The column with a value that a response cannot contain, and why; undefined if there is none [I230]. */
export function unfitValue(db: Reader): string | undefined {
  const tables = db.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' AND name NOT LIKE 'sqlite%'`,
  );
  for (const { name: table } of tables) {
    const columns = db.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table);
    const wrong = columns
      .flatMap(({ name }) => conditionOf(table, name) ?? [])
      .find(({ where }) => has(db, `"${table}"`, where));
    if (wrong) return `${table}.${wrong.column} ${wrong.why}`;
  }
  return foreignFileName(db);
}

interface ColumnCheck {
  column: string;
  where: string;
  why: string;
}

function conditionOf(table: string, column: string): ColumnCheck | undefined {
  if (MOMENTS.has(column)) {
    return { column, where: `${column} NOT BETWEEN 0 AND ${LATEST}`, why: 'contains a time out of range' };
  }
  if (HEADERS.has(column)) {
    return { column, where: `${column} GLOB '*[^ -~]*'`, why: 'contains what no header can contain' };
  }
  if (!JSON_COLUMNS.has(`${table}.${column}`)) return undefined;
  return { column, where: `${column} IS NOT NULL AND NOT json_valid(${column})`, why: 'holds broken JSON' };
}

function has(db: Reader, from: string, where: string): boolean {
  return db.get(`SELECT 1 FROM ${from} WHERE ${where} LIMIT 1`) !== undefined;
}

export const moment = z.int().min(0).max(LATEST);
