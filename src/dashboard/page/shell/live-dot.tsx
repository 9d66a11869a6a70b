import { liveLine } from '../data/live-line.ts';
import { useStore } from '../data/page-store.ts';

const TEXTS = { up: 'Live', connecting: 'Connecting', down: 'Offline' };

/** Whether the page hears what happens. */
export function LiveDot() {
  const state = useStore(liveLine);
  return (
    <span className="live-dot" data-state={state} role="status">
      {TEXTS[state]}
    </span>
  );
}
