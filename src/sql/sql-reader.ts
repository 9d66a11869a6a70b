import { text } from 'node:stream/consumers';
import { isMainThread } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import { hold, openSqlite } from '../database/native-handles.ts';
import { startWatch, watchMemory } from './memory-watch.ts';
import { READY, type SqlOrder, type SqlReport, type SqlRows } from './sql-answer.ts';
import { refuseHidden } from './statement-guard-store.ts';

/**
 * A process of its own for one statement: whatever that takes in time or memory is over when the process is ended. It
 * has a connection on which nothing can be written.
 */
if (isMainThread) await answerOrder();
else watchMemory();

async function answerOrder(): Promise<void> {
  process.stdout.write(READY);
  const order: SqlOrder = JSON.parse(await text(process.stdin));
  process.stdout.write(JSON.stringify(await answer(order)));
}

async function answer(given: SqlOrder): Promise<SqlReport> {
  try {
    const db = openSqlite(given.file, { readonly: true, timeout: 1000 });
    // What is checked is what is run, whatever is written meanwhile.
    db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; BEGIN');
    const statement = hold(db.prepare(given.sql));
    if (!statement.readonly) throw new Error('it writes. Only what reads is allowed here.');
    if (!statement.reader) throw new Error('it answers no rows. Only what reads is allowed here.');
    const { params } = given;
    const bound = Array.isArray(params) ? params.map(asValue) : [named(params)];
    refuseHidden(db, given.sql, bound);
    const columns = distinct(statement.columns().map(({ name }) => name));
    await startWatch(import.meta.filename, columns);
    return read(statement.safeIntegers(true), bound, { columns, ...given });
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function read(
  statement: Sqlite.Statement,
  bound: unknown[],
  { columns, mostRows, mostBytes }: Pick<SqlOrder, 'mostRows' | 'mostBytes'> & Pick<SqlRows, 'columns'>,
): SqlRows {
  const rows: Record<string, unknown>[] = [];
  let left = mostBytes - Buffer.byteLength(JSON.stringify(columns));
  if (left < 0) throw new Error(`the names of its columns are longer than ${mostBytes} bytes. Give them shorter ones.`);
  const cursor = hold(statement.raw(true).iterate(...bound)) as IterableIterator<unknown[]>;
  for (const values of cursor) {
    if (rows.length === mostRows) return { columns, rows, truncated: true };
    // Before anything is made of them: bytes become a text that is a third longer, and names stand in every row.
    if (roughSize(columns, values) > left) return { columns, rows, truncated: true };
    const row = Object.fromEntries(columns.map((name, at) => [name, shown(values[at])]));
    left -= Buffer.byteLength(JSON.stringify(row)) + 1;
    if (left < 0) return { columns, rows, truncated: true };
    rows.push(row);
  }
  return { columns, rows, truncated: false };
}

/** At most as much as the row is as JSON. */
function roughSize(columns: readonly string[], values: readonly unknown[]): number {
  return columns.reduce((sum, name, at) => {
    const value = values[at];
    const length = typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 1;
    return sum + name.length + length;
  }, 0);
}

function named(params: Exclude<SqlOrder['params'], unknown[]>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, asValue(value)]));
}

/** SQLite knows no truth values, and whole numbers are not to become fractions. */
function asValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

function shown(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}

/** Two columns of one name would be one: the second is called `name_2`. */
function distinct(names: readonly string[]): string[] {
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((each) => each === name).length;
    return before === 0 ? name : `${name}_${before + 1}`;
  });
}
