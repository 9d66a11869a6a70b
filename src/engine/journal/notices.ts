import type { Cancel } from '../../base/clock/clock.ts';
import { overtaken } from '../../base/errors.ts';
import type { JournalFacts, RequestLine } from './request-schemas.ts';

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

  /** Publishes one change. Call it after the commit. */
  readonly publish = (notice: Notice): void => {
    for (const listener of this.#listeners) listener.hear(notice);
    for (const observer of this.#observers) observer(notice);
  };

  /** Publishes changes of a kind. */
  of(kind: Notice['kind']): (changed: { id: string; accountId: string | null }) => void {
    return ({ id, accountId }) => this.publish({ kind, id, accountId });
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

/** A request that is not answered yet; `began` is the machine's time in milliseconds. */
export interface OpenRequest {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  began: number;
}

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
