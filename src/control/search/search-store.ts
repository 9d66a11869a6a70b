import { type ClockSyncPoint, toRealTime } from '../../base/clock/virtual-clock.ts';
import { makeId } from '../../base/database/id-store.ts';
import { likePatterns, readIds, type SqlCondition } from '../../base/database/list-queries.ts';
import type { Reader, SqlValue } from '../../base/database/reader.ts';
import type { Random } from '../../base/random.ts';
import { tryParseJson } from '../../base/text.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { recordFieldSql } from '../../engine/journal/journal-store.ts';
import type { IsOrHasTerm, SearchQuery } from './search-query.ts';

export const RECORD_KINDS = ['request', 'job', 'event', 'delivery', 'run'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

const NEVER: SqlCondition = { sql: '0', values: [] };

/** These fields are read only if the stored JSON of the request contains the searched word at all. */
const SAID_FIELDS = ['method', 'path', 'operation', 'key_id', 'fault', 'job_ids', 'charges', 'run_id'];
const OTHER_TEXTS = `concat_ws(' ', ${SAID_FIELDS.map(recordFieldSql).join(', ')})`;

const BODY_MODEL = `COALESCE(${recordFieldSql('model')}, CASE WHEN json_valid(request) THEN request ->> '$.model' END)`;

const columns = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]));

const TEXTS: Record<RecordKind, Readonly<Record<string, string>>> = {
  request: columns('id', 'status', 'request', 'answer'),
  job: columns('id', 'model', 'parameters'),
  event: columns('id', 'type', 'body', 'run_id', 'job_id'),
  delivery: {
    ...columns('id', 'url', 'event_id', 'endpoint_id'),
    type: '(SELECT type FROM events WHERE events.id = event_id)',
  },
  run: { ...columns('id', 'inputs', 'flow_id'), flow: '(SELECT name FROM flows WHERE flows.id = flow_id)' },
};

const MODELS: Partial<Record<RecordKind, string>> = { request: BODY_MODEL, job: 'model' };

export function fieldConditions(kind: RecordKind, { status, took, model, path }: Partial<SearchQuery>): SqlCondition[] {
  const ofModel = (sql: string | undefined, text: string) =>
    sql === undefined ? NEVER : { sql: `instr(lower(${sql}), ?) > 0`, values: [text.toLowerCase()] };
  return [
    ...(status ? [ofRequest(kind, 'status BETWEEN ? AND ?', ...status)] : []),
    ...(took ? [ofRequest(kind, `COALESCE(${recordFieldSql('duration_ms')}, 0) BETWEEN ? AND ?`, ...took)] : []),
    ...(model === undefined ? [] : [ofModel(MODELS[kind], model)]),
    ...(path === undefined ? [] : [ofRequest(kind, `instr(${recordFieldSql('path')}, ?) > 0`, path)]),
  ];
}

export interface SearchedWord {
  word: string;
  owners: readonly string[];
}

export function wordCondition(kind: RecordKind, { word, owners }: SearchedWord): SqlCondition {
  const texts = Object.values(TEXTS[kind]).map((column) => contains(column, word));
  const said = kind === 'request' ? [joined('AND', [contains('record', word), contains(OTHER_TEXTS, word)])] : [];
  return joined('OR', [...texts, ...said, ...(owners.length === 0 ? [] : [oneOfCondition('account_id', owners)])]);
}

function contains(column: string, word: string): SqlCondition {
  const matches = likePatterns(word).map((pattern) => ({ sql: `${column} LIKE ? ESCAPE '!'`, values: [pattern] }));
  return joined('OR', matches);
}

