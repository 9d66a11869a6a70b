import { grouped } from '../../base/grouped.ts';
import { isUnderWay } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { requestLine } from '../../engine/journal/notices.ts';
import type { RequestLine } from '../../engine/journal/request-schemas.ts';
import { orderLine } from '../orders/order-line.ts';
import type { OrderLine } from '../orders/order-line-record.ts';
import { type OrderRecords, readJobOf } from '../orders/order-records.ts';
import { timelineOf } from '../orders/timeline.ts';
import { entryView, type PaidEntry, type Sums, sumOf, wholeEntryView } from '../paid-entry.ts';
import { requestDoc } from '../search/indexed-text.ts';
import { parseSearch, type SearchQuery, type Trait } from '../search/search-query.ts';
import { RowsAt, recordsAt, settledAt } from './rows-at.ts';
import type { Row, TraceFile } from './trace-file.ts';
import { TraceOrders } from './trace-orders.ts';

const PAGE = 1000;

type TracedLine = OrderLine & { thumbnail_url: string | null };

/** An order at a moment. */
class OrderStand {
  readonly line: TracedLine;
  readonly records: OrderRecords;
  #text: string | undefined;

  constructor(line: TracedLine, records: OrderRecords) {
    this.line = line;
    this.records = records;
  }

  /** All that is on record of it, in small letters. */
  get text(): string {
    this.#text ??= JSON.stringify(this.records).toLowerCase().normalize('NFC');
    return this.#text;
  }
}

/** Answers what the control surface would have answered at a moment of a run, from what was written down of it. */
export class TraceAnswers {
  readonly trace: TraceFile;
  readonly orders: TraceOrders;
  readonly #rows: RowsAt;
  /** What came of each request, and of each order that nothing changed any more. */
  readonly #answered = new Map<JournalEntry, RequestLine>();
  readonly #settled = new Map<string, { from: number; stand: OrderStand }>();
  /** The paths of small pictures, by the id of their library entry. */
  readonly #thumbnails: ReadonlyMap<string, string>;
  /** Milliseconds of the machine's clock. */
  moment: number;

  constructor(trace: TraceFile) {
    this.trace = trace;
    this.orders = new TraceOrders(trace);
    this.#rows = new RowsAt(trace, this.orders);
    const pictures = Object.keys(trace.media).filter((path) => path.startsWith('/cdn/thumbnails/'));
    this.#thumbnails = new Map(pictures.map((path) => [entryOf(path), path]));
    this.moment = trace.head.span.ended;
  }

