import { useQueries, useQuery } from '@tanstack/react-query';
import type { WireAnswer } from '../../../control/call-operation.ts';
import type { OpenRequest } from '../../../engine/journal/live-feed.ts';
import { PageStore, setTimer, useStore } from './browser.ts';
import { fetchListPage, type ReadOptions, useOperation, usePagedRecords, useRows } from './queries.ts';
import type { OrderSummary, RequestSummary, Timeline } from './records.ts';

export const openRequests = new PageStore<readonly OpenRequest[]>([]);

interface PausedLive {
  open: readonly OpenRequest[];
  total: number;
  /** True if Live is paused because the pointer is over its list. */
  isByHover: boolean;
}

/** What Live showed when it was paused. Undefined if Live shows what arrives. */
export const pausedLiveView = new PageStore<PausedLive | undefined>(undefined);

const PAGE = 1000;

/** The recorded and the open requests. While Live is paused, these do not change, and `waiting` counts those that arrived. */
export function useLiveRequests() {
  const paused = useStore(pausedLiveView);
  const open = useStore(openRequests);
  const found = usePagedRecords('listRequests', { brief: 'true', limit: PAGE }, { enabled: !paused });
  const known = useRecordCounts()?.request ?? found.rows.length;
  const total = known + open.length;
  // While the page reloads what changed, a new request may be missing from `known`, or be in `known` and `open`.
  const shown = found.hasMore ? total : new Set([...found.rows, ...open].map(({ id }) => id)).size;
  const pause = (isByHover = false, seen = shown) => pausedLiveView.set({ open, total: seen, isByHover });
  return {
    ...found,
    rows: found.rows as readonly RequestSummary[],
    open: paused?.open ?? open,
    known,
    waiting: paused ? Math.max(0, total - paused.total) : 0,
    isPaused: paused !== undefined,
    pause,
    showWaiting: () => void found.reload().then(() => pause(paused?.isByHover, total)),
  };
}

export type LiveRequests = ReturnType<typeof useLiveRequests>;

export function endHoverPause(): void {
  if (pausedLiveView.value?.isByHover) pausedLiveView.set(undefined);
}

export type RecordCounts = WireAnswer<'search'>['searched'];

/** Milliseconds in which the ids of shown orders are collected, to read these orders with one `listOrders`. */
const GATHER = 30;

let gathered: { ids: string[]; orders: Promise<Map<string, OrderSummary>> } | undefined;

async function readOrder(id: string): Promise<OrderSummary | null> {
  gathered ??= { ids: [], orders: readGathered() };
  gathered.ids.push(id);
  return (await gathered.orders).get(id) ?? null;
}

async function readGathered(): Promise<Map<string, OrderSummary>> {
  await new Promise<void>((resolve) => setTimer(GATHER, resolve));
  const ids = gathered?.ids.join(',');
  gathered = undefined;
  const orders = await fetchListPage('listOrders', { ids });
  return new Map(orders.map((order) => [order.id, order]));
}

function orderQuery(id: string) {
  return { queryKey: ['listOrders', { ids: id }], queryFn: () => readOrder(id) };
}

export function useOrderSummary(id: string): OrderSummary | undefined {
  return useQuery(orderQuery(id)).data ?? undefined;
}

export function useOrderSummaries(ids: readonly string[]): ReadonlyMap<string, OrderSummary> {
  return useQueries({ queries: ids.map(orderQuery), combine: byId });
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

const FOUND_PAGE = 100;

export function useOrderSearch(q: string, accountId: string | undefined) {
  const isSearch = q !== '' || accountId !== undefined;
  const found = usePagedRecords('listOrders', { q, account_id: accountId, limit: FOUND_PAGE }, { enabled: isSearch });
  const isNone = isSearch && !found.isPending && found.rows.length === 0 && !found.error;
  return { ...found, isSearch, isNone };
}

export function useTimeline(id: string, options?: ReadOptions<Timeline>) {
  const { data, error } = useOperation('getTimeline', { id }, options);
  return { data: data as Timeline | undefined, error };
}
