import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';
import { type Area, at } from '../data/paths.ts';

/** Which row of an area is open by the address, and how to open another one or none; the query stays as it is. */
export function useOpened(area: Area) {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const base = at[area]();
  const inside = location.startsWith(`${base}/`) ? location.slice(base.length + 1) : '';
  const id = decodeURIComponent(inside.split('/')[0] ?? '') || undefined;
  const query = search === '' ? '' : `?${search}`;
  const open = useCallback((opened: string | undefined) => navigate(at[area](opened) + query), [area, navigate, query]);
  const close = useCallback(() => open(undefined), [open]);
  return { id, open, close };
}
