import type { OutputLine } from '../../base/output/output-line.ts';
import type { OPERATION_ROUTES } from '../operation-routes.ts';
import type { OrderView } from '../orders/order-operations.ts';

/** The version rises with each change that an older page cannot read. */
export const TRACE_FORMAT_VERSION = 2;

/** Times are milliseconds of the machine's clock. */
export interface TraceHead {
  format: number;
  version: string;
  title: string;
  /** Null if no exit code is known. */
  exit: number | null;
  /** Null if no failure is known. */
  failure: string | null;
  scenario?: readonly string[] | undefined;
  span: { began: number; ended: number };
  leftOut: { requests: number; files: number; rows?: readonly string[] };
}

export interface TracedOrder {
  ids: readonly string[];
  timeline: OrderView;
  records: Readonly<Record<string, object>>;
}

export interface TraceFile {
  head: TraceHead;
  orders: readonly TracedOrder[];
  /** The responses of control operations, by `responseKey`. */
  answers: Readonly<Record<string, object>>;
  output: readonly OutputLine[];
  media: Readonly<Record<string, string>>;
}

export function responseKey(name: keyof typeof OPERATION_ROUTES, accountId?: string): string {
  return accountId === undefined ? name : `${name} ${accountId}`;
}
