import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import { readSetting, writeSetting } from '../database/setting-store.ts';
import type { Reader, Transaction } from '../database/transaction.ts';
import type { NewRow } from './journal-store.ts';
import type { PromptTurn } from './redaction.ts';

/** An answer that was not sent, since a lie was. */
export interface AnswerRecord {
  status: number;
  headers: Record<string, string | number | readonly string[]>;
  body: string | null;
}

/** One request, but for the bodies: what it was, who paid what for it. */
export interface JournalFacts {
  id: string;
  account_id: string | null;
  key_id: string | null;
  method: string;
  path: string;
  operation: string | null;
  /** 0: the connection was reset. */
  status: number;
  /** The emulator's time of arrival, in unix seconds. */
  created: number;
  /** The machine's, in milliseconds; and how many of them the answer took. */
  began: number;
  /** The emulator's in milliseconds, where that is another one. */
  received?: number | undefined;
  duration_ms: number;
  /** How often the client says that it has tried before. */
  retry_count: number;
  credits: number | null;
  /** Ids of the ledger entries by which it was charged, refunded or not. */
  charges: readonly string[];
  job_ids: readonly string[];
  /** The run of a flow that it started. */
  run_id?: string | undefined;
  /** The fault rule that applied to it, and the scripted answer that it got. */
  fault?: string | undefined;
  fixture?: string | undefined;
  /** What `svc-emulator-warnings` and `svc-emulator-dropped` named. */
  warnings?: string | undefined;
  dropped?: string | undefined;
  /** After how many seconds it was asked to come again. */
  retry_after?: number | undefined;
  /** The connection was over before the answer was. */
  cut?: true | undefined;
  engine_prompt?: readonly PromptTurn[] | undefined;
  /** The error that it was answered with; of a 402, what there was to pay with. */
  error?: string | undefined;
  error_message?: string | undefined;
  left?: number | undefined;
  /** Not all of its body is kept. */
  request_cut?: true | undefined;
  /** Of an upload: how large its file is. */
  bytes?: number | undefined;
  /** The same for uploads that are alike, whatever the boundaries of their forms. */
  form?: string | undefined;
  /** It was answered with a stream that began. */
  streamed?: true | undefined;
  /** The jobs that its answer shows, with their states then. */
  shown?: readonly { id: string; status: string }[] | undefined;
  /** The lies that were told, what was sent, and the answer in whose place it was; bodies are redacted and bounded. */
  lie?: string | undefined;
  response?: AnswerRecord | undefined;
  truth?: AnswerRecord | undefined;
  /** It belongs to a future that a restore has discarded; known when it is read, and not kept. */
  discarded?: true | undefined;
}

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
  /** To which volume it belongs. */
  readonly volume: number;
  record(): Recorded;
}

/** The JSON of a row: what has no column of its own and is not empty. */
type KeptFacts = Partial<Omit<JournalFacts, 'id' | 'account_id' | 'status' | 'created'>>;

export function rowOf(facts: JournalFacts, { request, answer }: JournalBodies): NewRow {
  const { id, account_id: accountId, status, charges, job_ids } = facts;
  const kept: KeptFacts = {
    key_id: facts.key_id ?? undefined,
    method: facts.method,
    path: facts.path,
    operation: facts.operation ?? undefined,
    began: facts.began,
    received: facts.received,
    duration_ms: facts.duration_ms,
    retry_count: facts.retry_count || undefined,
    credits: facts.credits ?? undefined,
    charges: charges.length > 0 ? charges : undefined,
    job_ids: job_ids.length > 0 ? job_ids : undefined,
    run_id: facts.run_id,
    fault: facts.fault,
    fixture: facts.fixture,
    warnings: facts.warnings,
    dropped: facts.dropped,
    retry_after: facts.retry_after,
    cut: facts.cut,
    engine_prompt: facts.engine_prompt,
    error: facts.error,
    error_message: facts.error_message,
    left: facts.left,
    request_cut: facts.request_cut,
    bytes: facts.bytes,
    form: facts.form,
    streamed: facts.streamed,
    shown: facts.shown,
    lie: facts.lie,
    response: facts.response,
    truth: facts.truth,
  };
  return { id, accountId, status, facts: JSON.stringify(kept), request, answer };
}

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

/**
 * A state that was kept at one moment is gone on with at another. What was `saved` in another data folder came to be
 * outside of what is on record here: undefined.
 */
export function resumeTimeline(tx: Transaction, { saved, at }: { saved: number | undefined; at: number }): void {
  const before = saved === undefined ? [] : readTimeline(tx);
  const ended = before.map(({ from, to }) => ({ from, to: to ?? saved ?? from }));
  writeSetting(tx, SETTING, [...ended, { from: at, to: null }]);
}

/** Whether what happened at a time of the machine's clock is part of a state. */
export function isOfTimeline(timeline: Timeline, at: number): boolean {
  return timeline.some(({ from, to }) => at >= from && (to === null || at <= to));
}

const known = {
  id: z.string(),
  account_id: z.string().nullable(),
  key_id: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  operation: z.string().nullable(),
  /** 0: the connection was reset. */
  status: z.int(),
  /** The emulator's time of arrival, in unix seconds. */
  created: z.int(),
  duration_ms: z.number(),
  /** How often the client says that it has tried before. */
  retry_count: z.int(),
  credits: z.int().nullable(),
  job_ids: z.array(z.string()).readonly(),
  /** It belongs to a future that a restore has discarded: what it led to is known from this record alone. */
  discarded: z.literal(true).optional(),
};

/** One request as a list shows it, without its bodies; `error` is the code of its answer, `fault` the rule that applied to it. */
export const requestLineRecord = z.strictObject({
  ...known,
  /** The machine's time of arrival, in milliseconds. */
  began: z.number(),
  error: z.string().nullable(),
  fault: z.string().nullable(),
  /** What `svc-emulator-warnings` named, and what `svc-emulator-dropped`. */
  warnings: z.string().nullable(),
  dropped: z.string().nullable(),
});

export type RequestLine = z.infer<typeof requestLineRecord>;

const wholeAnswer = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string()).readonly()])),
  body: z.string().nullable(),
});

/** A request with all that it led to: keys redacted, bodies cut where they are long. */
export const requestRecord = z.strictObject({
  ...known,
  /** By the clock of the machine. */
  received_at: z.string(),
  /** Ids of the ledger entries by which it was charged, refunded or not. */
  charges: z.array(z.string()).readonly(),
  /** The run of a flow that it started. */
  run_id: z.string().nullable(),
  event_ids: z.array(z.string()),
  delivery_ids: z.array(z.string()),
  /** The fault rule that applied to it, and the scripted answer that it got. */
  fault: z.string().optional(),
  fixture: z.string().optional(),
  warnings: z.string().optional(),
  dropped: z.string().optional(),
  /** After how many seconds it was asked to come again. */
  retry_after: z.number().optional(),
  /** The connection was over before the answer was. */
  cut: z.literal(true).optional(),
  engine_prompt: z
    .array(z.strictObject({ role: z.string(), text: z.string(), images: z.int() }))
    .readonly()
    .optional(),
  request: z.string().nullable(),
  answer: z.string().nullable(),
  /** The lies that were told, the response that was sent, and the one in whose place it was. */
  lie: z.string().optional(),
  response: wholeAnswer.optional(),
  truth: wholeAnswer.optional(),
});

export type RequestRecord = z.infer<typeof requestRecord>;