  /** Undefined for what is not on record: a 404. */
  get(path: string, query: URLSearchParams): unknown {
    const [, resource = '', id, part, more] = path.split('/').map(decodeURIComponent);
    if (resource === 'orders') return page(this.#orders(query), query);
    if (resource === 'trail') return this.#trail(id ?? '');
    if (resource === 'requests') return id === undefined ? page(this.requests(), query) : this.#request(id);
    if (resource === 'clock') return this.#clock();
    if (resource === 'record') return page(this.#notes(), query);
    if (resource === 'search') return this.#search();
    const money = this.#money(resource, id, part, more);
    if (money !== undefined) return Array.isArray(money) ? page(money.filter(narrowed(query)), query) : money;
    const rows = this.#rows.list(`/${resource}`, this.moment);
    if (id !== undefined) return this.#one(resource, rows, id);
    return page(rows.filter(narrowed(query)), query);
  }

  /** The emulator's time at the moment, in milliseconds. */
  emulated(): { now: number; runs: boolean } {
    const { marks } = this.trace.head;
    const mark = marks.findLast(({ real }) => real <= this.moment) ?? marks[0];
    if (!mark) return { now: this.moment, runs: true };
    return { now: mark.runs ? mark.now + (this.moment - mark.real) : mark.now, runs: mark.runs };
  }

  /** What was true at the moment, in a few numbers. */
  figures(): { n: number; text: string }[] {
    const { entries } = this.trace.tables;
    const owners = new Set(entries.map(({ accountId }) => accountId));
    const balance = [...owners].reduce((sum, owner) => sum + this.#rows.balanceAt(owner, this.moment), 0);
    const jobs = this.#rows.list('/jobs', this.moment);
    const deliveries = this.#rows.list('/deliveries', this.moment);
    const armed = this.#rows.list('/faults', this.moment).filter(({ remaining }) => remaining !== 0);
    return [
      { n: balance, text: 'credits' },
      { n: jobs.filter(({ status }) => isUnderWay(status)).length, text: 'jobs under way' },
      { n: deliveries.filter(({ status }) => status === 'failed').length, text: 'refused' },
      { n: this.#rows.list('/library', this.moment).length, text: 'files' },
      { n: armed.length, text: 'rules armed' },
    ];
  }

  #one(resource: string, rows: readonly Row[], id: string): unknown {
    const found = rows.find((row) => row.id === id);
    if (resource !== 'deliveries' || !found) return found;
    const event = this.#rows.list('/events', this.moment).find((each) => each.id === found.event_id);
    return { ...found, envelope: event?.envelope };
  }

  /** The ledger of an account, its balance and what it spent, or one entry; undefined for what is none of these. */
  #money(resource: string, id: string | undefined, part: string | undefined, more: string | undefined) {
    const isOfAccount = resource === 'accounts' && id !== undefined && part !== undefined;
    if (!isOfAccount && resource !== 'ledger') return undefined;
    const past = this.orders.paidBy(this.moment);
    if (resource === 'ledger') {
      const entry = past.find((each) => each.id === id);
      return (
        entry &&
        wholeEntryView(
          entry,
          past.find(({ refundOf }) => refundOf === id),
        )
      );
    }
    const own = past.filter(({ accountId }) => accountId === id);
    if (part === 'balance') return balanceOf(own, id);
    if (part === 'usage' && more === 'summary') return spendingOf(own, id ?? '');
    if (part === 'usage') return own.map(entryView).toReversed();
    return part === 'keys' ? [] : undefined;
  }

  /** Those that were on record, newest first; a trace shows no other acts. */
  #notes() {
    const notes = this.trace.tables.acts.filter(({ kind, at }) => kind === 'note' && at <= this.moment);
    return notes.toReversed().map(({ position, at, accountId, detail }) => ({
      id: `act_${position}`,
      kind: 'note',
      at: new Date(at).toISOString(),
      account_id: accountId,
      detail,
    }));
  }

  #clock() {
    const { now, runs } = this.emulated();
    return { now: new Date(now).toISOString(), frozen: !runs };
  }

