import { lazy, Suspense, useRef } from 'react';
import { useLocation } from 'wouter';
import { at } from '../data/addresses.ts';
import { isModified, isWriting, PageStore, useKeys, useStore } from '../data/browser.ts';
import { loadModule } from '../data/call-api.ts';
import { earlySearch } from '../pieces/search-box.tsx';
import { visibleAreas } from './areas.ts';

const KeyTable = lazy(() => loadModule(async () => ({ default: (await import('./command-palette.tsx')).KeyTable })));

const keyTableOpen = new PageStore(false);

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

const CommandPalette = lazy(() => loadModule(() => import('./command-palette.tsx')));

const paletteOpen = new PageStore(false);

/** What is typed in it, also before it is there. */
const paletteText = new PageStore('');

/** Ctrl-K opens the command palette, which is loaded then. What is typed meanwhile is its first text. */
export function PaletteKey() {
  const isOpen = useStore(paletteOpen);
  const typed = useStore(paletteText);
  useKeys((event) => {
    const isItsKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isItsKey && !isBeforePalette(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (isItsKey) togglePalette();
    else typeEarly(event.key);
  }, true);
  if (!isOpen) return null;
  return (
    <Suspense fallback={null}>
      <CommandPalette typed={typed} onType={(text) => paletteText.set(text)} onClose={togglePalette} />
    </Suspense>
  );
}

export function togglePalette(): void {
  paletteText.set('');
  paletteOpen.set(!paletteOpen.value);
}

function isBeforePalette(event: KeyboardEvent): boolean {
  return paletteOpen.value && !isModified(event) && !isWriting(event.target);
}

function typeEarly(key: string): void {
  const { value } = paletteText;
  if (key === 'Escape') togglePalette();
  else if (key === 'Backspace') paletteText.set(value.slice(0, -1));
  else if (key.length === 1) paletteText.set(value + key);
}
