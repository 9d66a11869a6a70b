import { Slice } from '../../base/clock/clock.ts';
import { relatedId } from '../../base/database/id-store.ts';
import type { OutputLine } from '../../base/output/output-line.ts';
import type { Journal, NewestRequests } from '../../engine/journal/journal.ts';
import { entryOf, type JournalEntry } from '../../engine/journal/journal-record.ts';
import type { JournalRow } from '../../engine/journal/journal-store.ts';
import { requestLine } from '../../engine/journal/live-feed.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import type { Context } from '../../service/http/context.ts';
import type { Operation } from '../../service/http/operation.ts';
import type { Call } from '../../service/http/request.ts';
import { listAllAccounts } from '../accounts.ts';
import { getClock } from '../clock.ts';
import { jobView, listAllJobs } from '../jobs.ts';
import { listRecord, requestView } from '../journal.ts';
import { listUsage, summarizeSpending } from '../ledger.ts';
import { Mask } from '../mask/mask.ts';
import { orderView } from '../orders/order-operations.ts';
import { type OrderRecords, readJobOf } from '../orders/order-records.ts';
import { findRoot, readOrder } from '../orders/stored-orders.ts';
import { listAllRuns, showRun } from '../runs.ts';
import { listAllDeliveries, listAllEndpoints, listAllEvents, showDelivery } from '../webhooks.ts';
import type { TracedOrder, TraceHead, TraceRow } from './trace-file.ts';
import { fieldsJson, listJson, maskedOutput, type TraceItems } from './write-trace.ts';

const MOST_ROWS = 10_000;
const MOST_LEDGERS = 200;
const PAGE = 250;

export const MEDIA = ['none', 'small', 'whole'] as const;
type MediaSize = (typeof MEDIA)[number];

export interface TraceOrder {
  baseUrl: string;
  accountId: string | undefined;
  media: MediaSize;
  secrets: readonly string[];
  head: Omit<TraceHead, 'span' | 'leftOut'>;
  /** Milliseconds of the machine's clock. Without a known beginning, the first request or output line counts. */
  span: { began: number | undefined; firstLine: number | undefined; ended: number };
  requests: NewestRequests;
  output: readonly OutputLine[];
}

interface TraceQuery {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
}

/** Reads the records of a run in pieces. */
export class TraceRecord {
  readonly #order: TraceOrder;
  readonly #context: Context;
  readonly #mask: Mask;
  readonly #media: TraceMedia;
  readonly #cut = new Set<string>();
  #began: number | undefined;

  constructor(order: TraceOrder, context: Context) {
    this.#order = order;
    this.#context = context;
    this.#mask = new Mask(order.secrets);
    this.#media = new TraceMedia(order.media);
  }

