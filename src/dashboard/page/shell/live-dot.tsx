import { liveLine } from '../data/live-line.ts';
import { useStore } from '../data/page-store.ts';

const STATES = { up: ['Live', 'good'], connecting: ['Connecting', 'wait'], down: ['Offline', 'bad'] } as const;

/** Whether the page hears what happens. */
export function LiveDot() {
  const [text, tone] = STATES[useStore(liveLine)];
  return (
    <span className="live-dot row soft" data-tone={tone} role="status">
      {text}
    </span>
  );
}
