import type { Cancel, Clock } from '../../base/clock/clock.ts';
import type { Journal } from './journal.ts';
import type { ChangeNotice, Notices } from './notices.ts';
import type { JournalRecord, RequestSummary } from './request-schemas.ts';

interface LiveSink {
  write(text: string): void;
  end(): void;
}

/**
 * `APART` is the least time between two messages, and `GATHER_FOR` between a change and its message. In milliseconds of
 * real time.
 */
const APART = 100;
const GATHER_FOR = 10;
/** Above this many requests per millisecond, messages are sent less often, because no reader can follow them. */
const FLOOD = 2;
const APART_IN_FLOOD = 1000;
/** How long messages are kept after the last client left, in milliseconds of real time. */
const KEEP_AFTER = 30_000;

/** The most messages that are kept: those of a minute at the highest rate. */
const MAX_MESSAGES = 600;
const MAX_BYTES = 8 * 1_048_576;

interface LiveFeedParts {
  clock: Clock;
  journal: Journal;
  notices: Notices;
  /**
   * The operations whose responses may change because of `cause`: `read` (a GET to the service that got a response),
   * `call` (any other request to it), the kind of a notice, or a control resource.
   */
  changedBy(cause: string): readonly string[];
}

/**
 * Publishes changes to connected clients, at most ten times a second except at a reset or a restore. Stops observing 30 s
 * after the last client has left.
 */
export class LiveFeed {
  /** Whether a client is connected, or was less than 30 s ago, so that changes must be collected. */
  isAwake = false;
  readonly #parts: LiveFeedParts;
  readonly #sinks = new Set<LiveSink>();
  readonly #ring: LiveRing;
  readonly #requests = new Pending<RequestSummary>();
  readonly #notices = new Pending<LiveNotice>();
  readonly #causes = new Set<string>();
  readonly #open = new OpenRequests();
  #stopListening: Cancel = () => {};
  #timer: Cancel | undefined;
  #sleep: Cancel | undefined;
  #lastSent = 0;
  #apart = APART;
  #isClosed = false;

  constructor(parts: LiveFeedParts) {
    this.#parts = parts;
    this.#ring = new LiveRing(parts.clock.real().toString(36));
  }

  /**
   * Sends a client what happens from now on, after the messages since `after`, or after `lost` if those are gone. The
   * returned function disconnects the client.
   */
  join(sink: LiveSink, after?: string): Cancel {
    if (this.#isClosed) {
      sink.end();
      return () => {};
    }
    this.#wake();
    const missed = after === undefined ? [] : this.#ring.since(after);
    const started = missed ? 'hello' : 'lost';
    const from = (missed && after) ?? this.#ring.newest;
    const { list: open } = this.#open.look(this.#parts.clock.real());
    sink.write(`retry: 1000\n${eventText(started, from, { open })}`);
    for (const text of missed ?? []) sink.write(text);
    this.#sinks.add(sink);
    return () => this.#leave(sink);
  }

  publishStarted(id: string, look: () => OpenRequest): void {
    if (!this.isAwake) return;
    this.#open.started(id, look);
    this.#plan();
  }

  publishChange(resource: string): void {
    if (this.isAwake) this.#note({ kind: 'control', id: resource, account_id: null });
  }

  publishState(event: 'reset' | 'restored'): void {
    if (!this.isAwake) return;
    this.#flush();
    this.#open.forget();
    this.#send(event, {});
  }

