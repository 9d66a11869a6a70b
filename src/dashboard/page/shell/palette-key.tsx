import { lazy, Suspense } from 'react';
import { loadPatiently } from '../data/load-patiently.ts';
import { PageStore, useStore } from '../data/page-store.ts';
import { useKeys } from '../pieces/use-address.ts';

const CommandPalette = lazy(() => loadPatiently(() => import('./command-palette.tsx')));

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
