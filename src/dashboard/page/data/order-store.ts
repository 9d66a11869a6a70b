import type { Explanation } from '../../../control/orders/explain-order.ts';
import type { OrderLine as BareLine } from '../../../control/orders/order-line.ts';
import type { OrderRecord } from '../../../control/orders/order-operations.ts';
import type { OrderTimeline } from '../../../control/orders/timeline-event.ts';
import { later, PageStore, useStore } from './browser.ts';
import { callControl, recordSource, withParams } from './call-api.ts';
import { useList, usePages, useRecord } from './queries.ts';
import type { AnswerOf, LiveBatch } from './records.ts';

export type { Tone as OrderTone } from '../../../control/orders/order-records.ts';
export type { LaneKind, Step } from '../../../control/orders/timeline-event.ts';

/** One order as a row shows it; times are milliseconds of the machine's clock. */
export type OrderLine = OrderRecord;

/** A file that an order came to. */
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

/** What a search that found nothing says. */
export type SearchAnswer = AnswerOf<'search'>;

/** How many orders are remembered, and how many are asked for at once. */
const MOST = 500;
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

  /** These are in sight now. */
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

  /** Something happened. */
  receive({ notices }: LiveBatch): void {
    if (notices.some(({ kind, id }) => OF_ORDERS.has(kind) || (kind === 'control' && id !== 'requests')))
      this.refresh();
  }

  refresh(): void {
    this.#want(this.#shown, AGAIN);
  }

  /** Takes what is in sight from a record at its moment, at once. */
  takeShown(): void {
    const lines = this.#shown.flatMap((id) => recordSource.value?.line(id) ?? []);
    this.set(new Map(lines.map((line) => [line.id, line])));
  }

  /** The whole state is another one. */
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
      if (known.size <= MOST) break;
      known.delete(id);
    }
    this.set(known);
  }
}

export const orderStore = new OrderStore(new Map());

/** The orders of the list that was looked at last, newest first: from one of them keys go to the next. */
export const listedOrders = new PageStore<readonly string[]>([]);

/** Those before and after an order: in the list from which it was opened, else among the newest. */
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
const PAGE = 100;

/** The orders that a search finds; nothing is asked for without one. */
export function useFoundOrders(q: string, accountId: string | undefined) {
  const isSearch = q !== '' || accountId !== undefined;
  const params = { q, account_id: accountId, limit: PAGE };
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
