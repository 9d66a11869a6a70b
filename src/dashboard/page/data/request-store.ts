import type { OpenRequest } from '../../../engine/journal/notices.ts';
import { PageStore } from './browser.ts';
import { callControl, recordSource } from './call-api.ts';
import type { LiveBatch, RequestLine } from './records.ts';

export type { OpenRequest };

/** The requests that are under way, newest first, as the live stream reports them. */
class OpenStore extends PageStore<readonly OpenRequest[]> {
  /** Those that have a row: what comes of them belongs into it, also while nothing else may move. */
  shown: readonly string[] = [];

  receive({ open }: { open?: readonly OpenRequest[] }): void {
    if (open) this.set(open);
  }
}

export const openStore = new OpenStore([]);

/** How many requests the page remembers, unless more are read: older ones are on record. */
const MOST = 2000;
const PAGE = 1000;

interface RequestList {
  /** Newest first. */
  rows: readonly RequestLine[];
  /** How many are known of, those included that are not remembered any more. */
  seen: number;
  /** How many came while the list was paused. */
  held: number;
  isPaused: boolean;
  isLoaded: boolean;
  /** How many came faster than they could be shown. */
  missed: number;
  /** Whether there are older ones on record. */
  hasOlder: boolean;
}

const EMPTY: RequestList = {
  ...{ rows: [], seen: 0, held: 0, missed: 0 },
  ...{ isPaused: false, isLoaded: false, hasOlder: false },
};

/** The requests of the live page: what is on record, and what comes. */
class RequestStore extends PageStore<RequestList> {
  /** What came while the list was paused, newest first. */
  #held: RequestLine[] = [];
  /** What was read from the record may come once more. */
  #known = new Set<string>();
  /** How many are remembered. */
  #most = MOST;

  /** Takes the newest from the record; what came since then stays. */
  async load(): Promise<void> {
    const page = await readPage();
    this.#known = new Set(page.map(({ id }) => id));
    const { rows, isLoaded } = this.value;
    const newer = isLoaded ? [] : rows.filter(({ id }) => !this.#known.has(id));
    this.#held = [];
    this.#most = MOST;
    const all = [...newer, ...page];
    this.set({ ...EMPTY, rows: all, seen: all.length, isLoaded: true, hasOlder: page.length === PAGE });
  }

  /** Takes all there is of a record at its moment, at once. */
  take(): void {
    const rows = recordSource.value?.requests() ?? [];
    this.#most = rows.length;
    this.set({ ...EMPTY, rows, seen: rows.length, isLoaded: true });
  }

  /** Forgets all: what is on record now is that of another state. */
  async reload(): Promise<void> {
    this.set({ ...EMPTY, isPaused: this.value.isPaused });
    await this.load();
  }

  async loadOlder(): Promise<void> {
    const { rows } = this.value;
    const page = await readPage(rows.at(-1)?.id);
    const all = [...this.value.rows, ...page];
    this.#most = Math.max(MOST, all.length);
    const seen = Math.max(this.value.seen, all.length);
    this.set({ ...this.value, rows: all, seen, hasOlder: page.length === PAGE });
  }

  add({ requests, left_out }: LiveBatch): void {
    const { value } = this;
    const missed = value.missed + left_out.requests;
    if (requests.length === 0 && missed === value.missed) return;
    const fresh = requests.toReversed().filter(({ id }) => !this.#known.has(id));
    const seen = value.seen + fresh.length;
    if (!value.isPaused) {
      this.set({ ...value, missed, seen, ...this.#cut([...fresh, ...value.rows]) });
      return;
    }
    const isShown = ({ id }: RequestLine) => openStore.shown.includes(id);
    const waiting = fresh.filter((each) => !isShown(each));
    this.#held = [...waiting, ...this.#held].slice(0, this.#most);
    const held = value.held + waiting.length;
    this.set({ ...value, missed, seen, held, ...this.#cut([...fresh.filter(isShown), ...value.rows]) });
  }

  /** What is remembered of these; the others are on record. */
  #cut(rows: readonly RequestLine[]): Pick<RequestList, 'rows' | 'hasOlder'> {
    const { hasOlder } = this.value;
    return rows.length <= this.#most ? { rows, hasOlder } : { rows: rows.slice(0, this.#most), hasOlder: true };
  }

  pause(): void {
    this.set({ ...this.value, isPaused: true });
  }

  /** Takes in what came meanwhile, and holds on. */
  showHeld(): void {
    const { isPaused } = this.value;
    this.goOn();
    this.set({ ...this.value, isPaused });
  }

  goOn(): void {
    const newest = this.#cut([...this.#held, ...this.value.rows]);
    this.#held = [];
    this.set({ ...this.value, ...newest, held: 0, isPaused: false });
  }
}

async function readPage(after?: string): Promise<RequestLine[]> {
  const from = after === undefined ? '' : `&after=${after}`;
  const path = `/requests?brief=true&limit=${PAGE}${from}`;
  return (await callControl<{ data: RequestLine[] }>('GET', path)).data;
}

export const requestStore = new RequestStore(EMPTY);
