import type { ActRecord } from '../../../control/record.ts';
import type { Held } from '../data/holds.ts';
import type { OrderLine } from '../data/order-store.ts';
import type { FoldedRequest, OpenRequest } from '../data/request-store.ts';
import { formatNumber, type Tone } from '../pieces/values.tsx';

/** A row of Live: what is known at once, and what came of it as soon as that was asked for. */
export interface OrderRow {
  id: string;
  /** Milliseconds of the machine's clock. */
  began: number;
  /** Milliseconds; undefined while it goes on. */
  took: number | undefined;
  /** The words, or else the call. */
  asked: string;
  /** Model, polls, call, and what stood out. */
  called: string;
  path: string;
  accountId: string | null;
  keyId: string | null;
  /** The bar at the left: nothing where all is done. */
  tone: Tone | undefined;
  /** Until it is known what came of it. */
  status?: number;
  line?: OrderLine | undefined;
  /** What of it waits for somebody to decide. */
  held?: Held;
}

export function rowOfFolded({ request, times, polls }: FoldedRequest, line: OrderLine | undefined): OrderRow {
  const { id, status, warnings, dropped, retry_count: retries } = request;
  const odd = [
    times > 1 && `asked ${formatNumber(times)} times`,
    warnings && `ignored ${warnings}`,
    dropped && `dropped ${dropped}`,
    retries > 0 && `retry ${retries}`,
  ];
  if (line) return rowOfLine(line, { polls, odd });
  return {
    ...{ id, status, began: request.began, took: request.duration_ms, called: joined([request.operation, ...odd]) },
    ...{ path: request.path, accountId: request.account_id, keyId: request.key_id },
    asked: `${request.method} ${request.path}`,
    tone: status === 0 || status >= 400 ? 'bad' : undefined,
  };
}

interface Beside {
  polls: number;
  odd: readonly (string | false | null)[];
}

export function rowOfLine(line: OrderLine, { polls, odd }: Beside = { polls: 0, odd: [] }): OrderRow {
  const { id, time, asked, call, whose, fate } = line;
  const reads = Math.max(polls, asked.reads);
  const polled = reads > 0 && `polled ${reads === 1 ? 'once' : `${formatNumber(reads)} times`}`;
  const called = asked.words ? `${call.method} ${call.path.split('?')[0]}` : call.operation;
  const parts = [
    asked.model,
    polled,
    call.method === '' ? 'flow run' : called,
    asked.what,
    call.fault && 'fault struck',
  ];
  return {
    ...{ id, line, began: time.began, took: time.is_open ? undefined : time.took, called: joined([...parts, ...odd]) },
    ...{ path: call.path, accountId: whose.account_id, keyId: whose.key_id },
    asked: asked.words || `${call.method} ${call.path}`,
    tone: fate.tone === 'good' || fate.tone === 'plain' ? undefined : fate.tone,
  };
}

function joined(parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' · ');
}

const UNDER_WAY = { took: undefined, path: '', keyId: null } as const;

/** A held call is not on record yet; a delivery is. */
export function rowOfHeld(held: Held): OrderRow {
  const { id, delivery_id, request_id, since, what, account_id: accountId, at } = held;
  const own = {
    held,
    accountId,
    began: Date.parse(since),
    asked: what,
    called: `held: the ${at}`,
    tone: 'wait',
  } as const;
  return { ...UNDER_WAY, ...own, id: delivery_id ?? request_id ?? id };
}

export function rowOfOpen({ id, began, method, path, account_id: accountId }: OpenRequest): OrderRow {
  const own = { id, accountId, began, asked: `${method} ${path}`, called: 'not answered yet', tone: 'work' } as const;
  return { ...UNDER_WAY, ...own, path };
}

/** A run that waits, until its line is known. */
export function rowOfRun(id: string, line: OrderLine | undefined): OrderRow {
  if (line) return rowOfLine(line);
  return { ...UNDER_WAY, id, began: 0, took: 0, asked: '', called: '', accountId: null, tone: 'wait' };
}

/** What somebody noted: it opens nothing. */
export function rowOfNote({ id, at, account_id: accountId, detail }: ActRecord): OrderRow {
  return {
    ...UNDER_WAY,
    id,
    accountId,
    began: Date.parse(at),
    took: 0,
    asked: detail.text ?? '',
    called: 'note',
    tone: 'plain',
  };
}

/** Whether a row is a note, by its id. */
export const isNote = (id: string) => id.startsWith('act_');

export const keyOfOrder = ({ id }: OrderRow) => id;
