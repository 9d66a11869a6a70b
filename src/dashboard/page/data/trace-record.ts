import { type OperationName, requireOperationRoute, type WireAnswer } from '../../../control/call-operation.ts';
import { ControlError } from '../../../control/control-errors.ts';
import { type IsOrHasTerm, parseSearch } from '../../../control/search/search-query.ts';
import {
  responseKey,
  TRACE_FORMAT_VERSION,
  type TracedOrder,
  type TraceFile,
} from '../../../control/trace/trace-file.ts';
import type { RequestSummary } from '../../../engine/journal/request-schemas.ts';

type OrderSummary = WireAnswer<'listOrders'>['data'][number];

interface SearchedOrder {
  order: TracedOrder;
  line: OrderSummary;
  request: RequestSummary | undefined;
}

type Row = Record<string, unknown> & { id: string };

type Input = Readonly<Record<string, unknown>>;

const PAGE = 1000;

export class TraceResponseSource {
  readonly trace: TraceFile;
  readonly #orders: Map<string, TracedOrder>;
  readonly #records: Map<string, object>;
  readonly #requests: Map<string, RequestSummary>;

  constructor(trace: TraceFile) {
    this.trace = trace;
    const { orders } = trace;
    this.#orders = new Map(orders.flatMap((order) => order.ids.map((id) => [id, order] as const)));
    this.#records = new Map(orders.flatMap(({ records }) => Object.entries(records)));
    this.#requests = new Map(rowsIn<RequestSummary>(this.#kept('listRequests')).map((each) => [each.id, each]));
  }

  answer(name: OperationName, input: Input): unknown {
    if (requireOperationRoute(name)[0] !== 'GET') throw new ControlError(405, NO_EMULATOR);
    const found = this.#read(name, input);
    if (found === undefined) throw new ControlError(404, { code: 'not_found', message: NOT_TRACED, param: null });
    return found;
  }

  #read(name: OperationName, input: Input): unknown {
    const id = String(input.id ?? input.account_id);
    if (name === 'getTimeline') return this.#orders.get(id)?.timeline;
    if (name === 'listOrders') return pageOf(this.#lines(input), input);
    if (name === 'search') return { data: [], searched: this.#counts() };
    const answer = this.#kept(name, id) ?? this.#kept(name) ?? this.#records.get(id);
    if (answer === undefined) return name.startsWith('list') ? { data: [] } : undefined;
    return 'data' in answer && 'object' in answer ? pageOf(rowsIn<Row>(answer).filter(narrowed(input)), input) : answer;
  }

  #kept(name: OperationName, accountId?: string): object | undefined {
    return this.trace.answers[responseKey(name, accountId)];
  }

  file(path: string): string | undefined {
    const { media } = this.trace;
    const entry = path.split('/')[3];
    return media[path] ?? media[Object.keys(media).find((each) => each.split('/')[3] === entry) ?? ''];
  }

