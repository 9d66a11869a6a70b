import { useMemo } from 'react';
import { type Found, useList } from '../data/queries.ts';
import { useFilter } from './use-filter.ts';

/** What fits the search of a list that the page has as a whole: rows in which each word stands somewhere. */
export function useFitting<Row extends object>(all: readonly Row[]): readonly Row[] {
  const [text] = useFilter('q');
  return useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return all;
    return all.filter((row) => {
      const said = JSON.stringify(row).toLowerCase();
      return words.every((word) => said.includes(word));
    });
  }, [all, text]);
}

/** A list that is never long, as far as it fits its search; `all` is what there is. */
export function useWhole<Row extends object>(
  path: string,
  options?: Parameters<typeof useList>[1],
): Found<Row> & { all: readonly Row[] } {
  const { data: all = NONE as readonly Row[], error, isPending } = useList<Row>(path, options);
  return { all, rows: useFitting(all), error, isPending, hasMore: false, more: undefined };
}

const NONE: readonly never[] = [];
