import { z } from 'zod';
import type { Reader } from '../../base/database/transaction.ts';

/** The latest time that an answer can contain, in milliseconds: the end of the year 9999. */
export const LATEST = Date.UTC(9999, 11, 31);

/** Columns of moments, whatever their table. */
const MOMENTS = new Set(
  ['created', 'started', 'completed', 'finished', 'revoked', 'expires', 'attempted_at', 'last_delivery_at'].concat([
    'ready_at',
    'refused_at',
    'used',
  ]),
);
/** Columns that end up in a header of an answer. */
const HEADERS = new Set(['content_type']);
/** Columns of JSON, with their table. */
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
  'flow_versions.steps',
  'runs.inputs',
  'runs.failure',
  'runs.faults',
  'run_steps.post',
  'run_steps.outcome',
  'faults.match',
  'faults.effect',
  'fixtures.written',
  'fixtures.media',
]);

/** What keeps the rows of a database from being answered with: a column, and why; undefined when all is well [I230]. */
export function unfitValue(db: Reader): string | undefined {
  const tables = db.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' AND name NOT LIKE 'sqlite%'`,
  );
  for (const { name: table } of tables) {
    const columns = db.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table);
    const wrong = columns
      .flatMap(({ name }) => conditionOf(table, name) ?? [])
      .find(({ where }) => has(db, table, where));
    if (wrong) return `${table}.${wrong.column} ${wrong.why}`;
  }
  return undefined;
}

interface Condition {
  column: string;
  where: string;
  why: string;
}

function conditionOf(table: string, column: string): Condition | undefined {
  if (MOMENTS.has(column)) {
    return { column, where: `${column} NOT BETWEEN 0 AND ${LATEST}`, why: 'holds a time out of range' };
  }
  if (HEADERS.has(column)) {
    return { column, where: `${column} GLOB '*[^ -~]*'`, why: 'holds what no header can carry' };
  }
  if (!JSON_COLUMNS.has(`${table}.${column}`)) return undefined;
  return { column, where: `${column} IS NOT NULL AND NOT json_valid(${column})`, why: 'holds broken JSON' };
}

function has(db: Reader, table: string, where: string): boolean {
  return db.get(`SELECT 1 FROM "${table}" WHERE ${where} LIMIT 1`) !== undefined;
}

/** Milliseconds that an answer can contain as a date. */
export const moment = z.int().min(0).max(LATEST);
