import { type Clock, unixSeconds } from '../clock/clock.ts';
import type { Random } from '../random.ts';
import type { EventType } from '../webhooks/event-schemas.ts';
import { exampleData } from '../webhooks/samples.ts';
import { deliveryHeaders } from '../webhooks/send-delivery.ts';
import { SIGNATURE_HEADER, signatureHeader, signPayload } from '../webhooks/signature.ts';

/** One request to a receiver, and how it is sent. */
export interface Posting {
  headers: Record<string, string>;
  body: Buffer;
  /** The body comes in this many parts, with a pause after each. */
  pieces?: number;
  /** The answer is read only after the same pause. */
  readsLate?: boolean;
}

/** An event as a body is made of it; types and fields may be such as do not exist yet. */
export interface ShownEnvelope {
  id: string;
  type: string;
  created: number;
  data: Record<string, unknown>;
}

/** Where the URLs in example events lead; nothing is behind them. */
const BASE_URL = 'http://127.0.0.1:4600';

/** Makes what a receiver is sent. Every event has an id of its own, so that no receiver takes it for one it knows. */
export class ReceiverKit {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #secret: string;

  constructor(parts: { clock: Clock; random: Random; secret: string }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#secret = parts.secret;
  }

  /** The machine's time in unix seconds. */
  get now(): number {
    return unixSeconds(this.#clock.real());
  }

  envelope(type: EventType): ShownEnvelope {
    const data = exampleData({ type, baseUrl: BASE_URL, now: this.#clock.real() });
    return { id: this.#id('evt'), type, created: this.now, data };
  }

  /** As the emulator sends it. */
  genuine(envelope: ShownEnvelope | string): Posting {
    const body = typeof envelope === 'string' ? envelope : JSON.stringify(envelope);
    return this.posting(body, signatureHeader(this.#secret, this.now, body));
  }

  /** With a signature made in another moment or with another secret. */
  signedAs(body: string, { secret = this.#secret, t = this.now }): Posting {
    return this.posting(body, signatureHeader(secret, t, body));
  }

  /** With whatever header a check wants; without one where it is undefined. */
  posting(body: string, header: string | undefined): Posting {
    const eventId = /"id":"(\w+)"/.exec(body)?.[1] ?? this.#id('evt');
    const headers = deliveryHeaders({ eventId, deliveryId: this.#id('dlv') }, header ?? '');
    if (header === undefined) delete headers[SIGNATURE_HEADER];
    return { headers, body: Buffer.from(body) };
  }

  /** The hex of a `v1`. */
  proof(body: string, t: number): string {
    return signPayload(this.#secret, t, body);
  }

  #id(prefix: string): string {
    return `${prefix}_${this.#random.scratchName()}`;
  }
}
