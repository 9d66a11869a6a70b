import { type ClockMark, realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { parsedJson } from '../../base/text.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { Condition, Kind } from './search-conditions-store.ts';

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

const LONGEST = 6000;
const DATA_URL = /^data:[^,]{1,80},/;

export function requestText(entry: JournalEntry): string {
  const { id, key_id, fault, violation, method, path, operation, status, job_ids, charges, run_id } = entry;
  const made = [...job_ids, ...charges, run_id];
  const texts = [textOf(entry.request), textOf(entry.answer)];
  return comparableText(
    [id, key_id, fault, violation, method, path, operation, status, ...made, ...texts].filter(Boolean).join('\n'),
  );
}

function textOf(kept: string | null): string {
  const value = parsedJson(kept);
  if (value === undefined) return kept ?? '';
  const texts: string[] = [];
  gather(value, texts);
  return texts.join('\n');
}

export function comparableText(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

function gather(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!DATA_URL.test(value)) texts.push(value.slice(0, LONGEST));
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) gather(each, texts);
  }
}