  /** A `TraceFile` in pieces. The head comes last, because it lists what was left out. */
  async *json(): AsyncGenerator<string> {
    yield* fieldsJson([
      ['orders', listJson(this.#orders(), this.#mask)],
      ['answers', fieldsJson(this.#answers())],
      ['output', listJson(maskedOutput(this.#order.output, this.#mask), this.#mask)],
      ['media', fieldsJson(this.#media.fields(this.#context.storage.served))],
      ['head', this.#head()],
    ]);
  }

  async *#orders(): AsyncGenerator<TracedOrder> {
    const reads = this.#reads();
    const seen = new Set<string>();
    const slice = new Slice();
    for await (const id of this.#ids()) {
      const root = seen.has(id) ? undefined : findRoot(this.#context, id);
      if (!root) continue;
      const records = readOrder(this.#context, root, { reads });
      const isNew = !seen.has(records.id);
      const ids = idsOf(records);
      for (const each of [id, ...ids]) seen.add(each);
      if (isNew) yield await this.#traced(records, ids);
      if (slice.isOver) await slice.turn();
    }
  }

  #reads(): Map<string, string[]> {
    const reads = new Map<string, string[]>();
    for (const entry of this.#requests()) {
      const job = readJobOf(entry);
      if (job) reads.set(job, [...(reads.get(job) ?? []), entry.id]);
    }
    return reads;
  }

  /** The ids of requests newest first, and then of records without a request. */
  async *#ids(): AsyncGenerator<string> {
    for (const entry of this.#requests()) yield entry.id;
    for (const operation of [listAllJobs, listAllRuns, listAllDeliveries]) {
      for await (const { id } of this.#rows(operation)) yield id;
    }
  }

  async #traced(records: OrderRecords, ids: readonly string[]): Promise<TracedOrder> {
    const { request, reads, jobs, deliveries, run } = records;
    const context = this.#context;
    const timeline = orderView(context, records, this.#order.baseUrl);
    this.#media.add(timeline.made);
    const kept: Record<string, object> = {};
    for (const job of jobs) kept[`/jobs/${job.id}`] = jobView(context, job);
    for (const { id } of deliveries) kept[`/deliveries/${id}`] = await this.#answer(showDelivery, { params: { id } });
    const runId = run?.run.id;
    if (runId) kept[`/runs/${runId}`] = await this.#answer(showRun, { params: { id: runId } });
    // The view changes the entry, so the request itself comes last.
    for (const each of [...(request ? [request] : []), ...reads]) {
      kept[`/requests/${each.id}`] = requestView(context, withoutFiles(each));
    }
    return { ids, timeline, records: kept };
  }

  async *#answers(): AsyncGenerator<[string, TraceItems<string>]> {
    const { accountId } = this.#order;
    yield ['/requests', this.#listed(this.#lines())];
    for (const [path, operation] of LISTS) yield [path, this.#listed(this.#rows(operation))];
    yield ['/record', this.#listed(this.#rows(listRecord, { query: { kind: 'note' } }))];
    yield ['/clock', this.#json(await this.#answer(getClock))];
    yield ['/spending', this.#json(await this.#answer(summarizeSpending, { query: { account_id: accountId } }))];
    let left = MOST_LEDGERS;
    for await (const { id } of this.#rows(listAllAccounts)) {
      yield [`/accounts/${id}/usage`, this.#listed(this.#rows(listUsage, { params: { id } }))];
      const spent = await this.#answer(summarizeSpending, { query: { account_id: id } });
      yield [`/spending?account_id=${id}`, this.#json(spent)];
      left -= 1;
      if (left === 0) return;
    }
  }

  *#requests(): Generator<JournalEntry> {
    for (const row of requestRows(this.#context.records.journal, this.#order.requests)) {
      const entry = entryOf(row);
      this.#began = entry.began;
      yield entry;
    }
  }

  *#lines(): Generator<object> {
    for (const entry of this.#requests()) yield requestLine(entry);
  }

  async *#rows(operation: Operation, { params, query }: TraceQuery = {}): AsyncGenerator<TraceRow> {
    // Accounts have no account filter, but a search.
    const { accountId } = this.#order;
    const whose = operation.name === listAllAccounts.name ? { q: accountId } : { account_id: accountId };
    let left = MOST_ROWS;
    for (let after: string | undefined; ; ) {
      const asked = { params, query: { ...whose, ...query, limit: PAGE, after } };
      const { data } = (await this.#answer(operation, asked)) as { data: TraceRow[] };
      yield* data.slice(0, left);
      left -= data.length;
      if (data.length < PAGE) return;
      if (left <= 0) return void this.#cut.add(operation.name);
      after = data.at(-1)?.id;
    }
  }

  async #answer(operation: Operation, { params = {}, query = {} }: TraceQuery = {}): Promise<object> {
    const call = { context: this.#context, baseUrl: this.#order.baseUrl, query, param: (name: string) => params[name] };
    return Object(await operation.handle(call as Partial<Call<unknown, unknown>> as Call<unknown, unknown>));
  }

  async *#listed(rows: TraceItems<object>): AsyncGenerator<string> {
    yield '{"object":"list","data":';
    yield* listJson(rows, this.#mask);
    yield '}';
  }

  #json(answer: object): string[] {
    return [this.#mask.json(answer)];
  }

  *#head(): Generator<string> {
    const { head, span, requests } = this.#order;
    const began = span.began ?? Math.min(this.#began ?? span.ended, span.firstLine ?? span.ended);
    const left: TraceHead['leftOut'] = { requests: requests.leftOut, files: this.#media.leftOut, rows: [...this.#cut] };
    yield this.#mask.json({
      ...head,
      span: { began: Math.min(began, span.ended - 1), ended: span.ended },
      leftOut: left,
    });
  }
}

const LISTS: readonly (readonly [string, Operation])[] = [
  ['/accounts', listAllAccounts],
  ['/events', listAllEvents],
  ['/deliveries', listAllDeliveries],
  ['/endpoints', listAllEndpoints],
];

/** A file inside a body is unreadable, and the trace contains its thumbnail. */
function withoutFiles(entry: JournalEntry): JournalEntry {
  const short = (body: string | null) => body?.replace(BASE64, (file) => `${file.slice(0, 60)}…`) ?? null;
  return { ...entry, request: short(entry.request), answer: short(entry.answer) };
}

const BASE64 = /[A-Za-z0-9+/]{1000,}={0,2}/g;

function idsOf({ id, request, reads, jobs, entries, events, deliveries, run }: OrderRecords): string[] {
  const parts = [...reads, ...jobs, ...entries, ...events, ...deliveries, ...(request ? [request] : [])];
  const ids = [id, ...parts.map((part) => part.id), ...jobs.map((job) => relatedId(job.id, 'library'))];
  return [...new Set(run ? [...ids, run.run.id] : ids)];
}

/** Bytes of all files together, and of one file. */
const MOST_BYTES: Record<MediaSize, number> = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MOST_OF_ONE = 64 * 1_048_576;
/** Encoded at once. A multiple of three, so that the pieces can be joined. */
const PIECE = 3 * 65_536;

/** The newest files that fit: whole, or as thumbnails and waveforms. */
class TraceMedia {
  leftOut = 0;
  readonly #size: MediaSize;
  readonly #urls = new Set<string>();

  constructor(size: MediaSize) {
    this.#size = size;
  }

  add(made: readonly { url: string; thumbnail_url: string }[]): void {
    if (this.#size === 'none') return;
    for (const { url, thumbnail_url: picture } of made) {
      this.#urls.add(picture);
      if (this.#size === 'whole') this.#urls.add(url);
    }
  }

  async *fields(served: ServedFiles): AsyncGenerator<[path: string, pieces: Iterable<string>]> {
    let room = MOST_BYTES[this.#size];
    for (const url of this.#urls) {
      const { pathname, search } = new URL(url, 'http://localhost');
      const found = room > 0 ? await readMedia(served, pathname, search.slice(1)) : undefined;
      if (!found || found.body.length > Math.min(room, MOST_OF_ONE)) {
        this.leftOut += 1;
        continue;
      }
      room -= found.body.length;
      yield [pathname, dataUrl(found)];
    }
  }
}

function* dataUrl({ body, contentType }: TraceBytes): Generator<string> {
  // A media type may contain quotes.
  yield JSON.stringify(`data:${contentType};base64,`).slice(0, -1);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.toString('base64', from, from + PIECE);
  yield '"';
}

interface TraceBytes {
  body: Uint8Array;
  contentType: string;
}

/** Newest first, in pieces, to save memory. */
function* requestRows(journal: Journal, requests: NewestRequests): Generator<JournalRow> {
  for (let { before } = requests; ; ) {
    const rows = journal.piece({ ...requests, before, newestFirst: true });
    const last = rows.at(-1)?.position;
    if (last === undefined) return;
    yield* rows;
    before = last;
  }
}

/** Undefined for a file that can no longer be read. */
async function readMedia(served: ServedFiles, path: string, query: string): Promise<TraceBytes | undefined> {
  try {
    const found = path.startsWith('/cdn/thumbnails/') ? await served.draw(path, query) : served.find(path, query);
    return { body: await served.read(found.file), contentType: found.contentType };
  } catch {
    return undefined;
  }
}
