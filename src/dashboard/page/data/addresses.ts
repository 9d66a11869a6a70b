import { useState } from 'react';
import { useLocation, useSearch, useSearchParams } from 'wouter';
import { type AreaName, areaPathBuilders, findAreaNameByRecordId } from './areas.ts';
import { traceSource } from './call-api.ts';

const TRACED = new Set<AreaName>(['timeline', 'webhooks']);

export function recordPagePath(id: string): string | undefined {
  const area = findAreaNameByRecordId(id);
  if (area === undefined || (traceSource.value && !TRACED.has(area))) return undefined;
  return areaPathBuilders[area](id);
}

export function useUrlParam(name: string, fallback = ''): [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = (value: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === fallback) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return [params.get(name) ?? fallback, set];
}

export interface ListFilter {
  name: string;
  label: string;
  options: Readonly<Record<string, string>>;
  usual?: string;
}

/** Undefined for the usual choice. */
export function useFilterChoice(filter: ListFilter | undefined): string | undefined {
  const usual = filter?.usual ?? Object.keys(filter?.options ?? {})[0];
  const [value] = useUrlParam(filter?.name ?? '', usual);
  return filter && value !== usual ? value : undefined;
}

export function useOpenRecord(area: AreaName) {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const base = areaPathBuilders[area]();
  const inside = location.startsWith(`${base}/`) ? location.slice(base.length + 1) : '';
  const id = decodeURIComponent(inside.split('/')[0] ?? '') || undefined;
  const query = search === '' ? '' : `?${search}`;
  const open = (opened: string | undefined) => navigate(areaPathBuilders[area](opened) + query);
  return { id, open, close: () => open(undefined) };
}

const PAGE = 10;

const MOVES: Record<string, number> = {
  Enter: 0,
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE,
  PageUp: -PAGE,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

interface ActiveKey {
  opened?: string | undefined;
  onOpen: (key: string) => void;
  ids: readonly string[];
  show: (index: number) => void;
}

export function useRowKeyboardNavigation({ ids, opened, onOpen, show }: ActiveKey) {
  const [chosen, setChosen] = useState<string>();
  // After a drawer closes, the keyboard continues from the row of its record.
  if (opened !== undefined && chosen !== opened) setChosen(opened);
  const active = opened ?? chosen;
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const from = ids.indexOf(active ?? '');
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const to = from === -1 && Number.isFinite(by) ? 0 : Math.min(Math.max(from + by, 0), ids.length - 1);
    const id = by === 0 ? active : ids[to];
    if (id === undefined) return;
    setChosen(id);
    show(to);
    if (by === 0 || opened !== undefined) onOpen(id);
  };
  return { active, onKeyDown };
}
