import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { TimeSlice } from '../../base/clock/clock.ts';
import { distinctiveTexts, secretValuesInEnvironment } from '../../base/config/secret-values.ts';
import { deriveRelatedId } from '../../base/database/id-store.ts';
import { VERSION } from '../../base/package/package-folder.ts';
import { optional, text, withDefault } from '../../base/schemas.ts';
import type { NewestRequestRange } from '../../engine/journal/journal.ts';
import { type JournalEntry, journalEntryOf } from '../../engine/journal/journal-record.ts';
import { summarizeRequest } from '../../engine/journal/live-feed.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import { readEndpointUrlQueries } from '../../engine/webhooks/webhook-list-store.ts';
import { findDelivery } from '../../engine/webhooks/webhook-records.ts';
import type { Context } from '../../service/http/context.ts';
import { DownloadReply } from '../../service/http/replies.ts';
import { listAllAccounts } from '../accounts.ts';
import { clockView } from '../clock.ts';
import { definePost } from '../control-operation.ts';
import { jobView, listAllJobs } from '../jobs.ts';
import { listRecord, requestViews } from '../journal.ts';
import { type LedgerEntryWithIds, ledgerEntryView, readLedgerPage, spendingView } from '../ledger.ts';
import { Mask } from '../mask/mask.ts';
import { type OrderView, orderView } from '../orders/order-operations.ts';
import { jobIdOfGetRequest } from '../orders/order-records.ts';
import { findOrderRoot, type OrderRecords, readOrderRecords } from '../orders/stored-orders.ts';
import type { ListInput, ListReader } from '../resource.ts';
import { flowRunDetailView, listAllRuns } from '../runs.ts';
import { listAllDeliveries, listAllEndpoints, listAllEvents } from '../webhooks.ts';
import { responseKey, TRACE_FORMAT_VERSION, type TracedOrder, type TraceHead } from './trace-file.ts';
import {
  maskAndCutOutput,
  type SyncOrAsyncIterable,
  streamJsonObject,
  streamMaskedJsonList,
  streamTracePage,
} from './trace-page.ts';

const HTML = 'text/html; charset=utf-8';
const MAX_LINES = 20_000;
const MAX_REQUESTS = { rows: 5000, bytes: 48 * 1_048_576 };

/** The most characters in all `secrets`, because searching takes about 300 bytes of memory for each character. */
const MAX_OF_SECRETS = 262_144;

const TRACE_MEDIA_SIZES = ['none', 'small', 'whole'] as const;

const line = z.strictObject({ at: z.number(), from: z.enum(['out', 'err']), text: z.string().max(20_000) });

const traceSettings = z.object({
  title: optional(text({ max: 500 })).describe(
    'the title, such as a command or a test (default: the address of the emulator).',
  ),
  account_id: optional(z.string()).describe('the id of an account; other accounts are omitted.'),
  media: withDefault(z.enum(TRACE_MEDIA_SIZES), 'small').describe(
    'small (thumbnails and waveforms), whole (every file) or none (default: small).',
  ),
  exit: optional(z.int()).describe('the exit code of the command.'),
  failure: optional(text({ max: 10_000 })).describe('the reason why the command failed, in one sentence.'),
  scenario: optional(z.array(text({ max: 1000 })).max(100)).describe(
    'the faults of the run, one per line, shown at the top of the trace.',
  ),
  began: optional(z.number()).describe("the start of the command by the machine's clock, a Unix time in milliseconds."),
  output: optional(z.array(line).max(MAX_LINES)).describe('the output of the command, an array of {at, from, text}.'),
  secrets: optional(
    z
      .array(z.string().min(3).max(131_072))
      .max(1000)
      .refine((texts) => texts.join('').length <= MAX_OF_SECRETS, {
        error: () => `must have at most ${MAX_OF_SECRETS.toLocaleString('en')} characters in all.`,
      }),
  ).describe('texts to mask, in addition to the secrets in the environment of the emulator.'),
});

export const saveTrace = definePost('saveTrace', '/_emulator/trace', {
  summary: 'Returns a trace: one HTML page with everything that was recorded.',
  body: traceSettings,
  answer: 'text/html',
  async handle(call) {
    const { context, body: settings, baseUrl, gone } = call;
    const requests = await context.records.journal.newest(settings.account_id, MAX_REQUESTS);
    return new DownloadReply(await traceFile({ context, baseUrl, settings, requests }, gone), HTML);
  },
});

async function traceFile(source: TraceSource, gone: AbortSignal): Promise<Readable> {
  const target = source.context.storage.files.scratchPath();
  try {
    gone.throwIfAborted();
    const record = new TraceCollector(source);
    await pipeline(streamTracePage(record.json()), createWriteStream(target, { mode: 0o600 }), { signal: gone });
  } catch (error) {
    await rm(target, { force: true });
    throw gone.aborted ? gone.reason : error;
  }
  const page = createReadStream(target);
  page.once('close', () => void rm(target, { force: true }).catch(() => undefined));
  return page;
}

const MAX_ROWS = 10_000;
const MAX_LEDGERS = 200;
const PAGE = 250;

/** Finds accounts by a search, because their list has no filter for an account. */
const ACCOUNTS = {
  ...listAllAccounts,
  rows: (context: Context, { account_id: q, ...page }: ListInput) => listAllAccounts.rows(context, { ...page, q }),
};

