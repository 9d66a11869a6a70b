import { useRef } from 'react';
import { useLocation } from 'wouter';
import { areaPathBuilders, navigationAreas } from '../data/areas.ts';
import { hasModifierKey, PageStore, useGlobalKeyDown, useStore } from '../data/browser.ts';
import { traceSource } from '../data/call-api.ts';
import { LazyComponentStore, useLazyComponent } from '../data/lazy-component.ts';

const DIALOG = new LazyComponentStore(() => import('./command-palette.tsx'));

const openDialog = new PageStore<'palette' | 'keys' | undefined>(undefined);

export function toggleCommandPalette(): void {
  openDialog.set(openDialog.value === 'palette' ? undefined : 'palette');
}

export function GlobalKeyboardShortcuts() {
  const [, navigate] = useLocation();
  const isGoing = useRef(false);
  useGlobalKeyDown((event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !traceSource.value) {
      event.preventDefault();
      toggleCommandPalette();
    }
    if (isTaken(event)) return;
    const page = isGoing.current && navigationAreas().find(({ key }) => key === event.key);
    isGoing.current = !isGoing.current && event.key === 'g';
    if (page) navigate(areaPathBuilders[page.area]());
    else if (event.key === '?') openDialog.set('keys');
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') reachList(event);
  });
  const Dialog = useLazyComponent(DIALOG);
  const name = useStore(openDialog);
  return name && Dialog && <Dialog name={name} onClose={() => openDialog.set(undefined)} />;
}

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