export function oneOfCondition(expression: string, values: readonly string[]): SqlCondition {
  return { sql: `${expression} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}

function concernsOneOf(kind: RecordKind, ids: readonly string[]): SqlCondition {
  const is = oneOfCondition('id', ids);
  if (kind !== 'request') return is;
  const listed = (name: string) => {
    const { sql, values } = oneOfCondition('value', ids);
    return { sql: `EXISTS (SELECT 1 FROM json_each(record, '$.${name}') WHERE ${sql})`, values };
  };
  return joined('OR', [
    is,
    listed('job_ids'),
    listed('charges'),
    oneOfCondition(`COALESCE(${recordFieldSql('run_id')}, '')`, ids),
  ]);
}

function joined(operator: 'AND' | 'OR', conditions: readonly SqlCondition[]): SqlCondition {
  const sql = `(${conditions.map((each) => each.sql).join(` ${operator} `)})`;
  return { sql, values: conditions.flatMap(({ values }) => values) };
}

const CONSTANT: Partial<Record<IsOrHasTerm, string>> = {
  'has:fault': `${recordFieldSql('fault')} IS NOT NULL`,
  'has:warning': `(${recordFieldSql('warnings')} IS NOT NULL OR ${recordFieldSql('dropped')} IS NOT NULL)`,
  'is:retry': `${recordFieldSql('retry_count')} > 0`,
  'is:cut': `(${recordFieldSql('cut')} AND status <> 0)`,
  'has:charge': `${recordFieldSql('charges')} IS NOT NULL`,
  'has:job': `${recordFieldSql('job_ids')} IS NOT NULL`,
};

/** Finds the ids of the records that a term matches; for `is:done`, of those that it excludes. */
const WORK: Partial<Record<IsOrHasTerm, (db: Reader, random: Random) => string[]>> = {
  'has:refund': refundedWork,
  'is:open': (db) => readIds(db, OPEN),
  'is:waiting': (db) => readIds(db, WAITING),
  'is:refused': refusedWork,
  'is:failed': failedWork,
  'is:done': (db, random) => [...failedWork(db, random), ...readIds(db, OPEN)],
};

export function createIsOrHasCondition(
  db: Reader,
  random: Random,
  term: IsOrHasTerm,
): (kind: RecordKind) => SqlCondition {
  const constant = CONSTANT[term];
  if (constant) return (kind) => ofRequest(kind, constant);
  const ids = WORK[term]?.(db, random) ?? [];
  return (kind) => {
    const ofWork = concernsOneOf(kind, ids);
    if (term !== 'is:failed' && term !== 'is:done') return ofWork;
    const failed = joined('OR', [ofRequest(kind, '(status = 0 OR status >= 400)'), ofWork]);
    return term === 'is:failed' ? failed : { ...failed, sql: `NOT ${failed.sql}` };
  };
}

/** A condition that only requests can meet. */
function ofRequest(kind: RecordKind, sql: string, ...values: SqlValue[]): SqlCondition {
  return kind === 'request' ? { sql, values } : NEVER;
}

/**
 * A search finds jobs, events, deliveries and runs only among the newest 20,000 of their kind, because no index helps.
 * `has:refund` reads at most as many refunds.
 */
const NEWEST = 20_000;

const OPEN = `SELECT id FROM jobs WHERE completed IS NULL UNION ALL SELECT id FROM runs WHERE status = 'running'`;
const WAITING = "SELECT id FROM runs WHERE status = 'waiting'";
const FAILED_RUNS = `SELECT id FROM runs WHERE status = 'failed' ORDER BY position DESC LIMIT ${NEWEST}`;

function failedWork(db: Reader, random: Random): string[] {
  return [...refundedWork(db, random), ...refusedWork(db), ...readIds(db, FAILED_RUNS)];
}

function refundedWork(db: Reader, random: Random): string[] {
  const rows = db.all<{ accountId: string; n: number; jobId: string | null }>(
    `SELECT r.account_id AS accountId, r.refund_of AS n, c.job_id AS jobId FROM ledger r
     JOIN ledger c ON c.account_id = r.account_id AND c.n = r.refund_of WHERE r.refund_of IS NOT NULL LIMIT ${NEWEST}`,
  );
  return rows.flatMap(({ accountId, n, jobId }) => {
    const charge = makeId(random, 'entry', accountId, n);
    return jobId === null ? [charge] : [jobId, charge];
  });
}

function refusedWork(db: Reader): string[] {
  const rows = db.all<{ id: string; ref: string | null }>(
    `SELECT d.id, COALESCE(e.run_id, e.job_id) AS ref
     FROM (SELECT id, event_id, endpoint_id, status FROM deliveries ORDER BY position DESC LIMIT ${NEWEST}) d
     JOIN events e ON e.id = d.event_id
     WHERE d.status = 'failed' AND NOT EXISTS (SELECT 1 FROM deliveries again WHERE again.redelivery_of IS NOT NULL
       AND again.event_id = d.event_id AND again.endpoint_id = d.endpoint_id AND again.status = 'delivered')`,
  );
  return rows.flatMap(({ id, ref }) => (ref === null ? [id] : [id, ref]));
}

export function findAccountIdsByText(db: Reader, text: string): string[] {
  const sql =
    'SELECT id FROM accounts WHERE instr(lower(name), ?) > 0 OR instr(id, ?) = 1 ORDER BY position LIMIT 1000';
  return readIds(db, sql, text.toLowerCase(), text);
}

export interface FoundRecord {
  kind: RecordKind;
  id: string;
  accountId: string | null;
  position: number;
  at: number;
}

type StateKind = Exclude<RecordKind, 'request'>;

const TABLES: Record<StateKind, string> = { job: 'jobs', event: 'events', delivery: 'deliveries', run: 'runs' };

/** How many more rows than needed are read, because rows may be stored out of the order of their times. */
export const MAX_ROWS_OUT_OF_ORDER = 500;

export function findMatchingRows(
  db: Reader,
  kind: StateKind,
  wanted: { conditions: readonly SqlCondition[]; marks: readonly ClockSyncPoint[]; limit: number },
): FoundRecord[] {
  const { conditions, marks, limit } = wanted;
  const table = TABLES[kind];
  const created = kind === 'run' ? 'started' : 'created';
  const where = conditions.map(({ sql }) => `AND ${sql}`).join(' ');
  const rows = db.all<{ position: number; id: string; accountId: string; created: number }>(
    `SELECT position, id, account_id AS accountId, ${created} AS created FROM ${table}
     WHERE position > (SELECT MAX(position) FROM ${table}) - ${NEWEST} ${where} ORDER BY position DESC LIMIT ?`,
    ...conditions.flatMap(({ values }) => values),
    Math.min(limit, NEWEST) + MAX_ROWS_OUT_OF_ORDER,
  );
  return rows.map((row) => ({ ...row, kind, at: toRealTime(marks, row.created, 0) }));
}

export function countRows(db: Reader, kind: StateKind): number {
  return db.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${TABLES[kind]}`)?.n ?? 0;
}

