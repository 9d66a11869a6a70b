import type { Reader } from '../database/transaction.ts';
import type { EventType } from './event-types.ts';

/** An event as stored; `created` in milliseconds of the emulator's clock. */
export interface StoredEvent {
  id: string;
  workspaceId: string;
  accountId: string;
  type: EventType;
  flowId: string | null;
  runId: string | null;
  jobId: string | null;
  /** The request that led to it. */
  requestId: string | null;
  /** The exact text that is signed and sent. */
  body: string;
  created: number;
  /** The lies that made it so, and the text that would have been sent. */
  lie?: string | null;
  truth?: string | null;
}

/** A part of a list: what comes before a position, of one account or of all. */
export interface Slice {
  accountId: string | undefined;
  before: number;
  limit: number;
}

const COLUMNS = `id, workspace_id AS workspaceId, account_id AS accountId, type,
  flow_id AS flowId, run_id AS runId, job_id AS jobId, request_id AS requestId, body, created, lie, truth`;

export function readEvent(db: Reader, id: string): StoredEvent | undefined {
  return db.get<StoredEvent>(`SELECT ${COLUMNS} FROM events WHERE id = ?`, id);
}

/** Newest first. */
export function readEvents(db: Reader, { accountId, before, limit }: Slice): StoredEvent[] {
  const owner = accountId === undefined ? [] : [accountId];
  return db.all<StoredEvent>(
    `SELECT ${COLUMNS} FROM events WHERE ${owner.length ? 'account_id = ? AND' : ''} position < ?
     ORDER BY position DESC LIMIT ?`,
    ...owner,
    before,
    limit,
  );
}

/** The position of an event in the list. */
export function readEventPosition(db: Reader, id: string): number | undefined {
  return db.get<{ position: number }>('SELECT position FROM events WHERE id = ?', id)?.position;
}

/** The newest bodies of a type in a workspace, of one flow when it is given. */
export function readRecentBodies(
  db: Reader,
  of: { workspaceId: string; type: EventType; flowId?: string },
  limit: number,
): string[] {
  const { workspaceId, type, flowId } = of;
  const rows = db.all<{ body: string }>(
    `SELECT body FROM events WHERE workspace_id = ? AND type = ? AND flow_id IS COALESCE(?, flow_id)
       AND COALESCE(lie, '') NOT LIKE '%event.none%'
     ORDER BY position DESC LIMIT ?`,
    workspaceId,
    type,
    flowId ?? null,
    limit,
  );
  return rows.map(({ body }) => body);
}

/** A filter for what follows a position, of one type, and of one account or of all. */
export interface Following {
  type: EventType;
  accountId: string | undefined;
  after: number;
}

/** The first event that follows. */
export function readNextEvent(db: Reader, { type, accountId, after }: Following): StoredEvent | undefined {
  const owner = accountId === undefined ? [] : [accountId];
  return db.get<StoredEvent>(
    `SELECT ${COLUMNS} FROM events
     WHERE ${owner.length ? 'account_id = ? AND' : ''} position > ? AND type = ?
     ORDER BY position LIMIT 1`,
    ...owner,
    after,
    type,
  );
}
