import {
  keepPreviousData,
  QueryClient,
  type QueryFilters,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import type { OperationName, WireAnswer, WireInput } from '../../../control/call-operation.ts';
import { type ListFilter, useFilterChoice, useUrlParam } from './addresses.ts';
import { callControl, fetchFromEmulator } from './call-api.ts';
import { MAX_SEARCH_LENGTH, useChosenAccountId } from './chosen-account.ts';

/** Responses stay valid until the live stream reports a change. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false },
  },
});

export interface ReadOptions<T = unknown> {
  enabled?: boolean;
  /** Milliseconds until the next reload, for data that the live stream does not report. */
  again?(data: T | undefined): number | false;
}

/** While a response loads, returns the response for the previous input. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: WireInput<Name>,
  { enabled = true, again = () => false }: ReadOptions<WireAnswer<Name>> = {},
): UseQueryResult<WireAnswer<Name>> {
  return useQuery({
    queryKey: [name, input],
    queryFn: () => callControl(name, input),
    enabled,
    refetchInterval: ({ state: { data } }) => again(data),
    placeholderData: keepPreviousData,
  });
}

export type ListRecord<Name extends OperationName> =
  WireAnswer<Name> extends { data: (infer Row extends object)[] } ? Row : never;

type ListName = { [Name in OperationName]: ListRecord<Name> extends never ? never : Name }[OperationName];

export function useRows<Name extends ListName>(name: Name, input: WireInput<Name>, options?: ReadOptions) {
  const { data, error, isPending } = useOperation(name, input, options);
  return { data: data && rowsOf<Name>(data), error, isPending };
}

export async function fetchListPage<Name extends ListName>(
  name: Name,
  input: WireInput<Name>,
): Promise<ListRecord<Name>[]> {
  return rowsOf<Name>(await callControl(name, input));
}

function rowsOf<Name extends ListName>(answer: WireAnswer<Name>): ListRecord<Name>[] {
  return (answer as { data: ListRecord<Name>[] }).data;
}

export interface FoundRows<Row> {
  rows: readonly Row[];
  error: unknown;
  isPending: boolean;
  hasMore: boolean;
  more: (() => void) | undefined;
  isFiltered: boolean;
}

type ShowName = {
  [Name in OperationName]: [{ id: string }, WireAnswer<Name>] extends [WireInput<Name>, { id: string }] ? Name : never;
}[OperationName];

export function useRecord<Name extends ShowName>(name: Name, id: string, options?: ReadOptions<WireAnswer<Name>>) {
  const { data, error } = useOperation(name, { id } as unknown as WireInput<Name>, options);
  return { id, record: Object(data).id === id ? data : undefined, error };
}

export function useRecordFromList<Name extends ListName>(name: Name, id: string, input = {} as WireInput<Name>) {
  const { data, error } = useRows(name, input);
  const record = data?.find((row) => ('id' in row ? row.id : Object(row).name) === id);
  return { id, record, error, isGone: data !== undefined };
}

const PAGE = 200;

export function usePagedRecords<Name extends ListName>(
  name: Name,
  input: WireInput<Name>,
  { enabled = true, again = () => false }: ReadOptions<readonly ListRecord<Name>[]> = {},
): FoundRows<ListRecord<Name>> & { reload: () => Promise<unknown> } {
  const { limit = PAGE, q } = input as { limit?: number; q?: string };
  const found = useInfiniteQuery({
    queryKey: [name, 'pages', input],
    queryFn: ({ pageParam }) => fetchListPage(name, { ...input, limit, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < limit ? undefined : Object(page.at(-1)).id),
    enabled,
    refetchInterval: ({ state: { data, error } }) => (error ? false : again(data?.pages.flat())),
    placeholderData: keepPreviousData,
  });
  return {
    isFiltered: Boolean(q),
    rows: found.data?.pages.flat() ?? [],
    error: found.error,
    isPending: found.isPending,
    hasMore: found.hasNextPage,
    more: found.hasNextPage && !found.isFetching ? () => void found.fetchNextPage() : undefined,
    reload: found.refetch,
  };
}

interface RecordOptions<Row> extends ReadOptions<readonly Row[]> {
  choices?: ListFilter | undefined;
  isOfAll?: boolean;
}

export function useFilteredRecords<Name extends ListName>(
  name: Name,
  input: Partial<WireInput<Name>> = {},
  { choices, isOfAll, ...options }: RecordOptions<ListRecord<Name>> = {},
): FoundRows<ListRecord<Name>> {
  const [q] = useUrlParam('q');
  const only = useChosenAccountId();
  const chosen = { [choices?.name ?? 'q']: useFilterChoice(choices) };
  const narrowed = { ...(isOfAll ? {} : { account_id: only }), ...chosen, q: q.slice(0, MAX_SEARCH_LENGTH) };
  return usePagedRecords(name, { ...narrowed, ...input } as unknown as WireInput<Name>, options);
}

export function useJsonFile<T>(path: string, what: string): UseQueryResult<T> {
  return useQuery({
    queryKey: ['file', path],
    queryFn: async () => {
      const response = await fetchFromEmulator(path);
      if (!response.ok) throw new Error(`There is no ${what} in this version.`);
      return (await response.json()) as T;
    },
  });
}

export function useActionMutation<Order, T>(act: (order: Order) => Promise<T>, onSuccess?: (answer: T) => void) {
  return useMutation({ mutationFn: act, onSuccess });
}

/** Also repeats a first read that has not ended, because it may return what was before the change. */
export async function refreshQueries(filters: QueryFilters = {}): Promise<void> {
  await queryClient.cancelQueries(filters);
  await queryClient.invalidateQueries(filters);
}

/** Searches in the page, for lists whose operation does not search. */
export function useLocalSearch<Row>(list: { data: readonly Row[] | undefined; error: unknown; isPending: boolean }) {
  const { data = [], error, isPending } = list;
  const [q] = useUrlParam('q');
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = data.filter((row) => {
    const text = JSON.stringify(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return { rows, error, isPending, isFiltered: data.length > 0, hasMore: false, more: undefined };
}
