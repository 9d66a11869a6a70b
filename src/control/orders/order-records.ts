import type { ClockMark } from '../../base/clock/clock-marks.ts';
import type { Run, RunStep } from '../../engine/flows/run.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { AuditEntry } from '../../engine/journal/audit-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredEntry } from '../../engine/ledger/ledger-store.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';

/** A ledger entry with its public id, and that of the charge which it gives back. */
export interface PaidEntry extends Omit<StoredEntry, 'refundOf'> {
  id: string;
  refundOf: string | null;
}

/** A run of a flow with the steps that it has reached. */
export interface RunRecords {
  run: Run;
  steps: readonly RunStep[];
}

/** Both clocks: with it the emulator's stamps become the machine's. `now` is the machine's time, in milliseconds. */
export interface BothClocks {
  marks: readonly ClockMark[];
  now: number;
}

/** A text that a test or a person put on record; the machine's time in milliseconds. */
export interface OrderNote {
  at: number;
  accountId: string | null;
  text: string;
}

/**
 * All that is on record of one order: a request and what it led to, a run of a flow, or an event that no request led to.
 * Each list is oldest first.
 */
export interface OrderRecords {
  /** Of the request; else of the run, the job or the event. */
  id: string;
  request: JournalEntry | undefined;
  /** Requests that read its jobs. */
  reads: readonly JournalEntry[];
  jobs: readonly Job[];
  entries: readonly PaidEntry[];
  events: readonly StoredEvent[];
  deliveries: readonly StoredDelivery[];
  run: RunRecords | undefined;
  /** What was noted of its account, or of all, since it began. */
  notes: readonly OrderNote[];
  clock: BothClocks;
}

/** A request of a future that a restore has discarded: what it led to is known from its own record alone. */
export function discardedRecords(request: JournalEntry, clock: BothClocks): OrderRecords {
  const none = { reads: [], jobs: [], entries: [], events: [], deliveries: [], run: undefined, notes: [] };
  return { ...none, id: request.id, request, clock };
}

/** A note on record, where it is about the account or about all. */
export function noteOf(
  { kind, at, accountId, detail }: Pick<AuditEntry, 'kind' | 'at' | 'accountId' | 'detail'>,
  about: string,
): OrderNote | undefined {
  const isAbout = kind === 'note' && (accountId === null || accountId === about);
  return isAbout && detail.text !== undefined ? { at, accountId, text: detail.text } : undefined;
}

/** good: ended well; bad: went wrong; wait: needs a decision, or was made on purpose; work: under way. */
export const TONES = ['good', 'bad', 'wait', 'work', 'plain'] as const;
export type Tone = (typeof TONES)[number];

/** The job that a request reads: the segment of its path that is the id of one. */
export function readJobOf({ method, path }: Pick<JournalEntry, 'method' | 'path'>): string | undefined {
  if (method !== 'GET') return undefined;
  const [plain = ''] = path.split('?');
  return plain.split('/').find((segment) => segment.startsWith('job_'));
}

/** The error of an answer: code and message; undefined where it was none. */
export function errorOf({
  error,
  error_message = '',
}: Pick<JournalEntry, 'error' | 'error_message'>): { code: string; message: string } | undefined {
  return error === undefined ? undefined : { code: error, message: error_message };
}

/** What was charged, and what of it came back; of a discarded future, what its answer said. */
export function moneyOf({ entries, request }: Pick<OrderRecords, 'entries' | 'request'>): {
  charged: number;
  back: number;
} {
  if (request?.discarded) return { charged: request.credits ?? 0, back: 0 };
  const sum = (type: string) => entries.reduce((total, each) => total + (each.type === type ? each.amount : 0), 0);
  return { charged: 0 - sum('charge'), back: sum('refund') };
}

/** The first deliveries, each with the tries that were made again of it. */
export function triesOf(deliveries: readonly StoredDelivery[]): { first: StoredDelivery; tries: StoredDelivery[] }[] {
  const firsts = deliveries.filter(({ redeliveryOf }) => redeliveryOf === null);
  return firsts.map((first) => {
    const same = ({ eventId, endpointId }: StoredDelivery) =>
      eventId === first.eventId && endpointId === first.endpointId;
    return { first, tries: [first, ...deliveries.filter((each) => each.redeliveryOf !== null && same(each))] };
  });
}

/** Why a delivery was refused: the status of its answer, or that there was none. */
export function refusalOf({ responseStatus }: StoredDelivery): string {
  return responseStatus === null ? 'no answer' : String(responseStatus);
}
