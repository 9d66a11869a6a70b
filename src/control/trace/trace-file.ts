import type { OutputLine } from '../../base/output/output-line.ts';
import type { OrderView } from '../orders/order-operations.ts';

/** Raised with every change of what a trace holds that an older page could not read. */
export const TRACE_FORMAT = 1;

/** What is known of the run of a trace. Times are milliseconds of the machine's clock. */
export interface TraceHead {
  format: number;
  version: string;
  title: string;
  /** Of the command; null if there was none. */
  exit: number | null;
  /** Why it failed; null if nothing says that it did. */
  failure: string | null;
  schedule?: readonly string[] | undefined;
  span: { began: number; ended: number };
  leftOut: { requests: number; files: number; rows?: readonly string[] };
}

export type TraceRow = Record<string, unknown> & { id: string };

/** One order as it was when the trace was written. */
export interface TracedOrder {
  ids: readonly string[];
  timeline: OrderView;
  records: Readonly<Record<string, object>>;
}

export interface TraceFile {
  head: TraceHead;
  /** Newest first. */
  orders: readonly TracedOrder[];
  answers: Readonly<Record<string, object>>;
  output: readonly OutputLine[];
  media: Readonly<Record<string, string>>;
}
