import {
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { useFilter } from './addresses.ts';
import { later } from './browser.ts';
import { callControl, type Params, withParams } from './call-api.ts';
import type { LiveBatch } from './records.ts';

/** Cached until the live stream reports a change. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
  },
});

export interface AskOptions {
  params?: Params;
  enabled?: boolean;
  /** Milliseconds between reloads of data that the live stream does not report. */
  again?: number | false;
}

/** `useRecord<Account>('/accounts/acc_1')`. */
export function useRecord<T>(path: string, options: AskOptions = {}): UseQueryResult<T> {
  return useAnswer(segments(path), options, () => callControl<T>('GET', withParams(path, options.params)));
}

/** Newest first, at most `params.limit` or 1,000. */
export function useList<T>(path: string, options: AskOptions = {}): UseQueryResult<T[]> {
  return useAnswer([...segments(path), 'list'], options, () => listOf<T>(path, options.params));
}

function useAnswer<T>(
  key: string[],
  { params, enabled = true, again = false }: AskOptions,
  load: () => Promise<T>,
): UseQueryResult<T> {
  return useQuery({
    queryKey: [...key, params ?? {}],
    queryFn: load,
    enabled,
    refetchInterval: again,
    placeholderData: keepPreviousData,
  });
}

export async function listOf<T>(path: string, params?: Params): Promise<T[]> {
  return (await callControl<{ data: T[] }>('GET', withParams(path, params))).data;
}

export interface Found<Row> {
  rows: readonly Row[];
  error: unknown;
  isPending: boolean;
  hasMore: boolean;
  more: (() => void) | undefined;
  isFiltered: boolean;
}

export function useOne<T extends { id: string }>(path: string, id: string, options: AskOptions = {}) {
  const { data, error } = useRecord<T>(`${path}/${id}`, options);
  return { id, record: data?.id === id ? data : undefined, error };
}

export function useListed<T extends { id: string }>(path: string, id: string) {
  const { data, error } = useList<T>(path);
  return { id, record: data?.find((each) => each.id === id), error, isGone: data !== undefined };
}

export function usePages<T extends { id: string }>(
  path: string,
  { params, enabled = true, again = false }: AskOptions = {},
): Found<T> {
  const limit = Number(params?.limit ?? 200);
  const found = useInfiniteQuery({
    queryKey: [...segments(path), 'pages', params ?? {}],
    queryFn: ({ pageParam }) => listOf<T>(path, { ...params, limit, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.id),
    enabled,
    refetchInterval: ({ state: { error } }) => (error ? false : again),
    placeholderData: keepPreviousData,
  });
  return {
    isFiltered: Boolean(params?.q),
    rows: found.data?.pages.flat() ?? [],
    error: found.error,
    isPending: found.isPending,
    hasMore: found.hasNextPage,
    more: found.hasNextPage && !found.isFetching ? () => void found.fetchNextPage() : undefined,
  };
}

export function useAction<Order, T>(act: (order: Order) => Promise<T>, onSuccess?: (answer: T) => void) {
  return useMutation({ mutationFn: act, ...(onSuccess ? { onSuccess } : {}) });
}

function segments(path: string): string[] {
  return path.split('/').filter(Boolean);
}

const AFFECTED: Record<string, readonly string[]> = {
  job: ['jobs', 'library', 'accounts', 'timeline', 'requests', 'runs'],
  run: ['runs', 'accounts', 'jobs', 'library', 'timeline'],
  event: ['events', 'timeline', 'runs'],
  delivery: ['deliveries', 'endpoints', 'timeline'],
  flows: ['flows', 'runs'],
  hold: ['holds', 'requests'],
  message: ['inbox'],
  notes: ['record', 'timeline'],
  clock: ['clock', 'jobs', 'runs', 'library', 'events', 'deliveries', 'accounts'],
  accounts: ['accounts', 'keys', 'ledger'],
  keys: ['accounts', 'keys'],
  workspaces: ['accounts', 'workspaces'],
};

export const ORDER = 'order';

const AFFECTED_BY_REQUESTS = ['accounts', 'ledger', 'jobs', 'library', 'endpoints', 'objects', 'faults', 'fixtures'];

const COOLDOWN = 300;

/** Reloads changed records: at once, and then at intervals. */
class Invalidation {
  #touched = new Set<string>();
  #isResting = false;

  of(resources: readonly string[]): void {
    for (const resource of resources) this.#touched.add(resource);
    if (!this.#isResting) this.#reload();
  }

  #reload(): void {
    this.#isResting = this.#touched.size > 0;
    if (!this.#isResting) return;
    const touched = this.#touched;
    this.#touched = new Set();
    void queries.invalidateQueries({ predicate: ({ queryKey: [resource] }) => touched.has(String(resource)) });
    later(COOLDOWN, () => this.#reload());
  }
}

const refresh = new Invalidation();

export function refreshAfter({ notices, requests }: LiveBatch): void {
  const isMore = requests.some(({ method, status }) => method !== 'GET' || status === 0);
  const changed = notices.map(({ kind, id }) => (kind === 'control' ? id : kind));
  const orders = changed.some((name) => name !== 'requests') ? [ORDER] : [];
  const affected = changed.flatMap((name) => AFFECTED[name] ?? [name]);
  const counted = requests.length > 0 ? ['search'] : [];
  refresh.of([...affected, ...orders, ...counted, ...(isMore ? AFFECTED_BY_REQUESTS : [])]);
  // An open request has no record yet.
  for (const { id } of requests) {
    if (queries.getQueryData([ORDER, id]) === null) void queries.invalidateQueries({ queryKey: [ORDER, id] });
  }
}

export function refreshKnown(): void {
  void queries.invalidateQueries({ predicate: ({ state }) => state.dataUpdatedAt > 0 });
}

export function refreshAll(): void {
  void queries.invalidateQueries();
}

function matchingRows<Row extends object>(all: readonly Row[], text: string): readonly Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all;
  return all.filter((row) => {
    const text = JSON.stringify(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function useLocalSearch<Row extends object>(
  all: readonly Row[],
  query: Pick<Found<Row>, 'error' | 'isPending'>,
) {
  const [text] = useFilter('q');
  const rows = useMemo(() => matchingRows(all, text), [all, text]);
  const { error, isPending } = query;
  return { rows, error, isPending, isFiltered: all.length > 0, hasMore: false, more: undefined };
}

export function useWholeList<Row extends object>(path: string): Found<Row> {
  const query = useList<Row>(path);
  return useLocalSearch(query.data ?? (NONE as readonly Row[]), query);
}

const NONE: readonly never[] = [];
