import { unixSeconds } from '../../base/clock/clock.ts';
import { readSetting, writeSetting } from '../../base/database/id-store.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { NewRow } from './journal-store.ts';
import type { JournalRecord } from './request-schemas.ts';

export interface JournalBodies {
  request: string | null;
  answer: string | null;
}

export type JournalEntry = JournalRecord & JournalBodies;

export interface Recorded {
  record: JournalRecord;
  bodies: JournalBodies;
}

/** The data of a request, from which the record is made later. */
export interface Noted {
  readonly journalEpoch: number;
  record(): Recorded;
}

type KeptRecord = Partial<Omit<JournalRecord, 'id' | 'account_id' | 'status' | 'created'>>;

const NONE: string[] = [];

export function entryOn(timeline: Timeline, row: NewRow): JournalEntry {
  const { id, accountId, status, record, request, answer } = row;
  const kept: KeptRecord = JSON.parse(record);
  const { key_id = null, method = '', path = '', operation = null, began = 0, received, duration_ms = 0 } = kept;
  const { retry_count = 0, credits = null, charges = NONE, job_ids = NONE, ...rare } = kept;
  const entry: JournalEntry = {
    id,
    account_id: accountId,
    key_id,
    method,
    path,
    operation,
    status,
    created: unixSeconds(received ?? began),
    began,
    received,
    duration_ms,
    retry_count,
    credits,
    charges,
    job_ids,
    ...rare,
    request,
    answer,
  };
  if (!isOfTimeline(timeline, entry.began)) entry.discarded = true;
  return entry;
}

/** In milliseconds of the machine's clock, both ends included; null if it has not ended. */
interface TimeSpan {
  from: number;
  to: number | null;
}

/**
 * The times in which the current state was built. A restore ends a span at the snapshot and begins another. What
 * happened outside of them was discarded.
 */
export type Timeline = readonly TimeSpan[];

const SETTING = 'timeline';
export const WHOLE: Timeline = [{ from: 0, to: null }];

export function readTimeline(db: Reader): Timeline {
  return readSetting<Timeline>(db, SETTING) ?? WHOLE;
}

export function resumeTimeline(tx: Transaction, { saved, at }: { saved: number; at: number }): void {
  const ended = readTimeline(tx).map(({ from, to }) => ({ from, to: to ?? saved }));
  writeSetting(tx, SETTING, [...ended, { from: at, to: null }]);
}

function isOfTimeline(timeline: Timeline, at: number): boolean {
  return timeline.some(({ from, to }) => at >= from && (to === null || at <= to));
}
