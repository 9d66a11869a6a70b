import { TimeSlice } from '../../base/clock/clock.ts';
import { deriveRelatedId } from '../../base/database/id-store.ts';
import type { OutputLine } from '../../base/output/output-line.ts';
import type { NewestRequestRange } from '../../engine/journal/journal.ts';
import { type JournalEntry, journalEntryOf } from '../../engine/journal/journal-record.ts';
import { summarizeRequest } from '../../engine/journal/live-feed.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import { findDelivery } from '../../engine/webhooks/webhook-records.ts';
import type { Context } from '../../service/http/context.ts';
import { listAllAccounts } from '../accounts.ts';
import { clockView } from '../clock.ts';
import { jobView, listAllJobs } from '../jobs.ts';
import { type ActRecord, readRecord, requestViews } from '../journal.ts';
import { ledgerEntryView, type PublicLedgerEntry, readUsage, spendingView } from '../ledger.ts';
import type { ListInput, ListReader } from '../list-page.ts';
import { Mask } from '../mask/mask.ts';
import { orderView } from '../orders/order-operations.ts';
import { jobIdOfGetRequest } from '../orders/order-records.ts';
import { findOrderRoot, type OrderRecords, readOrderRecords } from '../orders/stored-orders.ts';
import { flowRunDetailView, listAllRuns } from '../runs.ts';
import { listAllDeliveries, listAllEndpoints, listAllEvents } from '../webhooks.ts';
import { responseKey, type TracedOrder, type TraceHead } from './trace-file.ts';
import { maskAndCutOutput, type SyncOrAsyncIterable, streamJsonObject, streamMaskedJsonList } from './trace-page.ts';

const MAX_ROWS = 10_000;
const MAX_LEDGERS = 200;
const PAGE = 250;

/** Finds accounts by a search, because their list has no filter for an account. */
const ACCOUNTS = {
  ...listAllAccounts,
  rows: (context: Context, { account_id: q, ...page }: ListInput) => listAllAccounts.rows(context, { ...page, q }),
};

const NOTES: ListReader<ActRecord> = {
  name: 'listRecord',
  rows: async (context, page) => readRecord(context, { ...page, kind: 'note' }),
  view: () => (note) => note,
};

function usageOf(accountId: string): ListReader<PublicLedgerEntry> {
  return {
    name: 'listUsage',
    rows: async (context, page) => readUsage(context, accountId, page),
    view: () => ledgerEntryView,
  };
}

export const TRACE_MEDIA_SIZES = ['none', 'small', 'whole'] as const;
type MediaSize = (typeof TRACE_MEDIA_SIZES)[number];

export interface TraceCollectionOptions {
  baseUrl: string;
  accountId: string | undefined;
  media: MediaSize;
  secrets: readonly string[];
  head: Omit<TraceHead, 'span' | 'leftOut'>;
  /**
   * Times are milliseconds of the machine's clock. If `began` is unknown, the span begins with the first request or
   * output line.
   */
  span: { began: number | undefined; firstLine: number | undefined; ended: number };
  requests: NewestRequestRange;
  output: readonly OutputLine[];
}

/** Reads the records for a trace, in pieces to save memory. */
export class TraceCollector {
  readonly #order: TraceCollectionOptions;
  readonly #context: Context;
  readonly #mask: Mask;
  readonly #media: TraceMedia;
  readonly #cut = new Set<string>();
  #began: number | undefined;

  constructor(order: TraceCollectionOptions, context: Context) {
    this.#order = order;
    this.#context = context;
    this.#mask = new Mask(order.secrets);
    this.#media = new TraceMedia(order.media);
  }

