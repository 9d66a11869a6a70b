import {
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { later } from './browser-time.ts';
import { callControl, type Params, withParams } from './call-api.ts';
import type { LiveBatch } from './records.ts';

/** What was asked stays good until the live stream says that it has changed. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
  },
});

export interface AskOptions {
  params?: Params;
  /** False: not asked yet. */
  enabled?: boolean;
  /** Ask again after so many milliseconds; for what the live stream does not tell, such as progress. */
  again?: number | false;
  /** What the list calls its search. */
  word?: string;
}

/** One record of the control surface, kept up to date: `useRecord<Account>('/accounts/acc_1')`. */
export function useRecord<T>(path: string, options: AskOptions = {}): UseQueryResult<T> {
  const { params, enabled = true, again = false } = options;
  return useQuery({
    queryKey: [...segments(path), params ?? {}],
    queryFn: () => callControl<T>('GET', withParams(path, params)),
    enabled,
    refetchInterval: again,
    placeholderData: keepPreviousData,
  });
}

/** A list of the control surface, newest first, kept up to date; at most `params.limit` of it, or 1,000. */
export function useList<T>(path: string, options: AskOptions = {}): UseQueryResult<T[]> {
  const { params, enabled = true, again = false } = options;
  return useQuery({
    queryKey: [...segments(path), 'list', params ?? {}],
    queryFn: async () => (await callControl<{ data: T[] }>('GET', withParams(path, params))).data,
    enabled,
    refetchInterval: again,
    placeholderData: keepPreviousData,
  });
}

/** Rows as far as they were read; `more` reads on, and is undefined while that is under way. */
export interface Found<Row> {
  rows: readonly Row[];
  error: unknown;
  isPending: boolean;
  hasMore: boolean;
  more: (() => void) | undefined;
  /** Some are left out by the search. */
  isFiltered: boolean;
  /** How many another search would find, as far as one page tells. */
  count: (q: string) => Promise<number> | number;
}

/** One record, by its id, as soon as it is known. */
export function useOne<T extends { id: string }>(path: string, id: string, options: AskOptions = {}) {
  const { data, error } = useRecord<T>(`${path}/${id}`, options);
  return { record: data?.id === id ? data : undefined, error };
}

/** A list in pages, for what may be long. */
export function usePages<T extends { id: string }>(
  path: string,
  { params, enabled = true, again = false, word = 'q' }: AskOptions = {},
): Found<T> {
  const limit = Number(params?.limit ?? 200);
  const found = useInfiniteQuery({
    queryKey: [...segments(path), 'pages', params ?? {}],
    queryFn: async ({ pageParam }) => {
      const page = withParams(path, { ...params, limit, after: pageParam });
      return (await callControl<{ data: T[] }>('GET', page)).data;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.id),
    enabled,
    refetchInterval: again,
    placeholderData: keepPreviousData,
  });
  return {
    count: async (q) =>
      (await callControl<{ data: T[] }>('GET', withParams(path, { ...params, limit, [word]: q }))).data.length,
    isFiltered: Boolean(params?.q),
    rows: found.data?.pages.flat() ?? [],
    error: found.error,
    isPending: found.isPending,
    hasMore: found.hasNextPage,
    more: found.hasNextPage && !found.isFetching ? () => void found.fetchNextPage() : undefined,
  };
}

/** Something that the person does. What the control surface changed is asked for anew by itself. */
export function useAction<Order, T>(act: (order: Order) => Promise<T>, done?: (answer: T) => void) {
  return useMutation({ mutationFn: act, ...(done ? { onSuccess: done } : {}) });
}

/** How long nothing changes before it is asked about, in milliseconds. */
const PAUSE = 150;

/** A value once it has stayed the same for a moment; by what it says, not by what it is. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => later(PAUSE, () => setSettled(text === undefined ? text : JSON.parse(text))), [text]);
  return settled;
}

function segments(path: string): string[] {
  return path.split('/').filter(Boolean);
}

/** What else is another one when something of the left has changed: names of resources under /_emulator. */
const AFFECTED: Record<string, readonly string[]> = {
  job: ['jobs', 'library', 'accounts', 'trail', 'requests', 'runs'],
  run: ['runs', 'accounts', 'jobs', 'library', 'trail'],
  event: ['events', 'trail', 'runs'],
  delivery: ['deliveries', 'endpoints', 'trail'],
  flows: ['flows', 'runs'],
  hold: ['holds', 'requests'],
  message: ['inbox'],
  clock: ['clock', 'jobs', 'runs', 'library', 'events', 'deliveries', 'accounts'],
  accounts: ['accounts', 'keys', 'ledger'],
  keys: ['accounts', 'keys'],
  workspaces: ['accounts', 'workspaces'],
};

/** Requests that are no more than reads touch nothing; the others may have charged, made or configured something. */
const AFFECTED_BY_REQUESTS = ['accounts', 'ledger', 'jobs', 'library', 'endpoints', 'objects', 'faults', 'fixtures'];

/** For how long nothing is asked for anew once more, in milliseconds. */
const COOLDOWN = 300;

/** Has what changed be asked for anew, where it is on show: at once, and while more and more changes, now and then. */
class Invalidation {
  #touched = new Set<string>();
  #isResting = false;

  of(resources: readonly string[]): void {
    for (const resource of resources) this.#touched.add(resource);
    if (!this.#isResting) this.#ask();
  }

  #ask(): void {
    this.#isResting = this.#touched.size > 0;
    if (!this.#isResting) return;
    const touched = this.#touched;
    this.#touched = new Set();
    void queries.invalidateQueries({ predicate: ({ queryKey: [resource] }) => touched.has(String(resource)) });
    later(COOLDOWN, () => this.#ask());
  }
}

const refresh = new Invalidation();

/** Has what a batch may have changed be asked for anew, where it is on show. */
export function refreshAfter({ notices, requests }: LiveBatch): void {
  const isMore = requests.some(({ method, status }) => method !== 'GET' || status === 0);
  refresh.of([...notices.flatMap(({ kind, id }) => affectedBy(kind, id)), ...(isMore ? AFFECTED_BY_REQUESTS : [])]);
}

function affectedBy(kind: string, id: string): readonly string[] {
  const name = kind === 'control' ? id : kind;
  return AFFECTED[name] ?? [name];
}

/**
 * Deletes a record, out of the lists on show first: nothing of it is asked for any more. Throws what the emulator
 * refused; then it stands there again.
 */
export async function deleteRecord(resource: string, id: string): Promise<void> {
  queries.setQueriesData<{ pages: { id: string }[][] }>(
    { queryKey: [resource, 'pages'] },
    (found) => found && { ...found, pages: found.pages.map((rows) => rows.filter((row) => row.id !== id)) },
  );
  try {
    await callControl<void>('DELETE', `/${resource}/${id}`);
  } catch (error) {
    void queries.invalidateQueries({ queryKey: [resource, 'pages'] });
    throw error;
  }
}

/** What was asked for before changes were heard of may have changed since. */
export function refreshKnown(): void {
  void queries.invalidateQueries({ predicate: ({ state }) => state.dataUpdatedAt > 0 });
}

/** The whole state is another one. */
export function refreshAll(): void {
  void queries.invalidateQueries();
}
