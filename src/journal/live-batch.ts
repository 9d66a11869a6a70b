import type { JournalFacts } from './journal-record.ts';
import type { Notice } from './notices.ts';
import type { OpenRequest } from './open-requests.ts';
import type { RequestLine } from './request-records.ts';

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
  /** All requests that are under way now, newest first; left out where these are those that were told last. */
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

/** Gathers what happens until it is taken: bounded, and nothing twice. */
export class BatchInHand {
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
