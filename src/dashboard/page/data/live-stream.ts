import type { LiveBatch } from '../../../engine/journal/live-feed.ts';
import { PageStore, type StopTimer, setTimer } from './browser.ts';
import { traceSource } from './call-api.ts';
import { openRequests, pausedLiveView } from './order-store.ts';
import { queryClient, refreshQueries } from './queries.ts';

type StreamState = 'connecting' | 'up' | 'down';

type StateChange = 'reset' | 'restored' | 'back';

const RETRY_AFTER = 1000;

export const liveStreamState = new PageStore<StreamState>('connecting');

/** Shows changes of the emulator in the page. After a lost connection, connects again and reads everything again. */
export function followLiveStream(onChange: (change: StateChange) => void): StopTimer {
  if (traceSource.value) return () => {};
  const source = new EventSource('/_emulator/live');
  let stop = () => source.close();
  const begin = ({ type, data }: MessageEvent) => {
    const wasDown = liveStreamState.value === 'down';
    openRequests.set(JSON.parse(data).open);
    liveStreamState.set('up');
    if (wasDown || type === 'lost') startOver();
    else void refreshQueries();
    if (wasDown) onChange('back');
  };
  source.addEventListener('hello', begin);
  source.addEventListener('lost', begin);
  source.addEventListener('batch', ({ data }) => void applyBatch(JSON.parse(data)));
  for (const change of ['reset', 'restored'] as const) {
    source.addEventListener(change, () => {
      startOver();
      onChange(change);
    });
  }
  source.addEventListener('error', () => {
    openRequests.set([]);
    liveStreamState.set('down');
    // After an HTTP error, the browser does not connect again by itself.
    if (source.readyState !== EventSource.CLOSED) return;
    stop = setTimer(RETRY_AFTER, () => {
      stop = followLiveStream(onChange);
    });
  });
  return () => stop();
}

const COOLDOWN = 300;

const pending = { changed: new Set<string>(), open: undefined as LiveBatch['open'], isBusy: false };

/** Reloads immediately what changed, and then at most once per `COOLDOWN` milliseconds. */
async function applyBatch({ changed, requests, notices, open }: LiveBatch): Promise<void> {
  const lists = requests.length + notices.length > 0 ? ['listRequests', 'listOrders'] : [];
  for (const name of [...changed, ...lists]) pending.changed.add(name);
  pending.open = open ?? pending.open;
  if (pending.isBusy) return;
  pending.isBusy = true;
  while (pending.changed.size > 0 || pending.open) {
    const [names, opened] = [pending.changed, pending.open];
    Object.assign(pending, { changed: new Set(), open: undefined });
    await refreshQueries({ predicate: ({ queryKey: [name] }) => names.has(String(name)) });
    // Removes a request from the open ones only when it is in the list.
    if (opened) openRequests.set(opened);
    await new Promise<void>((resolve) => setTimer(COOLDOWN, resolve));
  }
  pending.isBusy = false;
}

function startOver(): void {
  pausedLiveView.set(undefined);
  void refreshQueries();
  // Forgets errors of the state before, which a page would show until it has read again.
  queryClient.removeQueries({ type: 'inactive', predicate: ({ state }) => state.status === 'error' });
  // Forgets all orders, because ids may repeat after a reset.
  void queryClient.resetQueries({ queryKey: ['listOrders'] });
}
