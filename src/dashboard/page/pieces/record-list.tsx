import { useQuery } from '@tanstack/react-query';
import { type LucideIcon, SearchX } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { type Found, useList } from '../data/queries.ts';
import { Choices } from './choices.tsx';
import { DataList, type DataListProps } from './data-list.tsx';
import { Button, EmptyState, ErrorNotice } from './page-parts.tsx';
import { SearchBox } from './search-box.tsx';
import { useFilter } from './use-address.ts';
import { formatNumber } from './values.tsx';

interface RecordListProps<Row> extends Pick<DataListProps<Row>, 'label' | 'columns' | 'opened' | 'onOpen' | 'toneOf'> {
  found: Found<Row>;
  keyOf?: (row: Row) => string;
  /** Shown where there is nothing yet. */
  none: { icon: LucideIcon; title: string; children: ReactNode };
  /** Some are left out by a filter or a search. */
  isFiltered: boolean;
  /** Goes on reading as soon as the end of the list is in sight. */
  byItself?: boolean;
}

/** Records of one kind: what went wrong, the rows, what is said of none, and more of them. */
export function RecordList<Row extends object>(props: RecordListProps<Row>) {
  const { found, keyOf = idOf, none, isFiltered, byItself = false, ...list } = props;
  const { rows, error, isPending, hasMore, more, count } = found;
  const older = hasMore && (
    <MoreRows more={more} byItself={byItself}>
      {`Show older ${list.label.toLowerCase()}`}
    </MoreRows>
  );
  const nothing = (
    <EmptyState icon={none.icon} title={none.title}>
      {none.children}
    </EmptyState>
  );
  const noneLike = (
    <NoneLike what={list.label.toLowerCase()} count={count}>
      {older}
    </NoneLike>
  );
  const empty = !isPending && !error && (isFiltered ? noneLike : nothing);
  return (
    <>
      <ErrorNotice error={error} />
      <DataList {...list} rows={rows} keyOf={keyOf} empty={empty} foot={older} />
    </>
  );
}

function idOf(row: object): string {
  return 'id' in row ? String(row.id) : '';
}

interface ListToolsProps {
  /** What the search is for. */
  label: string;
  /** One of a few that the list is narrowed to: what it is called, and value and text of each; the first is all. */
  choices?: { name: string; label: string; options: readonly (readonly [string, string])[] };
  children?: ReactNode;
}

/** The search of a list and what narrows it, below the head of its page. */
export function ListTools({ label, choices, children }: ListToolsProps) {
  const [q, setQ] = useFilter('q');
  return (
    <div className="row wrap ruled padded">
      <SearchBox label={label} value={q} onChange={setQ} />
      {choices && <FilterChoices {...choices} />}
      {children}
    </div>
  );
}

/** One of a few, in the address. */
function FilterChoices({ name, label, options }: NonNullable<ListToolsProps['choices']>) {
  const [value, choose] = useFilter(name, options[0]?.[0]);
  return <Choices label={label} value={value} options={options} onChange={choose} />;
}

interface MoreRowsProps {
  /** Fetches them; undefined while that is under way, or when there are none. */
  more: (() => void) | undefined;
  /** Does so as soon as the end of the list is in sight. */
  byItself?: boolean;
  children: string;
}

/** At the foot of a list of which there is more. */
function MoreRows({ more, byItself = false, children }: MoreRowsProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!byItself || !more || !button.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more());
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [byItself, more]);
  return (
    <Button ref={button} disabled={!more} onClick={more}>
      {children}
    </Button>
  );
}

interface NoneLikeProps {
  /** What is listed: `jobs`. */
  what: string;
  count: Found<unknown>['count'];
  children?: ReactNode;
}

/** Where none fits: what was searched, and the nearest searches that find something. */
export function NoneLike({ what, count, children }: NoneLikeProps) {
  const [q, setQ] = useFilter('q');
  const { data: offers = [] } = useQuery({
    queryKey: ['nearest', what, q],
    queryFn: async () => {
      const found = await Promise.all(nearestTo(q).map(async (each) => ({ q: each, n: await count(each) })));
      return found.filter(({ n }) => n > 0);
    },
    gcTime: 0,
  });
  return (
    <EmptyState icon={SearchX} title="None of these is like this">
      <p>
        {q === ''
          ? 'Change the filter above.'
          : `All ${what} on record were searched. Change the search or the filter.`}
      </p>
      {offers.length > 0 && (
        <ul className="row wrap" aria-label="Nearest searches">
          {offers.map((offer) => (
            <li key={offer.q}>
              <button type="button" className="button" onClick={() => setQ(offer.q)}>
                {offer.q} <span className="soft">{formatNumber(offer.n)} found</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {children}
    </EmptyState>
  );
}

/** The same with a word less; of a single word its beginnings. */
function nearestTo(q: string): string[] {
  const words = q.split(/\s+/).filter(Boolean);
  if (words.length > 1) return words.map((_, at) => words.toSpliced(at, 1).join(' '));
  const letters = Array.from(words[0] ?? '');
  const lengths = new Set([0.75, 0.5].map((share) => Math.ceil(letters.length * share)));
  return [...lengths]
    .filter((length) => length > 1 && length < letters.length)
    .map((n) => letters.slice(0, n).join(''));
}

/** The rows in which each word of a text stands somewhere. */
function fitting<Row extends object>(all: readonly Row[], text: string): readonly Row[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all;
  return all.filter((row) => {
    const said = JSON.stringify(row).toLowerCase();
    return words.every((word) => said.includes(word));
  });
}

/** What fits the search of a list that the page has as a whole, and how much another search would find. */
export function useFitting<Row extends object>(all: readonly Row[]): Pick<Found<Row>, 'rows' | 'count'> {
  const [text] = useFilter('q');
  return { rows: useMemo(() => fitting(all, text), [all, text]), count: (q) => fitting(all, q).length };
}

/** A list that is never long, as far as it fits its search; `all` is what there is. */
export function useWhole<Row extends object>(
  path: string,
  options?: Parameters<typeof useList>[1],
): Found<Row> & { all: readonly Row[] } {
  const { data: all = NONE as readonly Row[], error, isPending } = useList<Row>(path, options);
  return { all, ...useFitting(all), error, isPending, hasMore: false, more: undefined };
}

const NONE: readonly never[] = [];
