import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type Area, at } from '../data/paths.ts';
import { useFilter } from './use-filter.ts';
import { useOpened } from './use-opened.ts';

/** The tabs of an area, by its address: a row that is open belongs to one of them, and closing it stays there. */
export function useTab(
  area: Area,
  { fallback, tabOf }: { fallback: string; tabOf: (id: string) => string | undefined },
) {
  const { id, open } = useOpened(area);
  const [chosen] = useFilter('tab', fallback);
  const [, navigate] = useLocation();
  const search = useSearch();
  const tab = (id === undefined ? undefined : tabOf(id)) ?? chosen;
  const close = useCallback(() => {
    const params = new URLSearchParams(search);
    params.set('tab', tab);
    navigate(`${at[area]()}?${params}`);
  }, [area, navigate, search, tab]);
  const change = (to: string) => navigate(`${at[area]()}?${new URLSearchParams({ tab: to })}`);
  return { id, open, close, tab, change };
}
