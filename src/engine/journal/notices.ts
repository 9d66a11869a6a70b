import type { Cancel } from '../../base/clock/clock.ts';
import { overtaken } from '../../base/errors.ts';
import type { JournalRecord, RequestLine } from './request-schemas.ts';

/** Published after the commit. A message in an inbox belongs to no account. */
export interface Notice {
  kind: 'job' | 'run' | 'event' | 'delivery' | 'message' | 'hold';
  id: string;
  accountId: string | null;
  /** The type of an event or a delivery. */
  type?: string;
}

interface Listener {
  hear(notice: Notice): void;
  drop(): void;
}

export class Notices {
  readonly #listeners = new Set<Listener>();
  readonly #observers = new Set<(notice: Notice) => void>();

  get waiting(): number {
    return this.#listeners.size;
  }

  readonly publish = (notice: Notice): void => {
    for (const listener of this.#listeners) listener.hear(notice);
    for (const observer of this.#observers) observer(notice);
  };

  of(kind: Notice['kind']): (changed: { id: string; accountId: string | null }) => void {
    return ({ id, accountId }) => this.publish({ kind, id, accountId });
  }

  /** Stays through resets. The returned function ends it. */
  observe(observer: (notice: Notice) => void): Cancel {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /**
   * Resolves with what `look` finds, now or after a notice. Rejects with the signal's reason, with what `look` throws,
   * and with `overtaken` at a reset or a stop.
   */
  async until<T>(look: (notice?: Notice) => T | undefined, signal: AbortSignal): Promise<T> {
    const found = look();
    if (found !== undefined) return found;
    signal.throwIfAborted();
    return this.#listen(look, signal);
  }

  /** At a reset or a stop all waiting calls are rejected. */
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

/** For `control`, `id` is the resource: `clock`, `accounts`, `faults`. */
export interface LiveNotice {
  kind: Notice['kind'] | 'control';
  id: string;
  account_id: string | null;
  type?: string;
}

export interface LiveBatch {
  requests: RequestLine[];
  notices: LiveNotice[];
  /** All open requests, newest first; left out if they have not changed. */
  open?: OpenRequest[];
  /** How many more there were than one message contains. */
  left_out: { requests: number; notices: number };
}

/** `began` is the machine's time in milliseconds. */
export interface OpenRequest {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  began: number;
}

export function requestLine(record: JournalRecord): RequestLine {
  const { id, account_id, key_id, method, path, operation, status, created, began } = record;
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
  } = record;
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