const NOTES = {
  ...listRecord,
  rows: (context: Context, page: ListInput) => listRecord.rows(context, Object.assign({ kind: 'note' }, page)),
};

function ledgerOf(accountId: string): ListReader<LedgerEntryWithIds> {
  return {
    name: 'listUsage',
    rows: async (context, page) => readLedgerPage(context, accountId, page),
    view: () => ledgerEntryView,
  };
}

interface TraceSource {
  context: Context;
  baseUrl: string;
  settings: z.output<typeof traceSettings>;
  requests: NewestRequestRange;
}

/** Reads the records for a trace, in pieces to save memory. */
class TraceCollector {
  readonly #source: TraceSource;
  readonly #context: Context;
  readonly #mask: Mask;
  readonly #urls = new Set<string>();
  readonly #cut = new Set<string>();
  readonly #ended: number;
  #began: number | undefined;
  #filesLeftOut = 0;

  constructor(source: TraceSource) {
    const { context, settings } = source;
    const queries = readEndpointUrlQueries(context.database);
    this.#source = source;
    this.#context = context;
    this.#mask = new Mask([
      ...secretValuesInEnvironment(),
      ...distinctiveTexts([...(settings.secrets ?? []), ...queries]),
    ]);
    this.#ended = context.clock.real();
  }

  /** Yields a `TraceFile` in pieces. The head comes last, because it lists what was left out. */
  async *json(): AsyncGenerator<string> {
    yield* streamJsonObject([
      ['orders', streamMaskedJsonList(this.#orders(), this.#mask)],
      ['answers', streamJsonObject(this.#answers())],
      ['output', streamMaskedJsonList(maskAndCutOutput(this.#source.settings.output ?? [], this.#mask), this.#mask)],
      ['media', streamJsonObject(this.#files())],
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
    const timeline = orderView(context, records, this.#source.baseUrl);
    this.#noteFiles(timeline.made);
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
    const { database } = this.#context;
    yield [responseKey('listRequests'), this.#listed(this.#lines())];
    yield [responseKey('listAccounts'), this.#list(ACCOUNTS)];
    yield [responseKey('listEvents'), this.#list(listAllEvents)];
    yield [responseKey('listDeliveries'), this.#list(listAllDeliveries)];
    yield [responseKey('listEndpoints'), this.#list(listAllEndpoints)];
    yield [responseKey('listRecord'), this.#list(NOTES)];
    yield [responseKey('listRuns'), this.#list(listAllRuns)];
    yield [responseKey('getClock'), [this.#mask.json(clockView(this.#context))]];
    yield [
      responseKey('summarizeSpending'),
      [this.#mask.json(await spendingView(database, this.#source.settings.account_id))],
    ];
    let left = MAX_LEDGERS;
    for await (const { id } of this.#rows(ACCOUNTS)) {
      yield [responseKey('listUsage', id), this.#list(ledgerOf(id))];
      yield [responseKey('summarizeSpending', id), [this.#mask.json(await spendingView(database, id))]];
      left -= 1;
      if (left === 0) return;
    }
  }

  *#requests(): Generator<JournalEntry> {
    const { requests } = this.#source;
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
    const { account_id } = this.#source.settings;
    let left = MAX_ROWS;
    for (let after: string | undefined; ; ) {
      const page = await rows(this.#context, { account_id, after, limit: PAGE });
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
    const view = list.view({ context: this.#context, baseUrl: this.#source.baseUrl });
    for await (const row of this.#rows(list)) yield view(row);
  }

  async *#listed(rows: SyncOrAsyncIterable<object>): AsyncGenerator<string> {
    yield '{"object":"list","data":';
    yield* streamMaskedJsonList(rows, this.#mask);
    yield '}';
  }

  #noteFiles(made: OrderView['made']): void {
    const { media } = this.#source.settings;
    if (media === 'none') return;
    for (const { url, thumbnail_url: picture } of made) {
      this.#urls.add(picture);
      if (media === 'whole') this.#urls.add(url);
    }
  }

  /** The files that fit into the trace: whole, or only thumbnails and waveforms. */
  async *#files(): AsyncGenerator<[path: string, pieces: Iterable<string>]> {
    let room = MAX_BYTES[this.#source.settings.media];
    for (const url of this.#urls) {
      const { pathname, search } = new URL(url, 'http://localhost');
      const found = room > 0 ? await readMedia(this.#context.storage.served, pathname, search.slice(1)) : undefined;
      if (!found || found.body.length > Math.min(room, MAX_OF_ONE)) {
        this.#filesLeftOut += 1;
        continue;
      }
      room -= found.body.length;
      yield [pathname, dataUrl(found)];
    }
  }

  *#head(): Generator<string> {
    const { settings, requests, baseUrl } = this.#source;
    const { title = baseUrl, exit = null, failure = null, scenario, output } = settings;
    const ended = this.#ended;
    const began = settings.began ?? Math.min(this.#began ?? ended, output?.[0]?.at ?? ended);
    const head: TraceHead = {
      ...{ format: TRACE_FORMAT_VERSION, version: VERSION, title, exit, failure, scenario },
      span: { began: Math.min(began, ended - 1), ended },
      leftOut: { requests: requests.leftOut, files: this.#filesLeftOut, rows: [...this.#cut] },
    };
    yield this.#mask.json(head);
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

const MAX_BYTES = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MAX_OF_ONE = 64 * 1_048_576;
/** A multiple of three, so that the pieces of base64 can be joined. */
const PIECE = 3 * 65_536;

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
