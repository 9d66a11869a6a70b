import { lazy, Suspense, useRef } from 'react';
import { useLocation } from 'wouter';
import { at } from '../data/addresses.ts';
import { isModified, PageStore, useKeys, useStore } from '../data/browser.ts';
import { visibleAreas } from './areas.ts';

const KeyTable = lazy(() => import('./command-palette.tsx').then(({ KeyTable: named }) => ({ default: named })));

const keyTableOpen = new PageStore(false);

export function GlobalKeys() {
  const [, navigate] = useLocation();
  const isGoing = useRef(false);
  useKeys((event) => {
    if (isTaken(event)) return;
    const page = isGoing.current && visibleAreas().find(({ letter }) => letter === event.key);
    isGoing.current = !isGoing.current && event.key === 'g';
    if (page) navigate(at[page.area]());
    else OTHERS[event.key]?.(event);
  });
  if (!useStore(keyTableOpen)) return null;
  return (
    <Suspense fallback={null}>
      <KeyTable onClose={() => keyTableOpen.set(false)} />
    </Suspense>
  );
}

const OTHERS: Record<string, (event: KeyboardEvent) => void> = {
  '?': () => keyTableOpen.set(true),
  ArrowDown: reachList,
  ArrowUp: reachList,
};

function reachList(event: KeyboardEvent): void {
  const list = document.querySelector<HTMLElement>('#area .list');
  if (!list || document.activeElement !== document.body) return;
  event.preventDefault();
  list.focus();
  list.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true }));
}

function isTaken(event: KeyboardEvent): boolean {
  const { target } = event;
  if (isModified(event)) return true;
  const own = 'input, textarea, select, [role="dialog"], .list, .steps';
  return target instanceof HTMLElement && target.closest(own) !== null;
}

const CommandPalette = lazy(() => import('./command-palette.tsx'));

const paletteOpen = new PageStore(false);

export function togglePalette(): void {
  paletteOpen.set(!paletteOpen.value);
}

export function PaletteKey() {
  const isOpen = useStore(paletteOpen);
  useKeys((event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    togglePalette();
  });
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <CommandPalette onClose={togglePalette} />
    </Suspense>
  );
}
