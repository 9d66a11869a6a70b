import { useCallback, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useLocation, useSearch, useSearchParams } from 'wouter';
import { type Area, at } from '../data/paths.ts';

/** A word of the address's query that narrows a page; the fallback is not written there. */
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

/** Narrow, as phones are. */
export function useIsPhone(): boolean {
  return useMedia('(max-width: 720px)');
}

/** Hears every key of the page. */
export function useKeys(press: (event: KeyboardEvent) => void): void {
  const latest = useRef(press);
  // With the drawing of the page, not after it: a key that is pressed at once means what is seen.
  useLayoutEffect(() => {
    latest.current = press;
  });
  useLayoutEffect(() => {
    const hear = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener('keydown', hear);
    return () => window.removeEventListener('keydown', hear);
  }, []);
}

/** Escape leaves, where nothing else has taken it. */
export function useEscape(leave: () => void): void {
  useKeys((event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) leave();
  });
}

/** Whether a key is pressed together with one that gives it another meaning. */
export function isModified({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

/** Whether a key is written into something. */
export function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}