  /** Those that had come, newest first. */
  requests(): RequestLine[] {
    return this.#known().map((entry) => {
      const isAnswered = entry.began + entry.duration_ms <= this.moment;
      if (!isAnswered) return requestLine({ ...entry, duration_ms: this.moment - entry.began, status: 200 });
      const line = this.#answered.get(entry) ?? requestLine(entry);
      this.#answered.set(entry, line);
      return line;
    });
  }

  #known(): JournalEntry[] {
    return this.trace.tables.requests.filter(({ began }) => began <= this.moment).toReversed();
  }

  #request(id: string): unknown {
    const entry = this.orders.request(id);
    if (!entry || entry.began > this.moment) return undefined;
    const { events = [], deliveries = [] } = recordsAt(this.orders.ledTo(entry), this.moment) ?? {};
    return {
      ...entry,
      answer: entry.began + entry.duration_ms <= this.moment ? entry.answer : null,
      received_at: new Date(entry.began).toISOString(),
      run_id: entry.run_id ?? null,
      event_ids: events.map((event) => event.id),
      delivery_ids: deliveries.map((delivery) => delivery.id),
    };
  }

  #orders(query: URLSearchParams): OrderLine[] {
    const ids = query.get('ids');
    const roots = ids === null ? this.#roots() : ids.split(',').map((id) => this.orders.orderOf(id) ?? id);
    const orders = [...new Set(roots)].flatMap((root) => this.#stand(root) ?? []);
    const account = query.get('account_id');
    const fits = searchTest(query.get('q') ?? '', this.trace.head.span.ended, this.trace.lists['/accounts'] ?? []);
    const isSought = (stand: OrderStand) =>
      ids !== null || ((account === null || stand.line.whose.account_id === account) && fits(stand));
    return orders.filter(isSought).map(({ line }) => line);
  }

  /** A file that the record has, by the path of its address; of a render that it has not, the small picture. */
  file(path: string): string | undefined {
    const { media } = this.trace;
    return media[path] ?? media[this.#thumbnails.get(entryOf(path)) ?? ''];
  }

  #roots(): string[] {
    const orders = this.#known().filter((entry) => !readJobOf(entry));
    return orders.map(({ id }) => id);
  }

  /** None for an order that had not started. */
  line(root: string): TracedLine[] {
    const stand = this.#stand(root);
    return stand ? [stand.line] : [];
  }

  #stand(root: string): OrderStand | undefined {
    const settled = this.#settled.get(root);
    if (settled && settled.from <= this.moment) return settled.stand;
    const whole = this.orders.whole(root);
    const records = whole && recordsAt(whole, this.moment);
    if (!whole || !records) return undefined;
    const line = pastLine(records);
    const picture = this.#thumbnails.get(line.made?.library_id ?? '') ?? null;
    const stand = new OrderStand({ ...line, thumbnail_url: picture }, records);
    const from = settledAt(whole);
    if (from <= this.moment) this.#settled.set(root, { from, stand });
    return stand;
  }

  #trail(id: string): unknown {
    const root = this.orders.orderOf(id);
    const whole = root === undefined ? undefined : this.orders.whole(root);
    const records = whole && recordsAt(whole, this.moment);
    if (!whole || !records) return undefined;
    const library = new Map(this.#rows.list('/library', this.moment).map((row) => [row.job_id, row]));
    const made = records.jobs.flatMap((job) => {
      const row = library.get(job.id);
      if (!row) return [];
      const { kind, content_type, duration: seconds, url, thumbnail_url } = row;
      return [{ job_id: job.id, library_id: row.id, kind, content_type, seconds, url, thumbnail_url }];
    });
    return { ...timelineOf(records), line: pastLine(records), made, explained: this.trace.explained[whole.id] ?? [] };
  }

  /** What a search that found nothing went through. */
  #search() {
    const count = (path: string) => this.#rows.list(path, this.moment).length;
    const searched = {
      request: this.#known().length,
      job: count('/jobs'),
      event: count('/events'),
      delivery: count('/deliveries'),
      run: count('/runs'),
    };
    return { data: [], searched, nearest: [] };
  }
}

/** The line of an order of the past, which can be neither approved nor sent again. */
function pastLine(records: OrderRecords): OrderLine {
  return { ...orderLine(records, records.reads.length), todo: { redeliver: null, run: null } };
}

/** The id in a path such as `/cdn/library/lib_1/file.png`. */
function entryOf(path: string): string {
  return path.split('/')[3] ?? '';
}

const NAMES = ['account_id', 'status', 'flow_id', 'kind', 'model', 'type'];

/** What a list is narrowed to by the fields of its query. */
function narrowed(query: URLSearchParams): (row: Row) => boolean {
  const wanted = NAMES.flatMap((name) => (query.has(name) ? [[name, query.get(name)] as const] : []));
  const holds = holding(query);
  const isOf = (row: Row, name: string, value: unknown) =>
    value === 'open' ? isUnderWay(row[name]) : (row[name] ?? Object(row.flow).id) === value;
  return (row) => wanted.every(([name, value]) => isOf(row, name, value)) && holds(row);
}

/** Whether a row holds each of the words that are searched for. */
function holding(query: URLSearchParams): (row: object) => boolean {
  const text = query.get('text')?.toLowerCase();
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = text === undefined ? words : [...words, text];
  return (row) => wanted.every((word) => JSON.stringify(row).toLowerCase().includes(word));
}

function page<T extends { id: string }>(rows: readonly T[], query: URLSearchParams): { data: T[] } {
  const after = query.get('after');
  const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  return { data: rows.slice(from, from + Number(query.get('limit') ?? PAGE)) };
}

