import { useQueries, useQuery } from '@tanstack/react-query';
import type { WireAnswer } from '../../../control/call-operation.ts';
import type { LiveBatch, OpenRequest } from '../../../engine/journal/live-feed.ts';
import { PageStore, setTimer, useStore } from './browser.ts';
import { traceSource } from './call-api.ts';
import {
  fetchListRecords,
  ORDER_QUERY_KEY,
  type ReadOptions,
  useOperation,
  usePagedRecords,
  useRows,
} from './queries.ts';
import type { OrderSummary, RequestSummary, Timeline } from './records.ts';

class OpenStore extends PageStore<readonly OpenRequest[]> {
  shown: readonly string[] = [];

  receive({ open }: { open?: readonly OpenRequest[] }): void {
    if (open) this.set(open);
  }
}

export const inProgressRequestStore = new OpenStore([]);

const MAX_ROWS = 2000;
const PAGE = 1000;

const EMPTY = {
  rows: [] as readonly RequestSummary[],
  held: 0,
  missed: 0,
  isPaused: false,
  isLoaded: false,
  hasOlder: false,
};

class RequestStore extends PageStore<typeof EMPTY> {
  #held: RequestSummary[] = [];
  /** The ids of the requests that `load` read. The stream may send these requests too, and `add` then ignores them. */
  #known = new Set<string>();
  #most = MAX_ROWS;

  async load(): Promise<void> {
    const page = await readPage();
    this.#known = new Set(page.map(({ id }) => id));
    const { rows, isLoaded } = this.value;
    const newer = isLoaded ? [] : rows.filter(({ id }) => !this.#known.has(id));
    this.#held = [];
    this.#most = MAX_ROWS;
    const all = [...newer, ...page];
    this.set({ ...EMPTY, rows: all, isLoaded: true, hasOlder: page.length === PAGE });
  }

  async reload(): Promise<void> {
    this.set({ ...EMPTY, isPaused: this.value.isPaused });
    await this.load();
  }

  async loadOlder(): Promise<void> {
    const { rows } = this.value;
    const page = await readPage(rows.at(-1)?.id);
    const all = [...this.value.rows, ...page];
    this.#most = Math.max(MAX_ROWS, all.length);
    this.set({ ...this.value, rows: all, hasOlder: page.length === PAGE });
  }

  add({ requests, left_out }: LiveBatch): void {
    const { value } = this;
    const missed = value.missed + left_out.requests;
    if (requests.length === 0 && missed === value.missed) return;
    const fresh = requests.toReversed().filter(({ id }) => !this.#known.has(id));
    if (!value.isPaused) {
      this.set({ ...value, missed, ...this.#cut([...fresh, ...value.rows]) });
      return;
    }
    const isShown = ({ id }: RequestSummary) => inProgressRequestStore.shown.includes(id);
    const waiting = fresh.filter((each) => !isShown(each));
    this.#held = [...waiting, ...this.#held].slice(0, this.#most);
    const held = value.held + waiting.length;
    this.set({ ...value, missed, held, ...this.#cut([...fresh.filter(isShown), ...value.rows]) });
  }

  #cut(rows: readonly RequestSummary[]): Pick<typeof EMPTY, 'rows' | 'hasOlder'> {
    const { hasOlder } = this.value;
    return rows.length <= this.#most ? { rows, hasOlder } : { rows: rows.slice(0, this.#most), hasOlder: true };
  }

  pause(): void {
    this.set({ ...this.value, isPaused: true });
  }

  showHeld(isPaused = this.value.isPaused): void {
    const newest = this.#cut([...this.#held, ...this.value.rows]);
    this.#held = [];
    this.set({ ...this.value, ...newest, held: 0, isPaused });
  }

  goOn(): void {
    this.showHeld(false);
  }
}

async function readPage(after?: string): Promise<RequestSummary[]> {
  return (await fetchListRecords('listRequests', { brief: 'true', limit: PAGE, after })) as RequestSummary[];
}

export const requestStore = new RequestStore(EMPTY);

export type RecordCounts = WireAnswer<'search'>['searched'];

/** The most orders in one request, and the time to collect them, in milliseconds. */
const AT_ONCE = 60;
const GATHER = 30;

class LineReader {
  #wanted: { id: string; take: (line: Promise<OrderSummary | null>) => void }[] = [];

  readonly read = (id: string): Promise<OrderSummary | null> => {
    if (this.#wanted.length === 0) setTimer(GATHER, () => this.#load());
    return new Promise((take) => this.#wanted.push({ id, take }));
  };

  #load(): void {
    const wanted = this.#wanted;
    this.#wanted = [];
    for (let from = 0; from < wanted.length; from += AT_ONCE) {
      const part = wanted.slice(from, from + AT_ONCE);
      const found = fetchListRecords('listOrders', { ids: part.map(({ id }) => id).join(',') });
      for (const { id, take } of part) take(found.then((lines) => lines.find((line) => line.id === id) ?? null));
    }
  }
}

const reader = new LineReader();

function lineQuery(id: string) {
  return { queryKey: [ORDER_QUERY_KEY, id], queryFn: () => reader.read(id) };
}

export function useOrderSummary(id: string): OrderSummary | undefined {
  return useQuery(lineQuery(id)).data ?? undefined;
}

export function useOrderSummaries(ids: readonly string[]): ReadonlyMap<string, OrderSummary> {
  return useQueries({ queries: ids.map(lineQuery), combine: byId });
}

function byId(results: readonly { data: OrderSummary | null | undefined }[]): ReadonlyMap<string, OrderSummary> {
  return new Map(results.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])));
}

export const listedOrderIds = new PageStore<readonly string[]>([]);

export function useAdjacentOrderIds(id: string): { newer: string | undefined; older: string | undefined } {
  const listed = useStore(listedOrderIds);
  const isListed = listed.includes(id);
  const { data = [] } = useRows('listOrders', { limit: 100 }, { enabled: !isListed });
  const ids = isListed ? listed : data.map((line) => line.id);
  const index = ids.indexOf(id);
  return { newer: index > 0 ? ids[index - 1] : undefined, older: index === -1 ? undefined : ids[index + 1] };
}

export function useRecordCounts(enabled = true): RecordCounts | undefined {
  return useOperation('search', { q: '', limit: 1 }, { enabled }).data?.searched;
}

/** Milliseconds between repetitions of the search that is shown. */
const SEARCHED_AGAIN = 1500;
const FOUND_PAGE = 100;

export function useOrderSearch(q: string, accountId: string | undefined) {
  const isSearch = q !== '' || accountId !== undefined;
  const again = isSearch && !traceSource.value && SEARCHED_AGAIN;
  const found = usePagedRecords(
    'listOrders',
    { q, account_id: accountId, limit: FOUND_PAGE },
    { enabled: isSearch, again },
  );
  const isNone = isSearch && !found.isPending && found.rows.length === 0 && !found.error;
  return { ...found, isSearch, isNone };
}

export function useTimeline(id: string, options?: ReadOptions): { data: Timeline | undefined; error: unknown } {
  const { data, error } = useOperation('getTimeline', { id }, options);
  return { data: data as Timeline | undefined, error };
}