  #lines({ ids, account_id: account, q = '' }: Input): OrderSummary[] {
    const named = String(ids ?? '').split(',');
    const orders = ids ? named.flatMap((id) => this.#orders.get(id) ?? []) : this.trace.orders;
    const fits = searchTest(String(q), this.trace);
    return [...new Set(orders)].flatMap((order) => {
      const [line, request] = [lineOf(order), this.#requests.get(order.timeline.id)];
      const isWanted = account === undefined || line.account.id === account;
      return isWanted && fits({ order, line, request }) ? [line] : [];
    });
  }

  #counts() {
    const count = (prefix: string) => [...this.#orders.keys()].filter((id) => id.startsWith(prefix)).length;
    const [job, event, delivery, run] = ['job_', 'evt_', 'dlv_', 'run_'].map(count);
    return { request: this.#requests.size, job, event, delivery, run };
  }
}

function lineOf({ timeline: { line, made } }: TracedOrder): OrderSummary {
  const picture = made.find(({ library_id: id }) => id === line.made?.library_id)?.thumbnail_url ?? null;
  // Removes the actions of the order, because a trace is read-only.
  return { ...line, action: { redeliver: null, run: null }, thumbnail_url: picture };
}

function rowsIn<Row>(answer: object | undefined): readonly Row[] {
  const { data } = Object(answer) as { data?: unknown };
  return Array.isArray(data) ? data : [];
}

function pageOf<T extends { id: string }>(rows: readonly T[], { limit = PAGE, after }: Input): { data: readonly T[] } {
  const first = rows.findIndex(({ id }) => id === after) + 1;
  return { data: rows.slice(first, first + Number(limit)) };
}

const FIELDS = ['account_id', 'status', 'type'];

function narrowed(input: Input): (row: Row) => boolean {
  const wanted = FIELDS.filter((name) => input[name] !== undefined);
  const words = plain(String(input.q ?? ''))
    .split(/\s+/)
    .filter(Boolean);
  return (row) =>
    wanted.every((name) => !(name in row) || row[name] === input[name]) &&
    words.every((word) => plain(JSON.stringify(row)).includes(word));
}

function plain(text: string): string {
  return text.toLowerCase().normalize('NFC');
}

function searchTest(q: string, { head, answers }: TraceFile): (order: SearchedOrder) => boolean {
  const { words, traits, status, took, after, model, account, path } = parseSearch(q, head.span.ended);
  const accounts = rowsIn<Row>(answers[responseKey('listAccounts')]);
  const isOf = (text: string, owner: string | null) =>
    accounts.some(
      ({ id, name }) => id === owner && (id.startsWith(text) || plain(String(name ?? '')).includes(plain(text))),
    );
  return (searched) => {
    const { order, line, request } = searched;
    const owner = line.account.id;
    const text = words.length === 0 ? '' : plain(JSON.stringify(order));
    return (
      words.every((word) => text.includes(plain(word)) || isOf(word, owner)) &&
      (account === undefined || isOf(account, owner)) &&
      isWithin(request?.status, status) &&
      isWithin(request?.duration_ms, took) &&
      (after === undefined || line.time.began >= after) &&
      (model === undefined || plain(line.request.model ?? '').includes(plain(model))) &&
      (path === undefined || line.call.path.includes(path)) &&
      traits.every((trait) => TRAITS[trait](searched))
    );
  };
}

function isWithin(value: number | undefined, range: readonly [number, number] | undefined): boolean {
  return range === undefined || (value !== undefined && value >= range[0] && value <= range[1]);
}

const TRAITS: Record<IsOrHasTerm, (order: SearchedOrder) => boolean> = {
  'is:failed': isFailed,
  'is:done': (order) => !isFailed(order) && !order.line.time.is_open,
  'is:open': ({ line }) => line.time.is_open,
  'is:waiting': ({ line }) => line.action.run !== null,
  'is:refused': ({ line }) => line.status.deliveries?.tone === 'bad',
  'is:retry': ({ request }) => (request?.retry_count ?? 0) > 0,
  'is:cut': ({ line }) => line.status.answer?.cut === true,
  'has:refund': ({ line }) => line.status.money.refunded > 0,
  'has:fault': ({ line }) => line.call.fault !== null,
  'has:warning': ({ request }) => request?.warnings != null || request?.dropped != null,
  'has:charge': ({ line }) => line.status.money.charged > 0,
  'has:job': ({ line }) => line.status.work !== null,
};

function isFailed({ line: { status } }: SearchedOrder): boolean {
  return status.tone === 'bad' || status.money.refunded > 0 || status.deliveries?.tone === 'bad';
}

const NO_EMULATOR = {
  code: 'method_not_allowed',
  message: 'This is the trace of a run and cannot be changed. Start an emulator to do this.',
  param: null,
};
const NOT_TRACED = 'It is not in this trace.';

export class DamagedTraceError extends Error {
  override name = 'DamagedTrace';
}

export async function readTraceFromPage(html: Document): Promise<TraceFile> {
  const packed = html.getElementById('record')?.textContent;
  if (!packed) throw new DamagedTraceError('The file contains no trace: its beginning or its end is missing.');
  let record: Partial<TraceFile>;
  try {
    const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    record = JSON.parse(await new Response(unpacked).text());
  } catch {
    throw new DamagedTraceError(
      'The record in this file cannot be unpacked: some of its bytes are missing or changed.',
    );
  }
  return checked(record);
}

const EMPTY: Omit<TraceFile, 'head'> = { orders: [], answers: {}, output: [], media: {} };

function checked({ head, ...found }: Partial<TraceFile>): TraceFile {
  if (typeof head?.span?.began !== 'number' || typeof head.span.ended !== 'number') {
    throw new DamagedTraceError('The record in this file does not say when its run began and ended.');
  }
  const clock = { now: new Date(head.span.ended).toISOString(), frozen: false };
  const known = head.format === TRACE_FORMAT_VERSION ? found : {};
  return { ...EMPTY, ...known, head, answers: { [responseKey('getClock')]: clock, ...known.answers } };
}

export function describeTraceFormatMismatch({ head }: TraceFile): string | undefined {
  if (head.format === TRACE_FORMAT_VERSION) return undefined;
  return `Version ${head.version} wrote this trace in format ${head.format}; this page reads format ${TRACE_FORMAT_VERSION}. Open it with a page of that version.`;
}
