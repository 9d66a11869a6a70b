import { useSyncExternalStore } from 'react';

/** Where a page of one file is: behind the # of its address, since there is nobody to ask for another one. */
function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function here(): string {
  return window.location.hash.slice(1) || '/';
}

function navigate(to: string, { replace = false }: { replace?: boolean } = {}): void {
  const path = to.startsWith('?') ? here().split('?')[0] + to : to;
  if (path === here()) return;
  if (replace) window.history.replaceState(null, '', `#${path}`);
  else window.history.pushState(null, '', `#${path}`);
  window.dispatchEvent(new Event('hashchange'));
}

export function useHashLocation(): [string, typeof navigate] {
  const path = useSyncExternalStore(subscribe, () => here().split('?')[0] ?? '/');
  return [path, navigate];
}

export function useHashSearch(): string {
  return useSyncExternalStore(subscribe, () => here().split('?')[1] ?? '');
}

/** A link's address, as a click with the middle button opens it. */
export function hashHref(href: string): string {
  return `#${href}`;
}
