import type { Explanation } from '../../../control/orders/explain-order.ts';
import type { OrderLine as BareLine } from '../../../control/orders/order-line.ts';
import type { OrderRecord } from '../../../control/orders/order-operations.ts';
import type { OrderTimeline } from '../../../control/orders/timeline-event.ts';
import type { OpenRequest } from '../../../engine/journal/notices.ts';
import { later, PageStore, useStore } from './browser.ts';
import { callControl, recordSource, withParams } from './call-api.ts';
import { useList, usePages, useRecord } from './queries.ts';
import type { AnswerOf, LiveBatch, RequestLine } from './records.ts';

export type { OpenRequest };

class OpenStore extends PageStore<readonly OpenRequest[]> {
  /** Those that have a row: what comes of them belongs into it, also while nothing else may move. */
  shown: readonly string[] = [];

  receive({ open }: { open?: readonly OpenRequest[] }): void {
    if (open) this.set(open);
  }
}

export const openStore = new OpenStore([]);

/** How many requests the page remembers, unless more are read: older ones are on record. */
const MOST = 2000;
const PAGE = 1000;

interface RequestList {
  rows: readonly RequestLine[];
  /** How many are known of, those included that are not remembered any more. */
  seen: number;
  /** How many came while the list was paused. */
  held: number;
  isPaused: boolean;
  isLoaded: boolean;
  /** How many came faster than they could be shown. */
  missed: number;
  hasOlder: boolean;
}

const EMPTY: RequestList = {
  rows: [],
  seen: 0,
  held: 0,
  missed: 0,
  isPaused: false,
  isLoaded: false,
  hasOlder: false,
};

class RequestStore extends PageStore<RequestList> {
  #held: RequestLine[] = [];
  /** What was read from the record may come once more. */
  #known = new Set<string>();
  #most = MOST;