export function searchableTextsOfRow(db: Reader, kind: StateKind, id: string): Record<string, string> | undefined {
  const columns = Object.entries(TEXTS[kind]).map(([name, column]) => `${column} AS ${name}`);
  const row = db.get<Record<string, string | null>>(
    `SELECT ${columns.join(', ')} FROM ${TABLES[kind]} WHERE id = ?`,
    id,
  );
  return row && textsOf(row);
}

export function searchableTextsOfRequest(entry: JournalEntry): Record<string, string> {
  const { id, status, request, answer, key_id, fault, method, path, operation } = entry;
  const { job_ids, charges, run_id } = entry;
  const plain = { id, status, request, answer, key_id, fault, method, path, operation, run_id };
  return textsOf({ ...plain, job_ids: job_ids.join('\n'), charges: charges.join('\n') });
}

function textsOf(row: Readonly<Record<string, string | number | null | undefined>>): Record<string, string> {
  const given = Object.entries(row).filter(([, value]) => value != null && value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, normalizeForComparison(textOf(String(value)))]));
}

const DATA_URL = /^data:[^,]{1,80},/;

function textOf(kept: string): string {
  const value = tryParseJson(kept);
  return typeof value === 'object' && value !== null ? textsIn(value).join('\n') : kept;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return DATA_URL.test(value) ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export function normalizeForComparison(text: string): string {
  return text.toLowerCase().normalize('NFC');
}
