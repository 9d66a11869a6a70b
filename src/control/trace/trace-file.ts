import type { OutputLine } from '../../base/output/output-line.ts';
import type { OrderView } from '../orders/order-operations.ts';

/** Raised with every change of what a trace holds that an older page could not read. */
export const TRACE_FORMAT = 1;

/** What is known of the run of a trace. Times are milliseconds of the machine's clock. */
export interface TraceHead {
  format: number;
  /** Of the emulator. */
  version: string;
  /** The command or the test; of a running emulator its address. */
  title: string;
  /** Of the command; null if there was none. */
  exit: number | null;
  /** Why it failed; null if nothing says that it did. */
  failure: string | null;
  /** What was made to happen in it, a line each. */
  schedule?: readonly string[] | undefined;
  span: { began: number; ended: number };
  /** How many older requests and files were left out, and the lists of which older rows were. */
  leftOut: { requests: number; files: number; rows?: readonly string[] };
}

/** A record as the control surface returns it. */
export type TraceRow = Record<string, unknown> & { id: string };

/** One order as it was when the trace was written. */
export interface TracedOrder {
  /** The ids of all that belongs to it. */
  ids: readonly string[];
  timeline: OrderView;
  /** What its steps show, by their paths below /_emulator. */
  records: Readonly<Record<string, object>>;
}

/** One run as a page without an emulator shows it. */
export interface TraceFile {
  head: TraceHead;
  /** Newest first. */
  orders: readonly TracedOrder[];
  /** Responses of the control surface, by their paths below /_emulator. */
  answers: Readonly<Record<string, object>>;
  output: readonly OutputLine[];
  /** Files as data URLs, by their path. */
  media: Readonly<Record<string, string>>;
}