  close(): void {
    this.#isClosed = true;
    for (const sink of this.#sinks) sink.end();
    this.#sinks.clear();
    this.#timer?.();
    this.#rest();
  }

  #wake(): void {
    this.#sleep?.();
    if (this.isAwake) return;
    this.isAwake = true;
    const { journal, notices } = this.#parts;
    const leaveJournal = journal.observe((record) => {
      this.#open.ended(record.id);
      this.#requests.add(record.id, () => summarizeRequest(record));
      this.#causes.add(record.method === 'GET' && record.status !== 0 ? 'read' : 'call');
      this.#plan();
    });
    const leaveNotices = notices.observe(({ kind, id, accountId, type }) =>
      this.#note({ kind, id, account_id: accountId, ...(type ? { type } : {}) }),
    );
    this.#stopListening = () => {
      leaveJournal();
      leaveNotices();
    };
  }

  #leave(sink: LiveSink): void {
    if (!this.#sinks.delete(sink) || this.#sinks.size > 0 || this.#isClosed) return;
    const rest = () => this.#rest();
    this.#sleep = this.#parts.clock.after(KEEP_AFTER, rest, rest);
  }

  #rest(): void {
    this.#sleep?.();
    this.isAwake = false;
    this.#stopListening();
    this.#stopListening = () => {};
    this.#open.forget();
    this.#ring.forget();
  }

  #note(notice: LiveNotice): void {
    this.#causes.add(notice.kind === 'control' ? notice.id : notice.kind);
    this.#notices.add(`${notice.kind} ${notice.id}`, () => notice);
    this.#plan();
  }

  #plan(): void {
    if (this.#timer || this.#isClosed) return;
    const { clock } = this.#parts;
    const flush = () => this.#flush();
    const wait = Math.max(GATHER_FOR, this.#lastSent + this.#apart - clock.real());
    // If a reset clears the clock, the batch is sent immediately.
    this.#timer = clock.after(wait, flush, flush);
  }

  #flush(): void {
    this.#timer?.();
    this.#timer = undefined;
    if (!this.isAwake) return;
    const now = this.#parts.clock.real();
    const { list, hasYoung } = this.#open.look(now);
    const batch = this.#takeBatch(this.#open.changed(list));
    if (hasYoung) this.#plan();
    if (!batch) return;
    const requests = batch.requests.length + batch.left_out.requests;
    const isFlood = requests / Math.max(APART, now - this.#lastSent) > FLOOD;
    this.#apart = isFlood ? APART_IN_FLOOD : APART;
    this.#lastSent = now;
    this.#send('batch', batch);
  }

  #takeBatch(open: OpenRequest[] | undefined): LiveBatch | undefined {
    const [requests, notices] = [this.#requests.take(), this.#notices.take()];
    if (requests.items.length === 0 && notices.items.length === 0 && !open) return undefined;
    const left_out = { requests: requests.leftOut, notices: notices.leftOut };
    const changed = [...new Set([...this.#causes].flatMap((cause) => this.#parts.changedBy(cause)))];
    this.#causes.clear();
    return { ...(open && { open }), requests: requests.items, notices: notices.items, changed, left_out };
  }

  #send(event: string, data: object): void {
    const text = this.#ring.add(event, data);
    for (const sink of this.#sinks) sink.write(text);
  }
}

class LiveRing {
  readonly #stream: string;
  #messages: string[] = [];
  #bytes = 0;
  #last = 0;

  constructor(stream: string) {
    this.#stream = stream;
  }

  get newest(): string {
    return `${this.#stream}-${this.#last}`;
  }

  add(event: string, data: object): string {
    this.#last += 1;
    const text = eventText(event, this.newest, data);
    this.#messages.push(text);
    this.#bytes += text.length;
    while (this.#messages.length > MAX_MESSAGES || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#messages.shift()?.length ?? 0;
    }
    return text;
  }

  since(id: string): string[] | undefined {
    const dash = id.lastIndexOf('-');
    const number = Number(id.slice(dash + 1));
    const missing = this.#last - number;
    const isKnown = id.slice(0, dash) === this.#stream && Number.isInteger(number);
    if (!isKnown || missing < 0 || missing > this.#messages.length) return undefined;
    return this.#messages.slice(this.#messages.length - missing);
  }

  /** Removes all messages. A client that returns later gets `lost`, because changes in between were not observed. */
  forget(): void {
    this.#last += 1;
    this.#messages = [];
    this.#bytes = 0;
  }
}

function eventText(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

const MAX_IN_MESSAGE = 200;

class Pending<Item> {
  readonly #items = new Map<string, Item>();
  #leftOut = 0;

  add(key: string, make: () => Item): void {
    if (this.#items.has(key)) return;
    if (this.#items.size < MAX_IN_MESSAGE) this.#items.set(key, make());
    else this.#leftOut += 1;
  }

  take(): { items: Item[]; leftOut: number } {
    const taken = { items: [...this.#items.values()], leftOut: this.#leftOut };
    this.#items.clear();
    this.#leftOut = 0;
    return taken;
  }
}

/** Open requests younger than this, in milliseconds, are not published, because most end by then. */
const YOUNG = 50;
const MAX_OPEN = 200;

class OpenRequests {
  readonly #open = new Map<string, () => OpenRequest>();
  #published = '';

  /** `look` reads the request later, because its account is not known when it begins. */
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

  look(now: number): { list: OpenRequest[]; hasYoung: boolean } {
    const all = [...this.#open.values()].map((look) => look());
    const list = all.filter(({ began }) => now - began >= YOUNG);
    return { list: list.reverse().slice(0, MAX_OPEN), hasYoung: list.length < all.length };
  }

  changed(list: OpenRequest[]): OpenRequest[] | undefined {
    const published = list.map(({ id, account_id }) => `${id} ${account_id}`).join();
    if (published === this.#published) return undefined;
    this.#published = published;
    return list;
  }
}

/** For `control`, `id` is the resource, such as `clock`. */
export interface LiveNotice {
  kind: ChangeNotice['kind'] | 'control';
  id: string;
  account_id: string | null;
  type?: string;
}

export interface LiveBatch {
  requests: RequestSummary[];
  notices: LiveNotice[];
  /** The operations whose responses may have changed, even because of changes that this message leaves out. */
  changed: string[];
  /** The newest 200 open requests, newest first; left out if they have not changed. */
  open?: OpenRequest[];
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

export function summarizeRequest(record: JournalRecord): RequestSummary {
  const { id, account_id, key_id, method, path, operation, status, created, began } = record;
  const { duration_ms, retry_count, credits, job_ids, warnings, dropped, fault = null, error = null } = record;
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
  };
}
