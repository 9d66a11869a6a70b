import path from 'node:path';
import { positionOf } from '../../base/database/setting-store.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { runView } from '../../engine/flows/run-progress.ts';
import { listRuns, readRunSteps } from '../../engine/flows/run-store.ts';
import { listJobs } from '../../engine/jobs/job-list-store.ts';
import { auditEntryOf, type StoredAuditEntry } from '../../engine/journal/audit-reader-store.ts';
import { entryOn, type JournalEntry, readTimeline } from '../../engine/journal/journal-record.ts';
import { newestEntries } from '../../engine/ledger/entry-store.ts';
import { readDeliveries, readEvents } from '../../engine/webhooks/delivery-store.ts';
import type { Context } from '../../service/http/context.ts';
import type { Mask } from '../mask/mask.ts';
import { explainRequest } from '../orders/explain-order.ts';
import { readJobOf } from '../orders/order-records.ts';
import { StoredOrders } from '../orders/stored-orders.ts';
import { type PaidEntry, paidEntry } from '../paid-entry.ts';
import { wholeRunView } from '../runs.ts';
import { actRows, listsOf, MOST_ROWS, readMedia, requestRows, TraceMedia, type TraceOrder } from './trace-content.ts';
import type { Row, TraceHead } from './trace-file.ts';
import { type Flow, fieldsJson, listJson, maskedOutput } from './write-trace.ts';

/** How many requests are explained in sentences. */
const MOST_STORIES = 2000;

/** What a trace is made from: the state at one moment, and what is kept beside it. */
interface TraceReading {
  database: Reader;
  context: Context;
  mask: Mask;
}

/** Everything that is on record of a run, in the shapes in which it is kept and answered: read as it is written. */
export class TraceRecord {
  readonly #order: TraceOrder;
  readonly #reading: TraceReading;
  readonly #newest = new NewestRows(MOST_ROWS);
  #began: number | undefined;

  constructor(order: TraceOrder, reading: TraceReading) {
    this.#order = order;
    this.#reading = reading;
  }

