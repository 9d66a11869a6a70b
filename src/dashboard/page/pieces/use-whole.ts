import { useMemo } from 'react';
import { type Found, useList } from '../data/queries.ts';
import { useFilter } from './use-filter.ts';

/** The rows in which each word of a text stands somewhere. */
export function fitting<Row extends object>(all: readonly Row[], text: string): readonly Row[] {
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
