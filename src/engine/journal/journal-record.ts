import { unixSeconds } from '../../base/clock/clock.ts';
import { readSetting, writeSetting } from '../../base/database/setting-store.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { NewRow } from './journal-store.ts';
import type { JournalFacts } from './request-schemas.ts';

/** What came and what went: redacted and bounded. */
export interface JournalBodies {
  request: string | null;
  answer: string | null;
}

export type JournalEntry = JournalFacts & JournalBodies;

/** A record of a request. */
export interface Recorded {
  facts: JournalFacts;
  bodies: JournalBodies;
}

/** What was noted of a request, of which a record is made when there is time. */
export interface Noted {
  /** To which generation it belongs. */
  readonly generation: number;
  record(): Recorded;
}

/** The JSON of a row: what has no column of its own and is not empty. */
type KeptFacts = Partial<Omit<JournalFacts, 'id' | 'account_id' | 'status' | 'created'>>;

const NONE: string[] = [];

export function entryOf({ id, accountId, status, facts, request, answer }: NewRow): JournalEntry {
  const kept: KeptFacts = JSON.parse(facts);
  const { key_id = null, method = '', path = '', operation = null, began = 0, received, duration_ms = 0 } = kept;
  const { retry_count = 0, credits = null, charges = NONE, job_ids = NONE, ...rare } = kept;
  return {
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
}

/** As {@link entryOf}, marked where it is of a future that a restore has discarded. */
export function entryOn(timeline: Timeline, row: NewRow): JournalEntry {
  const entry = entryOf(row);
  if (!isOfTimeline(timeline, entry.began)) entry.discarded = true;
  return entry;
}

/** A stretch of the machine's time, in milliseconds, both ends included; null where it goes on. */
interface Stretch {
  from: number;
  to: number | null;
}

/**
 * In which stretches of time a state came to be what it is: a restore ends one at the moment of the snapshot and begins
 * another. What happened outside of them belongs to a future that was discarded.
 */
export type Timeline = readonly Stretch[];

const SETTING = 'timeline';
/** Of a state that was never left. */
export const WHOLE: Timeline = [{ from: 0, to: null }];

export function readTimeline(db: Reader): Timeline {
  return readSetting<Timeline>(db, SETTING) ?? WHOLE;
}

/** A state that was `saved` at one moment continues at another. */
export function resumeTimeline(tx: Transaction, { saved, at }: { saved: number; at: number }): void {
  const ended = readTimeline(tx).map(({ from, to }) => ({ from, to: to ?? saved }));
  writeSetting(tx, SETTING, [...ended, { from: at, to: null }]);
}

/** Whether what happened at a time of the machine's clock is part of a state. */
export function isOfTimeline(timeline: Timeline, at: number): boolean {
  return timeline.some(({ from, to }) => at >= from && (to === null || at <= to));
}
