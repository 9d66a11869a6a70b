import type { Cancel, Clock } from '../clock/clock.ts';
import type { Journal } from './journal.ts';
import { type LiveNotice, type Notice, type Notices, type OpenRequest, OpenRequests, PendingBatch } from './notices.ts';

/** Receives the text of server-sent events. */
export interface LiveSink {
  write(text: string): void;
  end(): void;
}

/** Milliseconds of real time between two messages, and how long the first change after a pause waits for others. */
const APART = 100;
const GATHER_FOR = 10;
/** From this many requests a millisecond on, messages are sent less often: no reader follows them one by one. */
const FLOOD = 2;
const APART_IN_FLOOD = 1000;
/** How long messages are kept after the last client has left, in milliseconds of real time. */
const KEEP_AFTER = 30_000;

/** A minute of messages at the highest rate, and the characters of all messages. */
const MOST_MESSAGES = 600;
const MOST_BYTES = 8 * 1_048_576;

export interface LiveFeedParts {
  clock: Clock;
  journal: Journal;
  notices: Notices;
}

/**
 * Publishes what happens to all connected clients, in at most ten messages a second, and in one when there are very many
 * requests. Without a client it observes nothing and costs nothing.
 */
export class LiveFeed {
  readonly #parts: LiveFeedParts;
  readonly #sinks = new Set<LiveSink>();
  readonly #ring: LiveRing;
  readonly #pending = new PendingBatch();
  readonly #open = new OpenRequests();
  #stopListening: Cancel | undefined;
  #timer: Cancel | undefined;
  #sleep: Cancel | undefined;
  #lastSent = 0;
  #apart = APART;
  #isClosed = false;

  constructor(parts: LiveFeedParts) {
    this.#parts = parts;
    this.#ring = new LiveRing(parts.clock.real().toString(36));
  }

  /** Whether a client is connected, or was a moment ago. */
  get isAwake(): boolean {
    return this.#stopListening !== undefined;
  }

  /**
   * Sends a sink what happens from now on, and first what came after the message `after`, or `lost` when that is not
   * known any more. The returned function ends it.
   */
  join(sink: LiveSink, after?: string): Cancel {
    if (this.#isClosed) {
      sink.end();
      return () => {};
    }
    this.#wake();
    const missed = after === undefined ? [] : this.#ring.since(after);
    const started = missed === undefined ? 'lost' : 'hello';
    const from = missed !== undefined && after !== undefined ? after : this.#ring.newest;
    const open = this.#open.look(this.#parts.clock.real()).list;
    sink.write(`retry: 1000\n${eventText(started, from, { open })}`);
    for (const text of missed ?? []) sink.write(text);
    this.#sinks.add(sink);
    return () => this.#leave(sink);
  }

  /** A request has come in; `look` describes it while it is under way. */
  publishStarted(id: string, look: () => OpenRequest): void {
    if (!this.#stopListening) return;
    this.#open.started(id, look);
    this.#plan();
  }

  /** A resource of the control surface was changed. */
  publishChange(resource: string): void {
    if (this.#stopListening) this.#note({ kind: 'control', id: resource, account_id: null });
  }

  /** The whole state was replaced: sent at once, after what happened before. */
  publishState(event: 'reset' | 'restored'): void {
    if (!this.#stopListening) return;
    this.#flush();
    this.#open.forget();
    this.#send(event, {});
  }

  /** Ends the stream of every client. */
  close(): void {
    this.#isClosed = true;
    for (const sink of this.#sinks) sink.end();
    this.#sinks.clear();
    this.#timer?.();
    this.#rest();
  }

  #wake(): void {
    this.#sleep?.();
    this.#sleep = undefined;
    if (this.#stopListening) return;
    const { journal, notices } = this.#parts;
    const leaveJournal = journal.observe((facts) => {
      this.#open.ended(facts.id);
      this.#pending.addRequest(facts);
      this.#plan();
    });
    const leaveNotices = notices.observe((notice) => this.#note(liveNotice(notice)));
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
    this.#sleep = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#open.forget();
    this.#ring.forget();
  }

  #note(notice: LiveNotice): void {
    this.#pending.addNotice(notice);
    this.#plan();
  }

  #plan(): void {
    if (this.#timer || this.#isClosed) return;
    const { clock } = this.#parts;
    const flush = () => this.#flush();
    const wait = Math.max(GATHER_FOR, this.#lastSent + this.#apart - clock.real());
    // A reset clears the clock: the batch is sent then.
    this.#timer = clock.after(wait, flush, flush);
  }

  #flush(): void {
    this.#timer?.();
    this.#timer = undefined;
    if (!this.#stopListening) return;
    const now = this.#parts.clock.real();
    const { list, hasYoung } = this.#open.look(now);
    const batch = this.#pending.take(this.#open.changed(list));
    if (hasYoung) this.#plan();
    if (!batch) return;
    const requests = batch.requests.length + batch.left_out.requests;
    const isFlood = requests / Math.max(APART, now - this.#lastSent) > FLOOD;
    this.#apart = isFlood ? APART_IN_FLOOD : APART;
    this.#lastSent = now;
    this.#send('batch', batch);
  }

  #send(event: string, data: object): void {
    const text = this.#ring.add(event, data);
    for (const sink of this.#sinks) sink.write(text);
  }
}

function liveNotice({ kind, id, accountId, type }: Notice): LiveNotice {
  return { kind, id, account_id: accountId, ...(type ? { type } : {}) };
}

/** The last messages of one stream by number, for clients that connect again. */
class LiveRing {
  readonly #stream: string;
  #messages: string[] = [];
  #bytes = 0;
  /** The number of the newest message. */
  #last = 0;

  /** `stream` differs from that of an earlier start. */
  constructor(stream: string) {
    this.#stream = stream;
  }

  /** The id of the newest message. */
  get newest(): string {
    return `${this.#stream}-${this.#last}`;
  }

  /** Keeps a message; answers its text as it is sent. */
  add(event: string, data: object): string {
    this.#last += 1;
    const text = eventText(event, this.newest, data);
    this.#messages.push(text);
    this.#bytes += text.length;
    while (this.#messages.length > MOST_MESSAGES || this.#bytes > MOST_BYTES) {
      this.#bytes -= this.#messages.shift()?.length ?? 0;
    }
    return text;
  }

  /** What came after a message; undefined when that is too long ago, or of another stream. */
  since(id: string): string[] | undefined {
    const dash = id.lastIndexOf('-');
    const number = Number(id.slice(dash + 1));
    const missing = this.#last - number;
    const isKnown = id.slice(0, dash) === this.#stream && Number.isInteger(number);
    if (!isKnown || missing < 0 || missing > this.#messages.length) return undefined;
    return this.#messages.slice(this.#messages.length - missing);
  }

  /** Forgets all messages: the next one does not follow on any of them. */
  forget(): void {
    this.#last += 1;
    this.#messages = [];
    this.#bytes = 0;
  }
}

function eventText(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
