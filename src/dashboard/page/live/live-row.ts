import { jobIdOfGetRequest } from '../../../control/orders/order-records.ts';
import type { OpenRequest } from '../../../engine/journal/live-feed.ts';
import { formatNumber, type Tone } from '../components/values.tsx';
import type { HeldMessageRow } from '../data/holds.ts';
import { type LiveRequests, useOrderSummaries } from '../data/order-store.ts';
import { type ListRecord, useRows } from '../data/queries.ts';
import type { OrderSummary, RequestSummary } from '../data/records.ts';

export interface LiveRowData {
  id: string;
  /** When the order began, the message was held or the note was recorded, in milliseconds of the machine's clock. */
  began: number;
  took: number | undefined;
  asked: string;
  called: string;
  path: string;
  accountId: string | null;
  keyId: string | null;
  tone: Tone | undefined;
  status?: number;
  line?: OrderSummary | undefined;
  held?: HeldMessageRow;
}

/**
 * Leaves out the polls of a job if `requests` contains its order, whose row counts them. Equal reads that follow each
 * other share a row. `requests` are newest first.
 */
export function groupedRequestRows(requests: readonly RequestSummary[], lines: Lines): readonly LiveRowData[] {
  const ordered = new Set(requests.flatMap(({ job_ids }) => job_ids));
  const groups: { request: RequestSummary; times: number }[] = [];
  for (const request of requests) {
    if (ordered.has(jobIdOfGetRequest(request) ?? '')) continue;
    const last = groups.at(-1);
    const isSame = last?.request.method === 'GET' && COMPARED.every((of) => last.request[of] === request[of]);
    if (isSame) last.times += 1;
    else groups.push({ request, times: 1 });
  }
  return groups.map(({ request, times }) => rowOfRequest(request, times, lines.get(request.id)));
}

const COMPARED = ['method', 'path', 'account_id', 'status'] as const;

function rowOfRequest(request: RequestSummary, times: number, line: OrderSummary | undefined): LiveRowData {
  const { id, status, warnings, dropped, retry_count: retries } = request;
  const odd = [
    times > 1 && `sent ${formatNumber(times)} times`,
    warnings && `ignored ${warnings}`,
    dropped && `dropped ${dropped}`,
    retries > 0 && `retry ${retries}`,
  ];
  if (line) return liveRowFromOrder(line, odd);
  return {
    id,
    status,
    began: request.began,
    took: request.duration_ms,
    called: joined([request.operation, ...odd]),
    path: request.path,
    accountId: request.account_id,
    keyId: request.key_id,
    asked: `${request.method} ${request.path}`,
    tone: status === 0 || status >= 400 ? 'bad' : undefined,
  };
}

type Part = string | false | null | undefined;

/** `odd` holds notes for the row's second line, such as retries and ignored fields. */
export function liveRowFromOrder(line: OrderSummary, odd: readonly Part[] = []): LiveRowData {
  const { id, time, request, call, account, status } = line;
  const { reads } = request;
  const polled = reads > 0 && `polled ${reads === 1 ? 'once' : `${formatNumber(reads)} times`}`;
  const called = request.prompt ? `${call.method} ${call.path.split('?')[0]}` : call.operation;
  const parts = [
    request.model,
    polled,
    call.method === '' ? 'flow run' : called,
    request.kind,
    call.fault && 'fault applied',
  ];
  return {
    id,
    line,
    began: time.began,
    took: time.is_open ? undefined : time.took,
    called: joined([...parts, ...odd]),
    path: call.path,
    accountId: account.id,
    keyId: account.key_id,
    asked: request.prompt || `${call.method} ${call.path}`,
    tone: status.tone === 'good' || status.tone === 'plain' ? undefined : status.tone,
  };
}

function joined(parts: readonly Part[]): string {
  return parts.filter(Boolean).join(' · ');
}

const UNDER_WAY = { took: undefined, path: '', keyId: null };

export function liveRowFromHeldMessage(held: HeldMessageRow): LiveRowData {
  const { what: asked, account_id: accountId, at } = held;
  const id = held.delivery_id ?? held.request_id ?? held.id;
  const called = `held ${at === 'answer' ? 'response' : at}`;
  return { ...UNDER_WAY, id, held, accountId, began: Date.parse(held.since), asked, called, tone: 'wait' };
}

function rowOfOpen({ id, began, method, path, account_id: accountId }: OpenRequest): LiveRowData {
  const own = { id, accountId, began, asked: `${method} ${path}`, called: 'no response yet' };
  return { ...UNDER_WAY, ...own, path, tone: 'work' };
}

type Note = ListRecord<'listRecord'>;

function rowOfNote({ id, at, account_id: accountId, detail }: Note): LiveRowData {
  const own = { id, accountId, began: Date.parse(at), asked: detail.text ?? '', called: 'note' };
  return { ...UNDER_WAY, ...own, took: 0, tone: 'plain' };
}

export const isNoteId = (id: string) => id.startsWith('act_');

type Lines = ReadonlyMap<string, OrderSummary>;

const MAX_WAITING = 20;

export function useWaitingFlowRunRows(accountId: string | undefined): readonly LiveRowData[] {
  const { data = [] } = useRows('listOrders', { q: 'is:waiting', limit: MAX_WAITING, account_id: accountId });
  return data.map((line) => liveRowFromOrder(line));
}

const MAX_NOTES = 200;
const MAX_RUNS = 50;

export function useNoteRows(only: string | undefined): readonly LiveRowData[] {
  const { data = [] } = useRows('listRecord', { kind: 'note', limit: MAX_NOTES });
  return data.filter(({ account_id: whose }) => !only || whose === null || whose === only).map(rowOfNote);
}

export function useManualFlowRunRows(): readonly LiveRowData[] {
  const { data = [] } = useRows('listRuns', { limit: MAX_RUNS });
  const lines = useOrderSummaries(data.filter(({ source }) => source === 'manual').map(({ id }) => id));
  return [...lines.values()].map((line) => liveRowFromOrder(line));
}

/** While Live is paused, an open request may end. Its order is then known, and its row shows the order. */
export function openRequestRows(
  { open, rows }: LiveRequests,
  { accountId, held, lines }: { accountId: string | undefined; held: readonly HeldMessageRow[]; lines: Lines },
): readonly LiveRowData[] {
  const listed = new Set<string | null>([...rows.map(({ id }) => id), ...held.map(({ request_id }) => request_id)]);
  const shown = open.filter(({ id, account_id: whose }) => (!accountId || whose === accountId) && !listed.has(id));
  return shown.map((each) => {
    const line = lines.get(each.id);
    return line ? liveRowFromOrder(line) : rowOfOpen(each);
  });
}
