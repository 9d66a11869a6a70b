import type { Cancel } from '../clock/clock.ts';
import { overtaken } from '../errors.ts';
import type { JournalFacts, RequestLine } from './journal-record.ts';

/**
 * A change that is published after its commit: a job, run or delivery is final, or an event on record; a message has come
 * to an inbox, which belongs to no account; or a message is held or released.
 */
export interface Notice {
  kind: 'job' | 'run' | 'event' | 'delivery' | 'message' | 'hold';
  id: string;
  accountId: string | null;
  /** Of an event, or of what is delivered. */
  type?: string;
}

interface Listener {
  hear(notice: Notice): void;
  drop(): void;
}

/** Wakes clients that wait for a change, so that none has to poll. */
export class Notices {
  readonly #listeners = new Set<Listener>();
  readonly #observers = new Set<(notice: Notice) => void>();

  /** How many wait. */
  get waiting(): number {
    return this.#listeners.size;
  }

  readonly tell = (notice: Notice): void => {
    for (const listener of this.#listeners) listener.hear(notice);
    for (const observer of this.#observers) observer(notice);
  };

  /** Publishes changes of a kind. */
  of(kind: Notice['kind']): (changed: { id: string; accountId: string | null }) => void {
    return ({ id, accountId }) => this.tell({ kind, id, accountId });
  }

  /** Calls `listener` with every notice, over resets too; the answer ends it. */
  observe(observer: (notice: Notice) => void): Cancel {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /**
   * Resolves with what `look` finds: now, or at the first notice after which it finds anything. Rejects with the
   * signal's reason when that ends first, with what `look` throws, and with `overtaken` at a reset or a stop.
   */
  async until<T>(look: (notice?: Notice) => T | undefined, signal: AbortSignal): Promise<T> {
    const found = look();
    if (found !== undefined) return found;
    signal.throwIfAborted();
    return this.#listen(look, signal);
  }

  /** A reset or a stop: every waiting call is rejected. */
  rest(): void {
    for (const listener of this.#listeners) listener.drop();
  }

  #listen<T>(look: (notice: Notice) => T | undefined, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#listeners.delete(listener);
        signal.removeEventListener('abort', abort);
      };
      const fail = (reason: unknown) => {
        leave();
        reject(reason);
      };
      const abort = () => fail(signal.reason);
      const hear = (notice: Notice) => {
        try {
          const found = look(notice);
          if (found === undefined) return;
          leave();
          resolve(found);
        } catch (error) {
          fail(error);
        }
      };
      const listener: Listener = { hear, drop: () => fail(overtaken()) };
      this.#listeners.add(listener);
      signal.addEventListener('abort', abort);
    });
  }
}

/** Something that has changed; of `control`, `id` is the resource of the control surface: `clock`, `accounts`, `faults`. */
export interface LiveNotice {
  kind: Notice['kind'] | 'control';
  id: string;
  account_id: string | null;
  type?: string;
}

/** What happened within a tenth of a second. */
export interface LiveBatch {
  requests: RequestLine[];
  notices: LiveNotice[];
  /** All requests that are under way now, newest first; left out where they are those of the last batch. */
  open?: OpenRequest[];
  /** How many more there were than one message holds. */
  left_out: { requests: number; notices: number };
}

const MOST_REQUESTS = 200;
const MOST_NOTICES = 200;

export function requestLine(facts: JournalFacts): RequestLine {
  const { id, account_id, key_id, method, path, operation, status, created, began } = facts;
  const {
    duration_ms,
    retry_count,
    credits,
    job_ids,
    warnings,
    dropped,
    discarded,
    fault = null,
    error = null,
  } = facts;
  return {
    id,
    account_id,
    key_id,
    method,
    path: path.slice(0, 300),
    operation,
    status,
    created,
    began,
    duration_ms,
    retry_count,
    credits,
    job_ids: job_ids.slice(0, 8),
    error,
    fault,
    warnings: warnings?.slice(0, 300) ?? null,
    dropped: dropped?.slice(0, 300) ?? null,
    discarded,
  };
}

/** Collects what happens until it is taken: bounded, and each notice once. */
export class PendingBatch {
  #requests: RequestLine[] = [];
  #notices = new Map<string, LiveNotice>();
  #leftOut = { requests: 0, notices: 0 };

  addRequest(facts: JournalFacts): void {
    if (this.#requests.length < MOST_REQUESTS) this.#requests.push(requestLine(facts));
    else this.#leftOut.requests += 1;
  }

  addNotice(notice: LiveNotice): void {
    const key = `${notice.kind} ${notice.id}`;
    if (this.#notices.has(key)) return;
    if (this.#notices.size < MOST_NOTICES) this.#notices.set(key, notice);
    else this.#leftOut.notices += 1;
  }

  /** Undefined when nothing happened. */
  take(open?: OpenRequest[]): LiveBatch | undefined {
    if (this.#requests.length === 0 && this.#notices.size === 0 && !open) return undefined;
    const batch = {
      ...(open && { open }),
      requests: this.#requests,
      notices: [...this.#notices.values()],
      left_out: this.#leftOut,
    };
    this.#requests = [];
    this.#notices = new Map();
    this.#leftOut = { requests: 0, notices: 0 };
    return batch;
  }
}

/** A request that is not answered yet; `began` is the machine's time in milliseconds. */
export interface OpenRequest {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  began: number;
}

/** Younger requests, in milliseconds, are not published: most are answered by then. */
const YOUNG = 50;
const MOST_OPEN = 200;

/** The requests that are under way. */
export class OpenRequests {
  readonly #open = new Map<string, () => OpenRequest>();
  #published = '';

  /** `look` is called when it is published: the account of a request is not known from its beginning. */
  started(id: string, look: () => OpenRequest): void {
    this.#open.set(id, look);
  }

  ended(id: string): void {
    this.#open.delete(id);
  }

  forget(): void {
    this.#open.clear();
    this.#published = '';
  }

  /** The requests that have been open for a while, newest first, and whether there are younger ones. */
  look(now: number): { list: OpenRequest[]; hasYoung: boolean } {
    const all = [...this.#open.values()].map((look) => look());
    const list = all.filter(({ began }) => now - began >= YOUNG);
    return { list: list.reverse().slice(0, MOST_OPEN), hasYoung: list.length < all.length };
  }

  /** The list if it differs from the one published last, else undefined. */
  changed(list: OpenRequest[]): OpenRequest[] | undefined {
    const published = list.map(({ id, account_id }) => `${id} ${account_id}`).join();
    if (published === this.#published) return undefined;
    this.#published = published;
    return list;
  }
}
