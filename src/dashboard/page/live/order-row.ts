import type { Held } from '../data/effects.ts';
import type { OrderLine } from '../data/order-store.ts';
import type { RequestLine } from '../data/records.ts';
import type { FoldedRequest, OpenRequest } from '../data/request-store.ts';

/** A row of Live: what is known at once, and what came of it as soon as that was asked for. */
export interface OrderRow {
  id: string;
  request: RequestLine | undefined;
  times: number;
  polls: number;
  line: OrderLine | undefined;
  /** What of it waits for somebody to decide. */
  held?: Held;
  /** It is not answered yet. */
  open?: OpenRequest;
}

export function rowOfFolded({ request, times, polls }: FoldedRequest, line: OrderLine | undefined): OrderRow {
  return { id: request.id, request, times, polls, line };
}

export function rowOfLine(line: OrderLine): OrderRow {
  return { id: line.id, request: undefined, times: 1, polls: line.asked.reads, line };
}

/** A held call is not on record yet; a delivery is. */
export function rowOfHeld(held: Held): OrderRow {
  const id = held.delivery_id ?? held.request_id ?? held.id;
  return { id, request: undefined, times: 1, polls: 0, line: undefined, held };
}

export function rowOfOpen(open: OpenRequest): OrderRow {
  return { id: open.id, request: undefined, times: 1, polls: 0, line: undefined, open };
}

export const keyOfOrder = ({ id }: OrderRow) => id;

/** When it came, by the machine's clock. */
export function beganOf({ line, request, held, open }: OrderRow): number {
  if (held) return Date.parse(held.since);
  return line?.time.began ?? request?.began ?? open?.began ?? 0;
}

/** What was asked: the words, or else the call. */
export function askedText({ line, request, held, open }: OrderRow): string {
  if (held) return held.what;
  const call = line?.call ?? request ?? open;
  const words = line?.asked.words;
  if (words) return words;
  return call ? `${call.method} ${call.path}` : '';
}
