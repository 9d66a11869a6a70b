import type { ClockMark } from '../../base/clock/clock-marks.ts';
import type { OutputLine } from '../../base/output/output-line.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { StoredAuditEntry } from '../../engine/journal/audit-reader-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import type { RunRecords } from '../orders/order-records.ts';
import type { PaidEntry } from '../paid-entry.ts';

/** Raised with every change of what a trace holds that an older page could not read. */
export const TRACE_FORMAT = 1;

/** What is known of the run of a trace. Times are milliseconds of the machine's clock. */
export interface TraceHead {
  format: number;
  /** Of the emulator. */
  version: string;
  /** The command or the test; of a running emulator its address. */
  title: string;
  /** Of the command; null where there was none, or where it was not waited for. */
  exit: number | null;
  /** What made it fail, in a sentence; null where nothing says that it did. */
  failure: string | null;
  /** What was made to happen in it, a line each. */
  schedule?: readonly string[] | undefined;
  /** The moment at which it opens; by default its end. */
  openAt?: number | undefined;
  span: { began: number; ended: number };
  marks: readonly ClockMark[];
  /** How many older requests and files there was no room for; kinds of rows of which only the newest so many are kept. */
  leftOut: { requests: number; files: number; rows?: { of: string[]; kept: number } };
}

/** All that was written down, oldest first, as the emulator keeps it. */
interface TraceTables {
  requests: readonly JournalEntry[];
  jobs: readonly Job[];
  entries: readonly PaidEntry[];
  events: readonly StoredEvent[];
  deliveries: readonly StoredDelivery[];
  runs: readonly RunRecords[];
  acts: readonly StoredAuditEntry[];
}

/** A record as the control surface answers it. */
export type Row = Record<string, unknown> & { id: string };

/** One run as a page without an emulator shows it. */
export interface TraceFile {
  head: TraceHead;
  tables: TraceTables;
  /** What the control surface answered at the end, newest first: by its path below /_emulator. */
  lists: Record<string, readonly Row[]>;
  /** The sentences of each request's story. */
  explained: Record<string, readonly unknown[]>;
  output: readonly OutputLine[];
  /** Files as data URLs, by their path. */
  media: Record<string, string>;
}
