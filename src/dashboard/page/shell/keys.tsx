import { lazy, Suspense, useRef } from 'react';
import { useLocation } from 'wouter';
import { loadModule } from '../data/load-module.ts';
import { PageStore, useStore } from '../data/page-store.ts';
import { type Area, at } from '../data/paths.ts';
import { isModified, useKeys } from '../pieces/browser-hooks.ts';
import { showToast } from '../pieces/page-parts.tsx';
import { earlySearch } from '../pieces/search-box.tsx';

/** After `g`: the letter of each page. */
const GO: Record<string, Area> = {
  l: 'live',
  m: 'money',
  w: 'webhooks',
  f: 'flows',
  j: 'jobs',
  g: 'gallery',
  p: 'playground',
  x: 'faults',
  k: 'people',
  d: 'docs',
};

const KEYS =
  '↑ ↓ row or step · J K order · Enter open · Esc back · / search, ↓ to the list · Ctrl K search and actions · g then l live, m money, w webhooks, f flows, j jobs, g gallery, p playground, x faults, k keys, d docs';

/** Keys of every page: arrows reach the list, `g` and a letter open a page, `?` lists them all. */
export function GlobalKeys() {
  const [, navigate] = useLocation();
  const isGoing = useRef(false);
  useKeys((event) => {
    if (isTaken(event)) return;
    if (earlySearch.press(event.key)) {
      event.preventDefault();
      return;
    }
    const area = isGoing.current ? GO[event.key] : undefined;
    isGoing.current = !isGoing.current && event.key === 'g';
    if (area) navigate(at[area]());
    else OTHERS[event.key]?.(event);
  });
  return null;
}

const OTHERS: Record<string, (event: KeyboardEvent) => void> = {
  '?': () => showToast('Keys', KEYS),
  ArrowDown: reachList,
  ArrowUp: reachList,
};

/** The arrow keys move to the list when nothing else has the focus. */
function reachList(event: KeyboardEvent): void {
  const list = document.querySelector<HTMLElement>('#area .list');
  if (!list || document.activeElement !== document.body) return;
  event.preventDefault();
  list.focus();
  list.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true }));
}

/** Whether another element or the browser handles the key. */
function isTaken(event: KeyboardEvent): boolean {
  const { target } = event;
  if (isModified(event)) return true;
  const own = 'input, textarea, select, [role="dialog"], .list, .steps';
  return target instanceof HTMLElement && target.closest(own) !== null;
}

const CommandPalette = lazy(() => loadModule(() => import('./command-palette.tsx')));

/** Whether the command palette is open. */
export const paletteOpen = new PageStore(false);

/** Ctrl-K opens the command palette, which is loaded then. */
export function PaletteKey() {
  const isOpen = useStore(paletteOpen);
  useKeys((event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    paletteOpen.set(!paletteOpen.value);
  });
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <CommandPalette onClose={() => paletteOpen.set(false)} />
    </Suspense>
  );
}
