import { type ClockMark, realTimeOf } from '../../base/clock/virtual-clock.ts';
import type { Reader } from '../../base/database/transaction.ts';
import type { Condition, Kind } from './search-conditions-store.ts';
import { comparableText, textOf } from './searched-text.ts';

/** `at` is milliseconds of the machine's clock. */
export interface FoundRecord {
  kind: Kind;
  id: string;
  accountId: string | null;
  position: number;
  at: number;
}

type StateKind = Exclude<Kind, 'request'>;

const TABLES: Record<StateKind, { table: string; created: string; said: string }> = {
  job: { table: 'jobs', created: 'created', said: 'model, parameters AS body, NULL AS ref' },
  event: { table: 'events', created: 'created', said: 'NULL AS model, body, type AS ref' },
  delivery: { table: 'deliveries', created: 'created', said: 'NULL AS model, url AS body, event_id AS ref' },
  run: { table: 'runs', created: 'started', said: 'NULL AS model, inputs AS body, flow_id AS ref' },
};

/** Only this many of the newest rows are searched. */
const MOST = 20_000;

export function findRows(
  db: Reader,
  kind: StateKind,
  { conditions, marks }: { conditions: readonly Condition[]; marks: readonly ClockMark[] },
): FoundRecord[] {
  const { table, created } = TABLES[kind];
  const where = conditions.map(({ sql }) => `AND ${sql}`).join(' ');
  const rows = db.all<{ position: number; id: string; accountId: string; created: number }>(
    `SELECT position, id, account_id AS accountId, ${created} AS created FROM ${table}
     WHERE position > (SELECT MAX(position) FROM ${table}) - ${MOST} ${where} ORDER BY position DESC`,
    ...conditions.flatMap(({ values }) => values),
  );
  return rows.map((row) => ({ ...row, kind, at: realTimeOf(marks, row.created, 0) }));
}

export function countRows(db: Reader, kind: StateKind): number {
  return db.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${TABLES[kind].table}`)?.n ?? 0;
}

export function rowText(db: Reader, kind: StateKind, id: string): { model: string | null; text: string } | undefined {
  const { table, said } = TABLES[kind];
  const row = db.get<{ model: string | null; body: string | null; ref: string | null }>(
    `SELECT ${said} FROM ${table} WHERE id = ?`,
    id,
  );
  return (
    row && {
      model: row.model,
      text: comparableText([id, row.model, row.ref, textOf(row.body)].filter(Boolean).join('\n')),
    }
  );
}
