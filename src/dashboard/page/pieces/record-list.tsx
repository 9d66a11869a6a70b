import { useQuery } from '@tanstack/react-query';
import { type LucideIcon, SearchX } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { LONGEST_SEARCH, useOnlyAccount } from '../data/account-and-clock.ts';
import { useFilter } from '../data/addresses.ts';
import { type AskOptions, type Found, usePages } from '../data/queries.ts';
import { DataList, type DataListProps } from './data-list.tsx';
import { Button, EmptyState, ErrorNotice, type Filter, FilterChoices, useChoice } from './page-parts.tsx';
import { NearestSearches, SearchBox } from './search-box.tsx';

export interface ListSpec<Row> extends Pick<DataListProps<Row>, 'label' | 'columns' | 'toneOf' | 'rowHeight'> {
  search: string;
  choices?: Filter;
  keyOf?: (row: Row) => string;
  none: { icon: LucideIcon; title: string; description: ReactNode };
  /** Loads more rows as soon as the end of the list is visible. */
  autoLoad?: boolean;
}

/** The open row, and the action that opens another. */
export type OpenRow = Pick<DataListProps<unknown>, 'opened' | 'onOpen'>;

interface RecordListProps<Row> extends ListSpec<Row>, OpenRow {
  found: Found<Row>;
  tools?: ReactNode;
}

export function RecordList<Row extends object>(props: RecordListProps<Row>) {
  const { found, search, choices, tools, keyOf = idOf, none, autoLoad = false, ...list } = props;
  const { rows, error, isPending, hasMore, more, count, isFiltered } = found;
  const isChosen = useChoice(choices) !== undefined;
  const what = list.label.toLowerCase();
  const older = hasMore && <LoadMore {...{ more, autoLoad }}>{`Show older ${what}`}</LoadMore>;
  const noneLike = <NoMatches {...{ what, count }}>{older}</NoMatches>;
  const empty = !isPending && !error && (isFiltered || isChosen ? noneLike : <EmptyState {...none} />);
  return (
    <>
      <ListTools label={search} {...{ choices }}>
        {tools}
      </ListTools>
      <ErrorNotice error={error} />
      <DataList {...{ ...list, rows, keyOf, empty }} foot={older} />
    </>
  );
}

const idOf = (row: object) => ('id' in row ? String(row.id) : '');

/** The search and filter of a list, below the header of its page. */
export function ListTools(props: { label: string; choices?: Filter | undefined; children?: ReactNode }) {
  const [q, setQ] = useFilter('q');
  return (
    <div className="row wrap ruled padded">
      <SearchBox label={props.label} value={q} onChange={setQ} />
      {props.choices && <FilterChoices {...props.choices} />}
      {props.children}
    </div>
  );
}

function LoadMore({
  more,
  autoLoad,
  children,
}: Pick<Found<unknown>, 'more'> & { autoLoad?: boolean; children: string }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!autoLoad || !more || !button.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more());
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [autoLoad, more]);
  return <Button text={children} ref={button} disabled={!more} onClick={more} />;
}

export function NoMatches({
  what,
  count,
  children,
}: Pick<Found<unknown>, 'count'> & { what: string; children?: ReactNode }) {
  const [q, setQ] = useFilter('q');
  const { data: offers = [] } = useQuery({
    queryKey: ['nearest', what, q],
    queryFn: async () => {
      const found = await Promise.all(nearestTo(q).map(async (each) => ({ q: each, found: await count(each) })));
      return found.filter((each) => each.found > 0);
    },
    gcTime: 0,
  });
  return (
    <EmptyState
      icon={SearchX}
      title="No results"
      description={
        q ? `All ${what} on record were searched. Change the search or the filter.` : 'Change the filter above.'
      }
    >
      <NearestSearches offers={offers} onSearch={setQ} />
      {children}
    </EmptyState>
  );
}

function nearestTo(q: string): string[] {
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length > 1) return words.map((_, at) => words.toSpliced(at, 1).join(' '));
  const letters = Array.from(words[0] ?? '');
  const lengths = new Set([0.75, 0.5].map((share) => Math.ceil(letters.length * share)));
  return [...lengths]
    .filter((length) => length > 1 && length < letters.length)
    .map((n) => letters.slice(0, n).join(''));
}

/** The rows that match the search, the filter of their list and the chosen account; the service searches all records. */
export function useRecords<Row extends { id: string }>(
  path: string,
  { choices, params, ...options }: AskOptions & Pick<ListSpec<Row>, 'choices'> = {},
): Found<Row> {
  const [q] = useFilter('q');
  const account_id = useOnlyAccount();
  const filter = { [choices?.name ?? 'q']: useChoice(choices) };
  return usePages<Row>(path, {
    ...options,
    params: { account_id, ...filter, q: q.slice(0, LONGEST_SEARCH), ...params },
  });
}
