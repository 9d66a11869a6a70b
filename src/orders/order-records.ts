import type { ClockMark } from '../clock/clock-marks.ts';
import type { Run, RunStep } from '../flows/run.ts';
import type { Job } from '../jobs/job.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import type { StoredEntry } from '../ledger/ledger-store.ts';
import type { StoredDelivery } from '../webhooks/delivery-store.ts';
import type { StoredEvent } from '../webhooks/event-store.ts';

/** A ledger entry with its public id, and that of the charge which it gives back. */
export interface PaidEntry extends Omit<StoredEntry, 'refundOf'> {
  id: string;
  refundOf: string | null;
}

/** How both clocks stood: by it the emulator's stamps become the machine's. `now` is the machine's, in milliseconds. */
export interface BothClocks {
  marks: readonly ClockMark[];
  now: number;
}

/**
 * All that is on record of one order: a request and what it led to, a run of a flow, or an event that nobody ordered.
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
  told: { events: readonly StoredEvent[]; deliveries: readonly StoredDelivery[] };
  run: { run: Run; steps: readonly RunStep[] } | undefined;
  clock: BothClocks;
}

/** A request of a future that a restore has discarded: of what it led to no more is known than its own record says. */
export function discardedRecords(request: JournalEntry, clock: BothClocks): OrderRecords {
  const none = { reads: [], jobs: [], entries: [], told: { events: [], deliveries: [] }, run: undefined };
  return { ...none, id: request.id, request, clock };
}

/** good: ended well; bad: went wrong; wait: needs somebody, or was made on purpose; work: under way. */
export const TONES = ['good', 'bad', 'wait', 'work', 'plain'] as const;
export type Tone = (typeof TONES)[number];
