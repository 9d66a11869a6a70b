import type { LiveBatch } from '../../../engine/journal/live-feed.ts';
import { PageStore, runOnNextFrame, type StopTimer, setTimer } from './browser.ts';
import { traceSource } from './call-api.ts';
import { inProgressRequestStore, requestStore } from './order-store.ts';
import {
  ORDER_QUERY_KEY,
  queryClient,
  refreshAllQueries,
  refreshChangedQueries,
  refreshLoadedQueries,
} from './queries.ts';
import { stableUrls } from './stable-urls.ts';

type StreamState = 'connecting' | 'up' | 'down';

type StateChange = 'reset' | 'restored' | 'back';

const RETRY_AFTER = 1000;

class LiveStream extends PageStore<StreamState> {
  #source: EventSource | undefined;
  #retry: StopTimer | undefined;
  #last: string | undefined;
  #pending: LiveBatch[] = [];
  #onChange: (change: StateChange) => void = () => {};

  open(onChange: (change: StateChange) => void): StopTimer {
    this.#onChange = onChange;
    if (traceSource.value) return () => {};
    this.#connect();
    return () => this.#close();
  }

  #connect(): void {
    this.#close();
    const after = this.#last === undefined ? '' : `?after=${encodeURIComponent(this.#last)}`;
    const source = new EventSource(`/_emulator/live${after}`);
    this.#source = source;
    source.addEventListener('hello', (event) => this.#begin(event));
    source.addEventListener('lost', (event) => this.#begin(event));
    source.addEventListener('batch', (event) => {
      this.#last = event.lastEventId;
      this.#gather(JSON.parse(event.data));
    });
    for (const change of ['reset', 'restored'] as const) {
      source.addEventListener(change, (event) => {
        this.#last = event.lastEventId;
        this.#startOver();
        this.#onChange(change);
      });
    }
    source.addEventListener('error', () => this.#fall());
  }

  #gather(batch: LiveBatch): void {
    this.#pending.push(batch);
    // A page that was hidden after it requested a frame may not get it. On a hidden page, the next batch therefore
    // applies all pending ones.
    if (this.#pending.length > 1 && !document.hidden) return;
    runOnNextFrame(() => {
      for (const each of this.#pending.splice(0)) {
        inProgressRequestStore.receive(each);
        requestStore.add(each);
        refreshChangedQueries(each);
      }
    });
  }

  #begin(event: MessageEvent): void {
    const wasDown = this.value === 'down';
    this.#last = event.lastEventId;
    inProgressRequestStore.receive(JSON.parse(event.data));
    this.set('up');
    if (wasDown || event.type === 'lost') this.#startOver();
    else refreshLoadedQueries();
    if (wasDown) this.#onChange('back');
  }

  #fall(): void {
    this.#close();
    inProgressRequestStore.set([]);
    this.set('down');
    this.#retry = setTimer(RETRY_AFTER, () => this.#connect());
  }

  #startOver(): void {
    this.#pending = [];
    stableUrls.forget();
    refreshAllQueries();
    // Forgets all orders, because ids may repeat after a reset.
    void queryClient.resetQueries({ queryKey: [ORDER_QUERY_KEY] });
    requestStore.reload().catch(() => undefined);
  }

  #close(): void {
    this.#retry?.();
    this.#source?.close();
    this.#source = undefined;
  }
}

export const liveUpdateStream = new LiveStream('connecting');
