import type { Cancel, Clock } from '../clock/clock.ts';
import type { Journal } from './journal.ts';
import { BatchInHand, type LiveNotice } from './live-batch.ts';
import { eventText, LiveRing } from './live-ring.ts';
import type { Notice, Notices } from './notices.ts';
import { type OpenRequest, OpenRequests } from './open-requests.ts';

/** One who listens: gets the text of server-sent events. */
export interface LiveSink {
  write(text: string): void;
  end(): void;
}

/** How many milliseconds of real time lie between two messages, and how long something that comes alone waits for company. */
const APART = 100;
const COMPANY = 10;
/** From so many requests a millisecond on nobody reads them one by one: then messages lie this far apart. */
const FLOOD = 2;
const APART_IN_FLOOD = 1000;
/** How long after the last listener has left messages are kept for its return, in milliseconds of real time. */
const LINGER = 30_000;

export interface LiveFeedParts {
  clock: Clock;
  journal: Journal;
  notices: Notices;
}

/**
 * What happens, told to all who listen in at most ten messages a second, in a flood of requests in one. It hears of nothing while nobody listens, so
 * that it costs nothing then.
 */
export class LiveFeed {
  readonly #parts: LiveFeedParts;
  readonly #sinks = new Set<LiveSink>();
  readonly #ring: LiveRing;
  readonly #inHand = new BatchInHand();
  readonly #open = new OpenRequests();
  #deaf: Cancel | undefined;
  #timer: Cancel | undefined;
  #sleep: Cancel | undefined;
  #lastSent = 0;
  #apart = APART;
  #isClosed = false;

  constructor(parts: LiveFeedParts) {
    this.#parts = parts;
    this.#ring = new LiveRing(parts.clock.real().toString(36));
  }

  /** Whether anybody listens, or did a moment ago. */
  get isAwake(): boolean {
    return this.#deaf !== undefined;
  }

  /**
   * Tells a sink what happens from now on, and first what came after the message `after`, or `lost` when that is not
   * known any more. The answer ends it.
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

  /** A request has come in. `look` tells of it as long as it is under way. */
  publishStarted(id: string, look: () => OpenRequest): void {
    if (!this.#deaf) return;
    this.#open.started(id, look);
    this.#plan();
  }

  /** Something of the control surface was changed. */
  tellControl(resource: string): void {
    if (this.#deaf) this.#note({ kind: 'control', id: resource, account_id: null });
  }

  /** The whole state is another one: told at once, after what was before. */
  tellState(event: 'reset' | 'restored'): void {
    if (!this.#deaf) return;
    this.#flush();
    this.#open.forget();
    this.#send(event, {});
  }

  /** Whoever listens is at the end of the stream. */
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
    if (this.#deaf) return;
    const { journal, notices } = this.#parts;
    const leaveJournal = journal.observe((facts) => {
      this.#open.ended(facts.id);
      this.#inHand.addRequest(facts);
      this.#plan();
    });
    const leaveNotices = notices.observe((notice) => this.#note(liveNotice(notice)));
    this.#deaf = () => {
      leaveJournal();
      leaveNotices();
    };
  }

  #leave(sink: LiveSink): void {
    if (!this.#sinks.delete(sink) || this.#sinks.size > 0 || this.#isClosed) return;
    const rest = () => this.#rest();
    this.#sleep = this.#parts.clock.after(LINGER, rest, rest);
  }

  #rest(): void {
    this.#sleep?.();
    this.#sleep = undefined;
    this.#deaf?.();
    this.#deaf = undefined;
    this.#open.forget();
    this.#ring.forget();
  }

  #note(notice: LiveNotice): void {
    this.#inHand.addNotice(notice);
    this.#plan();
  }

  #plan(): void {
    if (this.#timer || this.#isClosed) return;
    const { clock } = this.#parts;
    const flush = () => this.#flush();
    const wait = Math.max(COMPANY, this.#lastSent + this.#apart - clock.real());
    // A reset clears the clock: what waits is told then.
    this.#timer = clock.after(wait, flush, flush);
  }

  #flush(): void {
    this.#timer?.();
    this.#timer = undefined;
    if (!this.#deaf) return;
    const now = this.#parts.clock.real();
    const { list, hasYoung } = this.#open.look(now);
    const batch = this.#inHand.take(this.#open.changed(list));
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
