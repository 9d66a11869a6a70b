import { lazy, Suspense } from 'react';
import { loadPatiently } from '../data/load-patiently.ts';
import { useStore } from '../data/page-store.ts';
import { useKeys } from '../pieces/use-address.ts';
import { paletteOpen } from './palette-state.ts';

const CommandPalette = lazy(() => loadPatiently(() => import('./command-palette.tsx')));

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
      <CommandPalette />
    </Suspense>
  );
}
