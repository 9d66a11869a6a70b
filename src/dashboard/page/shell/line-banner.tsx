import { liveLine } from '../data/live-line.ts';
import { useStore } from '../data/page-store.ts';
import { Notice } from '../pieces/error-notice.tsx';

/** Says that the emulator has stopped. */
export function LineBanner() {
  if (useStore(liveLine) !== 'down') return null;
  return (
    <Notice tone="bad">The emulator does not answer. This page comes back by itself as soon as it runs again.</Notice>
  );
}
