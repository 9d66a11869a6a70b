import { lazy, Suspense, useEffect } from 'react';
import { later } from '../data/browser-time.ts';
import { loadPatiently } from '../data/load-patiently.ts';
import { useStore } from '../data/page-store.ts';
import { unsaid } from './toast.tsx';

/** How long the corner leaves the rest of the page to itself, in milliseconds. */
const NO_HURRY = 2000;

const loadCorner = () => loadPatiently(() => import('./toast-corner.tsx'));
const ToastCorner = lazy(loadCorner);

/** To be drawn once, at the end of the page. It is loaded after it, or with the first thing that is said. */
export function Toasts() {
  useEffect(() => later(NO_HURRY, () => void loadCorner()), []);
  if (useStore(unsaid) === undefined) return null;
  return (
    <Suspense fallback={null}>
      <ToastCorner />
    </Suspense>
  );
}