  /** Yields a `TraceFile` in pieces. The head comes last, because it lists what was left out. */
  async *json(): AsyncGenerator<string> {
    yield* streamJsonObject([
      ['orders', streamMaskedJsonList(this.#orders(), this.#mask)],
      ['answers', streamJsonObject(this.#answers())],
      ['output', streamMaskedJsonList(maskAndCutOutput(this.#order.output, this.#mask), this.#mask)],
      ['media', streamJsonObject(this.#media.fields(this.#context.storage.served))],
      ['head', this.#head()],
    ]);
  }

  async *#orders(): AsyncGenerator<TracedOrder> {
    const reads = this.#reads();
    const seen = new Set<string>();
    const slice = new TimeSlice();
    for await (const id of this.#ids()) {
      const root = seen.has(id) ? undefined : findOrderRoot(this.#context, id);
      if (!root) continue;
      const records = readOrderRecords(this.#context, root, { reads });
      const isNew = !seen.has(records.id);
      const ids = idsOf(records);
      for (const each of [id, ...ids]) seen.add(each);
      if (isNew) yield this.#traced(records, ids);
      if (slice.isOver) await slice.turn();
    }
  }

  #reads(): Map<string, string[]> {
    const reads = new Map<string, string[]>();
    for (const entry of this.#requests()) {
      const job = jobIdOfGetRequest(entry);
      if (job) reads.set(job, [...(reads.get(job) ?? []), entry.id]);
    }
    return reads;
  }

  /** Jobs, runs and deliveries come after the requests, because some of them belong to no recorded request. */
  async *#ids(): AsyncGenerator<string> {
    for (const entry of this.#requests()) yield entry.id;
    for await (const { id } of this.#rows(listAllJobs)) yield id;
    for await (const { id } of this.#rows(listAllRuns)) yield id;
    for await (const { id } of this.#rows(listAllDeliveries)) yield id;
  }

  #traced(records: OrderRecords, ids: readonly string[]): TracedOrder {
    const { request, reads, jobs, deliveries, run } = records;
    const context = this.#context;
    const timeline = orderView(context, records, this.#order.baseUrl);
    this.#media.add(timeline.made);
    const kept: Record<string, object> = {};
    for (const job of jobs) kept[job.id] = jobView(context, job);
    for (const { id } of deliveries) kept[id] = Object(findDelivery(context.database, id));
    const runId = run?.run.id;
    if (runId) kept[runId] = flowRunDetailView(context.control.flows.view(runId));
    const requests = [...(request ? [request] : []), ...reads].map(withoutFiles);
    for (const each of requestViews(context, requests)) kept[each.id] = each;
    return { ids, timeline, records: kept };
  }

  async *#answers(): AsyncGenerator<[string, SyncOrAsyncIterable<string>]> {
    const { accountId } = this.#order;
    const { database } = this.#context;
    yield [responseKey('listRequests'), this.#listed(this.#lines())];
    yield [responseKey('listAccounts'), this.#list(ACCOUNTS)];
    yield [responseKey('listEvents'), this.#list(listAllEvents)];
    yield [responseKey('listDeliveries'), this.#list(listAllDeliveries)];
    yield [responseKey('listEndpoints'), this.#list(listAllEndpoints)];
    yield [responseKey('listRecord'), this.#list(NOTES)];
    yield [responseKey('listRuns'), this.#list(listAllRuns)];
    yield [responseKey('getClock'), this.#json(clockView(this.#context))];
    yield [responseKey('summarizeSpending'), this.#json(await spendingView(database, accountId))];
    let left = MAX_LEDGERS;
    for await (const { id } of this.#rows(ACCOUNTS)) {
      yield [responseKey('listUsage', id), this.#list(usageOf(id))];
      yield [responseKey('summarizeSpending', id), this.#json(await spendingView(database, id))];
      left -= 1;
      if (left === 0) return;
    }
  }

  *#requests(): Generator<JournalEntry> {
    const { requests } = this.#order;
    for (let { before } = requests; ; ) {
      const rows = this.#context.records.journal.piece({ ...requests, before, newestFirst: true });
      for (const row of rows) {
        before = row.position;
        const entry = journalEntryOf(row);
        this.#began = entry.began;
        yield entry;
      }
      if (rows.length === 0) return;
    }
  }

  *#lines(): Generator<object> {
    for (const entry of this.#requests()) yield summarizeRequest(entry);
  }

  async *#rows<Row extends { id: string }>({ name, rows }: ListReader<Row>): AsyncGenerator<Row> {
    const { accountId } = this.#order;
    let left = MAX_ROWS;
    for (let after: string | undefined; ; ) {
      const page = await rows(this.#context, { account_id: accountId, after, limit: PAGE });
      yield* page.slice(0, left);
      left -= page.length;
      if (page.length < PAGE) return;
      if (left <= 0) return void this.#cut.add(name);
      after = page.at(-1)?.id;
    }
  }

  #list<Row extends { id: string }>(list: ListReader<Row>): AsyncGenerator<string> {
    return this.#listed(this.#views(list));
  }

  async *#views<Row extends { id: string }>(list: ListReader<Row>): AsyncGenerator<object> {
    const view = list.view({ context: this.#context, baseUrl: this.#order.baseUrl });
    for await (const row of this.#rows(list)) yield view(row);
  }

  async *#listed(rows: SyncOrAsyncIterable<object>): AsyncGenerator<string> {
    yield '{"object":"list","data":';
    yield* streamMaskedJsonList(rows, this.#mask);
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

function withoutFiles(entry: JournalEntry): JournalEntry {
  const short = (body: string | null) => body?.replace(BASE64, (file) => `${file.slice(0, 60)}…`) ?? null;
  return { ...entry, request: short(entry.request), answer: short(entry.answer) };
}

const BASE64 = /[A-Za-z0-9+/]{1000,}={0,2}/g;

function idsOf({ id, request, reads, jobs, entries, events, deliveries, run }: OrderRecords): string[] {
  const parts = [...reads, ...jobs, ...entries, ...events, ...deliveries, ...(request ? [request] : [])];
  const ids = [id, ...parts.map((part) => part.id), ...jobs.map((job) => deriveRelatedId(job.id, 'library'))];
  return [...new Set(run ? [...ids, run.run.id] : ids)];
}

const MAX_BYTES: Record<MediaSize, number> = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MAX_OF_ONE = 64 * 1_048_576;
/** A multiple of three, so that the pieces of base64 can be joined. */
const PIECE = 3 * 65_536;

/** Collects the files that fit into the trace: whole, or only as thumbnails and waveforms. */
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
    let room = MAX_BYTES[this.#size];
    for (const url of this.#urls) {
      const { pathname, search } = new URL(url, 'http://localhost');
      const found = room > 0 ? await readMedia(served, pathname, search.slice(1)) : undefined;
      if (!found || found.body.length > Math.min(room, MAX_OF_ONE)) {
        this.leftOut += 1;
        continue;
      }
      room -= found.body.length;
      yield [pathname, dataUrl(found)];
    }
  }
}

function* dataUrl({ body, contentType }: { body: Uint8Array; contentType: string }): Generator<string> {
  // The media type is written as JSON, because it may contain quotes.
  yield JSON.stringify(`data:${contentType};base64,`).slice(0, -1);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.toString('base64', from, from + PIECE);
  yield '"';
}

async function readMedia(served: ServedFiles, path: string, query: string) {
  try {
    const found = path.startsWith('/cdn/thumbnails/') ? await served.draw(path, query) : served.find(path, query);
    return { body: await served.read(found.file), contentType: found.contentType };
  } catch {
    return undefined;
  }
}