/** What an account was charged, by operation and model, the dearest first. */
function spendingOf(entries: readonly PaidEntry[], accountId: string) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const paidFor = (entry: PaidEntry) => (entry.type === 'charge' ? entry : byId.get(entry.refundOf ?? ''));
  const paid = entries.filter(paidFor);
  const work = grouped(paid, (entry) => `${paidFor(entry)?.operation} ${paidFor(entry)?.model}`);
  const data = [...work.values()].map((own) => {
    const of = own[0] && paidFor(own[0]);
    return { operation: of?.operation ?? '', model: of?.model ?? null, ...sumOf(own.map(movedBy)) };
  });
  return { account_id: accountId, data: data.sort((a, b) => b.credits - a.credits), total: sumOf(data) };
}

function movedBy({ type, amount }: PaidEntry): Sums {
  const none = { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: -amount };
  return type === 'charge' ? { ...none, charges: 1, charged: -amount } : { ...none, refunds: 1, refunded: amount };
}

function balanceOf(entries: readonly PaidEntry[], accountId: string | undefined) {
  const data = entries.map(({ created, balance }) => ({ created: Math.floor(created / 1000), balance }));
  return { account_id: accountId, entries: entries.length, start: 0, data };
}

/** Whether an order fits what `GET /_emulator/search` takes for `q`. Throws `invalid_request` for a token that it cannot read. */
function searchTest(q: string, now: number, accounts: readonly Row[]): (sought: OrderStand) => boolean {
  const query = parseSearch(q, now);
  const named = (text: string) => {
    const owners = accounts.filter(({ id, name }) => id.startsWith(text) || hasText(String(name ?? ''), text));
    return new Set<string | null>(owners.map(({ id }) => id));
  };
  const owners = query.account === undefined ? undefined : named(query.account);
  const words = query.words.map((word) => ({ word: word.toLowerCase().normalize('NFC'), owners: named(word) }));
  return (sought) => {
    const { account_id: owner } = sought.line.whose;
    const saysAll = words.every((each) => sought.text.includes(each.word) || each.owners.has(owner));
    return saysAll && (owners === undefined || owners.has(owner)) && fitsPlainly(query, sought);
  };
}

function fitsPlainly({ status, took, after, model, path, traits }: SearchQuery, sought: OrderStand): boolean {
  const { line, records } = sought;
  const { request } = records;
  return (
    isWithin(request?.status, status) &&
    isWithin(request?.duration_ms, took) &&
    (after === undefined || line.time.began >= after) &&
    (model === undefined || hasText(line.asked.model ?? '', model)) &&
    (path === undefined || line.call.path.includes(path)) &&
    traits.every((trait) => TRAITS[trait](sought))
  );
}

function isWithin(value: number | undefined, range: readonly [number, number] | undefined): boolean {
  return range === undefined || (value !== undefined && value >= range[0] && value <= range[1]);
}

function hasText(text: string, piece: string): boolean {
  return text.toLowerCase().includes(piece.toLowerCase());
}

const TRAITS: Record<Trait, (sought: OrderStand) => boolean> = {
  'is:failed': isFailed,
  'is:done': (sought) => !isFailed(sought) && !sought.line.time.is_open,
  'is:open': ({ line }) => line.time.is_open,
  'is:waiting': ({ records }) => records.run?.run.status === 'waiting',
  'is:refused': ({ line }) => line.status.deliveries?.tone === 'bad',
  'has:refund': ({ line }) => line.status.money.back > 0,
  'is:retry': bears('is:retry'),
  'is:cut': bears('is:cut'),
  'has:fault': bears('has:fault'),
  'has:warning': bears('has:warning'),
  'has:charge': bears('has:charge'),
  'has:job': bears('has:job'),
};

function isFailed({ line: { status } }: OrderStand): boolean {
  return status.tone === 'bad' || status.money.back > 0 || status.deliveries?.tone === 'bad';
}

/** What is known of a request once and for all. */
function bears(trait: Trait): (sought: OrderStand) => boolean {
  return ({ records: { request } }) =>
    request !== undefined && requestDoc({ ...request, position: 0 }).facts.traits.includes(` ${trait} `);
}