  /** Takes the newest from the record; what came since then stays. */
  async load(): Promise<void> {
    const page = await readPage();
    this.#known = new Set(page.map(({ id }) => id));
    const { rows, isLoaded } = this.value;
    const newer = isLoaded ? [] : rows.filter(({ id }) => !this.#known.has(id));
    this.#held = [];
    this.#most = MOST;
    const all = [...newer, ...page];
    this.set({ ...EMPTY, rows: all, seen: all.length, isLoaded: true, hasOlder: page.length === PAGE });
  }

  take(): void {
    const rows = recordSource.value?.requests() ?? [];
    this.#most = rows.length;
    this.set({ ...EMPTY, rows, seen: rows.length, isLoaded: true });
  }

  async reload(): Promise<void> {
    this.set({ ...EMPTY, isPaused: this.value.isPaused });
    await this.load();
  }

  async loadOlder(): Promise<void> {
    const { rows } = this.value;
    const page = await readPage(rows.at(-1)?.id);
    const all = [...this.value.rows, ...page];
    this.#most = Math.max(MOST, all.length);
    const seen = Math.max(this.value.seen, all.length);
    this.set({ ...this.value, rows: all, seen, hasOlder: page.length === PAGE });
  }

  add({ requests, left_out }: LiveBatch): void {
    const { value } = this;
    const missed = value.missed + left_out.requests;
    if (requests.length === 0 && missed === value.missed) return;
    const fresh = requests.toReversed().filter(({ id }) => !this.#known.has(id));
    const seen = value.seen + fresh.length;
    if (!value.isPaused) {
      this.set({ ...value, missed, seen, ...this.#cut([...fresh, ...value.rows]) });
      return;
    }
    const isShown = ({ id }: RequestLine) => openStore.shown.includes(id);
    const waiting = fresh.filter((each) => !isShown(each));
    this.#held = [...waiting, ...this.#held].slice(0, this.#most);
    const held = value.held + waiting.length;
    this.set({ ...value, missed, seen, held, ...this.#cut([...fresh.filter(isShown), ...value.rows]) });
  }

  /** What is remembered of these; the others are on record. */
  #cut(rows: readonly RequestLine[]): Pick<RequestList, 'rows' | 'hasOlder'> {
    const { hasOlder } = this.value;
    return rows.length <= this.#most ? { rows, hasOlder } : { rows: rows.slice(0, this.#most), hasOlder: true };
  }

  pause(): void {
    this.set({ ...this.value, isPaused: true });
  }

  showHeld(): void {
    const { isPaused } = this.value;
    this.goOn();
    this.set({ ...this.value, isPaused });
  }

  goOn(): void {
    const newest = this.#cut([...this.#held, ...this.value.rows]);
    this.#held = [];
    this.set({ ...this.value, ...newest, held: 0, isPaused: false });
  }
}

async function readPage(after?: string): Promise<RequestLine[]> {
  const from = after === undefined ? '' : `&after=${after}`;
  const path = `/requests?brief=true&limit=${PAGE}${from}`;
  return (await callControl<{ data: RequestLine[] }>('GET', path)).data;
}

export const requestStore = new RequestStore(EMPTY);

export type { Tone as OrderTone } from '../../../control/orders/order-records.ts';
export type { LaneKind, Step } from '../../../control/orders/timeline-event.ts';

export type OrderLine = OrderRecord;

export interface MadeFile {
  job_id: string;
  library_id: string;
  kind: string;
  content_type: string;
  url: string;
  thumbnail_url: string;
}

export interface Trail extends OrderTimeline {
  line: BareLine;
  made: readonly MadeFile[];
  explained: Explanation['steps'];
}

export type SearchAnswer = AnswerOf<'search'>;

/** How many orders are remembered, and how many are asked for at once. */
const MOST_LINES = 500;
const AT_ONCE = 60;
/** How long it gathers what to ask for, and how often what is in sight is asked for anew, in milliseconds. */
const GATHER = 30;
const AGAIN = 250;

/** Notices after which an order may read otherwise. */
const OF_ORDERS = new Set<string>(['job', 'event', 'delivery', 'run']);

/** What came of the orders that are in sight: asked for when they come into it, and when something happened. */
class OrderStore extends PageStore<ReadonlyMap<string, OrderLine>> {
  #shown: readonly string[] = [];
  #wanted = new Set<string>();
  #isPlanned = false;

  show(ids: readonly string[]): void {
    this.#shown = ids;
    this.#want(
      ids.filter((id) => !this.value.has(id)),
      GATHER,
    );
  }

  /** Asks for one, unless it is known. */
  ask(id: string): void {
    if (!this.value.has(id)) this.#want([id], GATHER);
  }

  receive({ notices }: LiveBatch): void {
    if (notices.some(({ kind, id }) => OF_ORDERS.has(kind) || (kind === 'control' && id !== 'requests')))
      this.refresh();
  }

  refresh(): void {
    this.#want(this.#shown, AGAIN);
  }

  takeShown(): void {
    const lines = this.#shown.flatMap((id) => recordSource.value?.line(id) ?? []);
    this.set(new Map(lines.map((line) => [line.id, line])));
  }

  forget(): void {
    this.set(new Map());
    this.refresh();
  }

  #want(ids: readonly string[], wait: number): void {
    for (const id of ids) this.#wanted.add(id);
    if (this.#wanted.size === 0 || this.#isPlanned) return;
    this.#isPlanned = true;
    later(wait, () => void this.#load());
  }

  async #load(): Promise<void> {
    const ids = [...this.#wanted].slice(0, AT_ONCE);
    this.#wanted.clear();
    try {
      const path = withParams('/orders', { ids: ids.join(',') });
      this.#keep((await callControl<{ data: OrderLine[] }>('GET', path)).data);
    } catch {
      // Without an answer the rows stay as they are; the page says what is wrong.
    }
    this.#isPlanned = false;
    this.#want([], AGAIN);
  }

  #keep(lines: readonly OrderLine[]): void {
    if (lines.length === 0) return;
    const known = new Map(this.value);
    for (const line of lines) {
      known.delete(line.id);
      known.set(line.id, line);
    }
    for (const id of known.keys()) {
      if (known.size <= MOST_LINES) break;
      known.delete(id);
    }
    this.set(known);
  }
}

export const orderStore = new OrderStore(new Map());

/** The orders of the list that was looked at last, newest first: from one of them keys go to the next. */
export const listedOrders = new PageStore<readonly string[]>([]);

export function useNeighbours(id: string): { newer: string | undefined; older: string | undefined } {
  const listed = useStore(listedOrders);
  const isListed = listed.includes(id);
  const { data = [] } = useList<OrderLine>('/orders', { params: { limit: 100 }, enabled: !isListed });
  const ids = isListed ? listed : data.map((line) => line.id);
  const index = ids.indexOf(id);
  return { newer: index > 0 ? ids[index - 1] : undefined, older: index === -1 ? undefined : ids[index + 1] };
}

/** How often a search is asked anew while requests come in, in milliseconds. */
const SEARCHED_AGAIN = 1500;
const FOUND_PAGE = 100;

/** The orders that a search finds; nothing is asked for without one. */
export function useFoundOrders(q: string, accountId: string | undefined) {
  const isSearch = q !== '' || accountId !== undefined;
  const params = { q, account_id: accountId, limit: FOUND_PAGE };
  const found = usePages<OrderLine>('/orders', {
    params,
    enabled: isSearch,
    again: isSearch && !recordSource.value && SEARCHED_AGAIN,
  });
  const isNone = isSearch && !found.isPending && found.rows.length === 0 && !found.error;
  const { data: summary } = useRecord<SearchAnswer>('/search', {
    params: { q, account_id: accountId, limit: 1 },
    enabled: isNone,
  });
  return { ...found, isSearch, summary: isNone ? summary : undefined };
}
