import { useRef } from 'react';
import { useLocation } from 'wouter';
import { areaPathBuilders, navigationAreas } from '../data/areas.ts';
import { hasModifierKey, PageStore, useGlobalKeyDown, useStore } from '../data/browser.ts';
import { LazyComponent, useLazyComponent } from '../data/lazy-component.ts';

const KEY_TABLE = new LazyComponent(async () => ({
  default: (await import('./command-palette.tsx')).KeyboardShortcutsDialog,
}));

const keyTableOpen = new PageStore(false);

export function GlobalKeyboardShortcuts() {
  const [, navigate] = useLocation();
  const isGoing = useRef(false);
  useGlobalKeyDown((event) => {
    if (isTaken(event)) return;
    const page = isGoing.current && navigationAreas().find(({ key }) => key === event.key);
    isGoing.current = !isGoing.current && event.key === 'g';
    if (page) navigate(areaPathBuilders[page.area]());
    else OTHERS[event.key]?.(event);
  });
  const KeyTable = useLazyComponent(KEY_TABLE);
  const isOpen = useStore(keyTableOpen);
  return isOpen && KeyTable && <KeyTable onClose={() => keyTableOpen.set(false)} />;
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
  if (hasModifierKey(event)) return true;
  const own = 'input, textarea, select, [role="dialog"], .list, .steps';
  return target instanceof HTMLElement && target.closest(own) !== null;
}

const PALETTE = new LazyComponent(() => import('./command-palette.tsx'));

const paletteOpen = new PageStore(false);

export function toggleCommandPalette(): void {
  paletteOpen.set(!paletteOpen.value);
}

export function CommandPaletteWithShortcut() {
  const CommandPalette = useLazyComponent(PALETTE);
  const isOpen = useStore(paletteOpen);
  useGlobalKeyDown((event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    toggleCommandPalette();
  });
  return isOpen && CommandPalette && <CommandPalette onClose={toggleCommandPalette} />;
}
