import { z } from 'zod';
import { schemaDifference } from '../../base/database/database-file.ts';
import type { Reader } from '../../base/database/reader.ts';

/** The latest time that may be stored. From the year 10000, times in ISO 8601 need more digits. */
const LATEST = Date.UTC(9999, 11, 31);

const MOMENTS = new Set(
  ['created', 'started', 'completed', 'finished', 'revoked', 'expires', 'attempted_at', 'last_delivery_at'].concat([
    'ready_at',
    'refused_at',
    'used',
  ]),
);
/** The characters that a column may contain if it becomes a header or part of a URL, as a class of GLOB. */
const SIGNS: Readonly<Record<string, string>> = {
  content_type: ' -~',
  base_url: '!-~',
  id: 'A-Za-z0-9_-',
  token: 'A-Za-z0-9_-',
  handle: 'A-Za-z0-9_-',
  'objects.name': 'A-Za-z0-9._-',
};
/** Columns up to whose values a loop counts, so that a huge value would block the emulator. */
const COUNTERS = new Set(['position', 'n', 'charges']);
const MAX_COUNT = 1e9;
const JSON_COLUMNS = new Set([
  'prices.lines',
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

/** `FILE_COLUMNS` contain the name of a file. `JSON_WITH_FILES` contain JSON with such names in `sha256` or `name`. */
const FILE_COLUMNS = ['files.name', 'objects.file', 'library.file', 'pictures.file', 'fixture_files.file'];
const JSON_WITH_FILES = ['elements.picture', 'elements.voice', 'jobs.outcome', 'jobs.render', 'fixtures.media'];

/** Finds a file name that is not 64 hex digits, because such a name could lead out of the data folder. */
export function storedFileNameProblem(db: Reader): string | undefined {
  const wrong =
    FILE_COLUMNS.find((name) => has(db, tableOf(name), notHex(name))) ??
    JSON_WITH_FILES.find((name) => has(db, `${tableOf(name)}, json_tree(${validJson(name)}) AS tree`, NAMED_WRONGLY));
  return wrong && `${wrong} names a file by something other than 64 hex digits`;
}

const tableOf = (column: string) => column.split('.')[0] ?? '';
/** Parses only JSON that may name a file, because parsing takes most of the time. */
function validJson(column: string): string {
  const mayName = ['file', 'name', 'sha256', '\\'].map((text) => `instr(${column}, '${text}')`).join(' + ');
  return `iif(${mayName} > 0 AND json_valid(${column}), ${column}, '{}')`;
}

function notHex(value: string): string {
  return `(typeof(${value}) <> 'text' OR octet_length(${value}) <> 64 OR ${value} GLOB '*[^0-9a-f]*' OR ${hasNul(value)})`;
}

/** GLOB and JSON functions ignore everything after a NUL. */
function hasNul(value: string): string {
  return `instr(${value}, char(0)) > 0`;
}

/** Matches a field that names a file. The `name` of a figure is the name of an element. */
const IS_NAME = "(tree.key = 'sha256' OR (tree.key = 'name' AND tree.path NOT GLOB '$.figures*'))";
const NAMED_WRONGLY = `(tree.key = 'file' AND tree.type <> 'object') OR (${IS_NAME} AND ${notHex('tree.value')})`;

export function storedContentProblem(db: Reader): string | undefined {
  return schemaDifference(db) ?? unfitValue(db) ?? storedFileNameProblem(db);
}

/** Finds a value that no response can contain, or that the emulator never writes [I230]. */
function unfitValue(db: Reader): string | undefined {
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  for (const { name: table } of tables) {
    const columns = db.all<TableColumn>('SELECT name, type FROM pragma_table_info(?)', table);
    const faults = columns.flatMap((column) => faultsIn(table, column));
    if (faults.length === 0) continue;
    const cases = faults.map(({ where, fault }) => `WHEN ${where} THEN '${table}.${fault}'`).join(' ');
    const found = db.get<{ fault: string }>(
      `SELECT fault FROM (SELECT CASE ${cases} END AS fault FROM "${table}") WHERE fault IS NOT NULL LIMIT 1`,
    );
    if (found) return found.fault;
  }
  return undefined;
}

interface TableColumn {
  name: string;
  type: string;
}

function faultsIn(table: string, { name, type }: TableColumn): { where: string; fault: string }[] {
  const fault = (where: string, why: string) => ({ where, fault: `${name} ${why}` });
  if (type !== 'TEXT') {
    if (MOMENTS.has(name)) return [fault(`${name} NOT BETWEEN 0 AND ${LATEST}`, 'contains a time out of range')];
    const most = COUNTERS.has(name) ? MAX_COUNT : Number.MAX_SAFE_INTEGER;
    return [fault(`${name} NOT BETWEEN ${-most} AND ${most}`, 'contains a number out of range')];
  }
  // `length` counts characters up to a NUL, and `octet_length` bytes: they are equal only for ASCII without a NUL. GLOB
  // would take ten times as long.
  const faults = name.endsWith('_id')
    ? [fault(`length(${name}) <> octet_length(${name})`, 'contains a NUL or another character that no id has')]
    : [fault(hasNul(name), 'contains a NUL character')];
  const signs = [`${table}.${name}`, name].map((each) => SIGNS[each]).find((each) => each !== undefined);
  if (signs !== undefined) faults.push(fault(`${name} GLOB '*[^${signs}]*'`, 'contains characters that it never has'));
  if (name === 'base_url') faults.push(fault(`${name} NOT GLOB 'http*://?*'`, 'contains no address'));
  if (JSON_COLUMNS.has(`${table}.${name}`)) {
    faults.push(fault(`NOT json_valid(${name})`, 'holds broken JSON'));
    faults.push(
      table === 'settings'
        ? fault(
            `name = 'clock' AND NOT (${isNumber('offset')} AND (${isNumber('frozenAt')} OR ${isNull('frozenAt')}))`,
            'holds no clock',
          )
        : fault(`json_type(${name}) NOT IN ('object', 'array')`, 'holds no JSON object'),
    );
  }
  return faults;
}

function isNumber(field: string): string {
  return `(coalesce(json_type(value, '$.${field}'), '') IN ('integer', 'real') AND abs(value ->> '${field}') <= ${LATEST})`;
}

function isNull(field: string): string {
  return `coalesce(json_type(value, '$.${field}'), '') = 'null'`;
}

function has(db: Reader, from: string, where: string): boolean {
  return db.get(`SELECT 1 FROM ${from} WHERE ${where} LIMIT 1`) !== undefined;
}

export const storedTimeSchema = z.int().min(0).max(LATEST);
