import { liveLine } from '../data/live-line.ts';
import { useStore } from '../data/page-store.ts';

/** Says that the emulator has stopped. */
export function LineBanner() {
  const state = useStore(liveLine);
  if (state !== 'down') return null;
  return (
    <p className="line-banner" role="alert">
      The emulator does not answer. This page comes back by itself as soon as it runs again.
    </p>
  );
}