  /** A `TraceFile` in pieces. Its head comes last: by then it is known what was left out. */
  async *json(): AsyncGenerator<string> {
    const { media } = this.#order;
    const files = new TraceMedia(media);
    const { mask, context } = this.#reading;
    const read = (path: string, query: string) => readMedia(context, path, query);
    const head = () => mask.json(this.#head(files.leftOut));
    yield* fieldsJson([
      ['tables', fieldsJson(this.#tables())],
      ['lists', fieldsJson(this.#lists(files))],
      ['explained', fieldsJson(this.#stories())],
      ['output', this.#output()],
      ['media', fieldsJson(files.fields(read))],
      ['head', last(head)],
    ]);
  }

  *#tables(): Generator<[string, Flow<string>]> {
    const { accountId } = this.#order;
    const { database, mask } = this.#reading;
    const newest = this.#newest;
    const page = (before: number, limit: number) => ({ accountId, before, limit });
    const placed = {
      jobs: newest.oldestFirst('jobs', {
        read: (before, limit) => listJobs(database, page(before, limit)).map(withoutFolders),
        positionOf: ({ position }) => position,
      }),
      events: newest.oldestFirst('events', {
        read: (before, limit) => readEvents(database, page(before, limit)),
        positionOf: ({ id }) => positionOf(database, 'events', id) ?? 0,
      }),
      deliveries: newest.oldestFirst('deliveries', {
        read: (before, limit) => readDeliveries(database, page(before, limit)),
        positionOf: ({ id }) => positionOf(database, 'deliveries', id) ?? 0,
      }),
      runs: newest.oldestFirst('runs', {
        read: (before, limit) =>
          listRuns(database, page(before, limit)).map((run) => ({ run, steps: readRunSteps(database, run.id) })),
        positionOf: ({ run }) => run.position,
      }),
    };
    yield ['requests', listJson(this.#requests(), mask)];
    yield ['entries', listJson(this.#entries(), mask)];
    yield ['acts', listJson(this.#acts(), mask)];
    for (const [name, rows] of Object.entries(placed)) yield [name, listJson(rows, mask)];
  }

  *#requests(): Generator<JournalEntry> {
    const { context, database } = this.#reading;
    const timeline = readTimeline(database);
    for (const row of requestRows(context, this.#order.requests, 'oldest first')) {
      const entry = entryOn(timeline, row);
      this.#began ??= entry.began;
      yield entry;
    }
  }

  #entries(): PaidEntry[] {
    const { accountId } = this.#order;
    const { random } = this.#reading.context;
    const entries = newestEntries(this.#reading.database, accountId, this.#newest.limit);
    return this.#newest
      .keep('ledger entries', entries)
      .toReversed()
      .map((entry) => paidEntry(random, entry));
  }

  /** What was done to all accounts is listed beside what was done to one. */
  *#acts(): Generator<StoredAuditEntry> {
    const { accountId } = this.#order;
    const { context } = this.#reading;
    const after = context.audit.positionBefore(MOST_ROWS);
    if (after > 0) this.#newest.cutOff('control writes');
    for (const row of actRows(context, after)) {
      const isMeant = accountId === undefined || row.accountId === accountId || row.accountId === null;
      if (isMeant) yield auditEntryOf(row);
    }
  }

  *#lists(files: TraceMedia): Generator<[string, Flow<string>]> {
    const { mask } = this.#reading;
    yield ['/runs', listJson(this.#runs(), mask)];
    for (const [path, rows] of listsOf({ ...this.#order, database: this.#reading.database })) {
      const kept = this.#newest.each(path.slice(1), rows);
      yield [path, listJson(files.seen(path, kept), mask)];
    }
  }

  *#runs(): Generator<Row> {
    const { accountId, now } = this.#order;
    const { context, database } = this.#reading;
    const kinds = context.flows.outputKinds;
    const page = { accountId, before: Number.MAX_SAFE_INTEGER, limit: this.#newest.most };
    for (const run of listRuns(database, page)) yield { ...wholeRunView(runView(database, run, { kinds, now })) };
  }

  *#stories(): Generator<[string, string[]]> {
    const { context, database, mask } = this.#reading;
    const { now, requests } = this.#order;
    const { catalogue, fixtures, random } = context;
    const parts = { catalogue, clock: { now: () => now }, database, fixtures };
    const clock = { marks: this.#order.head.marks, real: () => this.#order.span.ended };
    const orders = new StoredOrders({ database, random, clock });
    const timeline = readTimeline(database);
    let left = MOST_STORIES;
    for (const row of requestRows(context, requests, 'newest first')) {
      const entry = entryOn(timeline, row);
      if (readJobOf(entry)) continue;
      yield [entry.id, [mask.json(explainRequest(parts, orders, entry).steps)]];
      left -= 1;
      if (left === 0) return;
    }
  }

  *#output(): Generator<string> {
    let before = '[';
    for (const line of maskedOutput(this.#order.output, this.#reading.mask)) {
      yield before + JSON.stringify(line);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  }

  #head(files: number): TraceHead {
    const { head, span, requests } = this.#order;
    const { cut: of, most: kept } = this.#newest;
    const began = span.began ?? Math.min(this.#began ?? span.ended, span.firstLine ?? span.ended);
    return {
      ...head,
      span: { began: Math.min(began, span.ended - 1), ended: span.ended },
      leftOut: { requests: requests.leftOut, files, ...(of.length > 0 ? { rows: { of, kept } } : {}) },
    };
  }
}

/** A job without the folder of the pictures that were given for it: a trace does not say where this machine keeps them. */
function withoutFolders<Job extends { render?: unknown }>(job: Job): Job {
  const bare = (key: string, value: unknown) =>
    key === 'path' && typeof value === 'string' ? path.basename(value) : value;
  return { ...job, render: JSON.parse(JSON.stringify(job.render ?? null), bare) };
}

/** Made only when it is its turn. */
function* last(json: () => string): Generator<string> {
  yield json();
}

/** How many are read at once. */
const PAGE = 500;

/** A list that is read newest first, by positions that grow with time. */
interface OrderedRows<Row> {
  read(before: number, limit: number): Row[];
  positionOf(row: Row): number;
}

/** Keeps of each kind of row the newest that there is room for, and knows of which there were more. */
export class NewestRows {
  readonly most: number;
  readonly #cut = new Set<string>();

  constructor(most: number) {
    this.most = most;
  }

  /** How many are to be read, so that it is seen whether there are more than are kept. */
  get limit(): number {
    return this.most + 1;
  }

  /** Kinds of which older rows were left out. */
  get cut(): string[] {
    return [...this.#cut];
  }

  /** Older rows of that kind were left out elsewhere. */
  cutOff(kind: string): void {
    this.#cut.add(kind);
  }

  /** `rows`: newest first, up to `limit`. */
  keep<T>(kind: string, rows: readonly T[]): T[] {
    if (rows.length > this.most) this.#cut.add(kind);
    return rows.slice(0, this.most);
  }

  /** Newest first, as they come. */
  async *each<T>(kind: string, rows: AsyncIterable<T>): AsyncGenerator<T> {
    let left = this.most;
    for await (const row of rows) {
      if (left === 0) return this.cutOff(kind);
      left -= 1;
      yield row;
    }
  }

  /** Oldest first. Of the pages on the way to the oldest only the positions are kept. */
  *oldestFirst<T>(kind: string, { read, positionOf }: OrderedRows<T>): Generator<T> {
    const pages: { before: number; limit: number }[] = [];
    let [before, left] = [Number.MAX_SAFE_INTEGER, this.most];
    for (;;) {
      const limit = Math.min(PAGE, left + 1);
      const rows = read(before, limit);
      if (rows.length > left) this.cutOff(kind);
      const kept = Math.min(rows.length, left);
      if (kept > 0) pages.push({ before, limit: kept });
      left -= kept;
      const last = rows.at(-1);
      if (!last || rows.length < limit || rows.length > kept) break;
      before = positionOf(last);
    }
    for (const page of pages.toReversed()) yield* read(page.before, page.limit).toReversed();
  }
}
