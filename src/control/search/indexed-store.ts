import { type ClockMark, realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { type Doc, type Kind, textOf } from './indexed-text.ts';

/** A row of the database as the index reads it. */
interface Row {
  position: number;
  id: string;
  accountId: string;
  created: number;
  model: string | null;
  /** Texts or JSON. */
  one: string | null;
  two: string | null;
  ref: string | null;
}

type StateKind = Exclude<Kind, 'request'>;

const ROWS: Record<StateKind, string> = {
  job: `SELECT position, id, account_id AS accountId, created, model, parameters AS one, NULL AS two, NULL AS ref
    FROM jobs`,
  event: `SELECT position, id, account_id AS accountId, created, NULL AS model, type AS one, body AS two,
    COALESCE(run_id, job_id) AS ref FROM events`,
  delivery: `SELECT position, id, account_id AS accountId, created, NULL AS model,
    url || ' ' || (SELECT type FROM events WHERE events.id = event_id) AS one, endpoint_id AS two, event_id AS ref
    FROM deliveries`,
  run: `SELECT position, id, account_id AS accountId, started AS created, NULL AS model, inputs AS one,
    flow_id AS two, NULL AS ref FROM runs`,
};

export const STATE_KINDS = Object.keys(ROWS) as StateKind[];

/** What came after a position, oldest first. */
export function rowsAfter(
  db: Reader,
  kind: StateKind,
  { position, limit, marks }: { position: number; limit: number; marks: readonly ClockMark[] },
): Doc[] {
  const rows = db.all<Row>(`${ROWS[kind]} WHERE position > ? ORDER BY position LIMIT ?`, position, limit);
  return rows.map((row) => docOf(kind, row, marks));
}

function docOf(kind: StateKind, row: Row, marks: readonly ClockMark[]): Doc {
  const { position, id, accountId, created, model, one, two, ref } = row;
  const words = [id, ref, model, textOf(one), textOf(two)];
  return {
    kind,
    position,
    id,
    accountId,
    at: realTimeOf(marks, created, 0),
    facts: { status: null, took: null, model, path: null, traits: '' },
    text: words.filter(Boolean).join('\n').toLowerCase().normalize('NFC'),
    refs: { made: [], named: ref === null ? [] : [ref] },
  };
}

/** How many of the newest are looked at for what has no index. */
const NEWEST = 20_000;

/** Accounts whose name or id has a piece of text in it. */
export function accountsNamed(db: Reader, text: string): string[] {
  const rows = db.all<{ id: string }>(
    'SELECT id FROM accounts WHERE instr(lower(name), ?) > 0 OR instr(id, ?) = 1 ORDER BY position LIMIT 1000',
    text.toLowerCase(),
    text,
  );
  return rows.map(({ id }) => id);
}

/** Names of accounts, newest first. */
export function accountNames(db: Reader): string[] {
  return db.all<{ name: string }>('SELECT name FROM accounts ORDER BY position DESC LIMIT 500').map(({ name }) => name);
}

/** Charges that came back: whose, which, and of which job. */
export function refundedCharges(db: Reader): { accountId: string; n: number; jobId: string | null }[] {
  return db.all(
    `SELECT r.account_id AS accountId, r.refund_of AS n, c.job_id AS jobId FROM ledger r
     JOIN ledger c ON c.account_id = r.account_id AND c.n = r.refund_of WHERE r.refund_of IS NOT NULL LIMIT ${NEWEST}`,
  );
}

/** Deliveries that failed, and the jobs and runs that they report. */
export function refusedWork(db: Reader): string[] {
  const rows = db.all<{ id: string; ref: string | null }>(
    `SELECT d.id, COALESCE(e.run_id, e.job_id) AS ref
     FROM (SELECT id, event_id, endpoint_id, status FROM deliveries ORDER BY position DESC LIMIT ${NEWEST}) d
     JOIN events e ON e.id = d.event_id
     WHERE d.status = 'failed' AND NOT EXISTS (SELECT 1 FROM deliveries again WHERE again.redelivery_of IS NOT NULL
       AND again.event_id = d.event_id AND again.endpoint_id = d.endpoint_id AND again.status = 'delivered')`,
  );
  return rows.flatMap(({ id, ref }) => (ref === null ? [id] : [id, ref]));
}

/** Work that is not done. */
export function openWork(db: Reader): string[] {
  const rows = db.all<{ id: string }>(
    `SELECT id FROM jobs WHERE completed IS NULL UNION ALL SELECT id FROM runs WHERE status = 'running'`,
  );
  return rows.map(({ id }) => id);
}

export function failedRuns(db: Reader): string[] {
  const sql = `SELECT id FROM runs WHERE status = 'failed' ORDER BY position DESC LIMIT ${NEWEST}`;
  return db.all<{ id: string }>(sql).map(({ id }) => id);
}

export function waitingRuns(db: Reader): string[] {
  return db.all<{ id: string }>("SELECT id FROM runs WHERE status = 'waiting'").map(({ id }) => id);
}
