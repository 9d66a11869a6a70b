import { useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation, useSearch, useSearchParams } from 'wouter';
import { type Area, at } from '../data/paths.ts';

/** A query parameter of the address; its fallback is not written there. */
export function useFilter(name: string, fallback = ''): [string, (value: string) => void] {
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

/** The open row of an area, from the address, with actions that open another one or none; the query is kept. */
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

/** Whether a media query holds, now and as it changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}

/** Whether the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  return useMedia('(max-width: 720px)');
}

/** Handles every key press of the page. */
export function useKeys(press: (event: KeyboardEvent) => void): void {
  useKeyListener(press, false);
}

/** Handles every key press before the parts of the page do; what it stops they never see. */
export function useEarlyKeys(press: (event: KeyboardEvent) => void): void {
  useKeyListener(press, true);
}

function useKeyListener(press: (event: KeyboardEvent) => void, isEarly: boolean): void {
  const latest = useRef(press);
  // Before the paint, so that a key pressed at once acts on what is visible.
  useLayoutEffect(() => {
    latest.current = press;
  });
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener('keydown', hear, isEarly);
    return () => window.removeEventListener('keydown', hear, isEarly);
  }, [isEarly]);
}

/** Calls `leave` on Escape, unless another handler has used it. */
export function useEscape(leave: () => void): void {
  useKeys((event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) leave();
  });
}

/** Whether a modifier key is pressed. */
export function isModified({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

/** Whether the target is an input. */
export function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

const PAGE = 10;

/** By how many rows a key moves; Home and End move as far as possible. */
const MOVES: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE,
  PageUp: -PAGE,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

interface ActiveKey {
  /** The one whose drawer is open. */
  opened?: string | undefined;
  onOpen: (key: string) => void;
  ids: readonly string[];
  /** By how many rows a key moves from one of them; undefined for other keys. */
  moveBy?: (key: string, from: number) => number | undefined;
  /** Scrolls to one of them. */
  show: (index: number) => void;
}

/** Which row the keyboard is on. While a row's drawer is open, moving opens that of the next. */
export function useActiveKey({ ids, opened, onOpen, moveBy = (key) => MOVES[key], show }: ActiveKey) {
  const [chosen, setChosen] = useState<string>();
  // After the drawer closes, the keys go on from its row.
  if (opened !== undefined && chosen !== opened) setChosen(opened);
  const active = opened ?? chosen;
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const from = ids.indexOf(active ?? '');
    const by = event.key === 'Enter' ? 0 : moveBy(event.key, from);
    if (by === undefined) return;
    event.preventDefault();
    const to = from === -1 && Number.isFinite(by) ? 0 : Math.min(Math.max(from + by, 0), ids.length - 1);
    const id = by === 0 ? active : ids[to];
    if (id !== undefined) go(id, to, by === 0 || opened !== undefined);
  };
  const go = (id: string, index: number, opens: boolean) => {
    setChosen(id);
    show(index);
    if (opens) onOpen(id);
  };
  return { active, onKeyDown };
}
