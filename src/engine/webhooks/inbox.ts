import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { type Clock, isoTime, unixSeconds } from '../../base/clock/clock.ts';
import { makeId, numberOf } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { invalid, quoted } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { readEndpointsAt } from './endpoint-store.ts';
import type { StoredEndpoint } from './outbox-store.ts';
import { SIGNATURE_HEADER } from './send-delivery.ts';
import { verifySignature } from './signature.ts';

/** The path of the built-in receivers. */
export const INBOX_PATH = '/_emulator/inbox';

/** The limits of all inboxes together; the oldest messages are dropped first. */
const MOST_MESSAGES = 2000;
const MOST_BYTES = 32 * 1_048_576;

/** A received request. */
export interface NewMessage {
  inbox: string;
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface InboxParts {
  /** Those whose URL is that of an inbox. */
  endpointsOf: (inbox: string) => SigningEndpoint[];
  clock: Clock;
  random: Random;
  /** Called with each received message. */
  onMessage: (message: Message) => void;
}

/** An endpoint, and what its deliveries are signed with. */
export type SigningEndpoint = Pick<StoredEndpoint, 'id' | 'url' | 'secret'>;

export function endpointsAtInbox(db: Reader, inbox: string): SigningEndpoint[] {
  const path = `${INBOX_PATH}/${inbox}`;
  const found = readEndpointsAt(db, path);
  return found.filter(({ url }) => new URL(url).pathname.replace(/\/$/, '') === path);
}

/** `n` counts all messages from 1. */
interface Kept {
  n: number;
  message: Message;
}

/**
 * The built-in receivers. Messages are kept in memory, as they are observations and not state: what was sent is recorded
 * in the deliveries anyway.
 */
export class Inbox {
  readonly #parts: InboxParts;
  /** By id, oldest first. */
  readonly #messages = new Map<string, Kept>();
  #bytes = 0;
  #count = 0;
  #address = { url: '', query: '' };

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Sets the URL of the emulator; beyond loopback it requires `token`. */
  open(url: string, token: string | undefined): void {
    this.#address = {
      url,
      query: token === undefined ? '' : `?token=${encodeURIComponent(token)}`,
    };
  }

  /** The URL at which the emulator itself reaches an inbox. */
  urlOf(inbox: string): string {
    return `${this.#address.url}${INBOX_PATH}/${inbox}${this.#address.query}`;
  }

  /** The inboxes that hold messages, by name. */
  held(): HeldInbox[] {
    const held = new Map<string, HeldInbox>();
    for (const { message } of this.#messages.values()) {
      const { inbox: name, created } = message;
      held.set(name, { name, messages: (held.get(name)?.messages ?? 0) + 1, created });
    }
    return [...held.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  receive({ inbox, method, path, headers, body }: NewMessage): Message {
    const { clock, random, onMessage } = this.#parts;
    this.#count += 1;
    const text = isUtf8(body);
    const message: Message = {
      id: makeId(random, 'message', 'inbox', this.#count),
      inbox,
      method,
      path,
      headers: flat(headers),
      body: text ? body.toString() : null,
      body_base64: text ? null : body.toString('base64'),
      bytes: body.length,
      signature: this.#verify(inbox, headers[SIGNATURE_HEADER], body),
      received_at: isoTime(clock.real()),
      created: unixSeconds(clock.now()),
    };
    this.#keep({ n: this.#count, message });
    onMessage(message);
    return message;
  }

  /** Newest first. Throws `invalid_request` for an `after` as `numberOf` does. */
  list(inbox: string, { after, limit }: { after?: string | undefined; limit: number }): Message[] {
    const before = after === undefined ? Number.POSITIVE_INFINITY : this.numberOf(inbox, after);
    const earlier = this.#of(inbox).filter(({ n }) => n < before);
    return earlier
      .reverse()
      .slice(0, limit)
      .map(({ message }) => message);
  }

  /** The oldest message that came after the one of that number; with `genuine`, whose signature verifies. */
  next(inbox: string, number: number, { genuine = false } = {}): Message | undefined {
    const found = this.#of(inbox).find(({ n, message }) => n > number && (!genuine || message.signature.verified));
    return found?.message;
  }

  /**
   * The number of a message among all, also of a dropped one: it is decoded from the id [I216]. Throws
   * `invalid_request` (after) for an id of no message, or of a message of another inbox.
   */
  numberOf(inbox: string, id: string): number {
    const kept = this.#messages.get(id);
    const n = kept ? kept.n : numberOf(this.#parts.random, 'message', 'inbox', id);
    const isElsewhere = kept !== undefined && kept.message.inbox !== inbox;
    if (n !== undefined && n <= this.#count && !isElsewhere) return n;
    throw invalid(
      'after',
      `after must be the id of a message that the inbox ${inbox} was sent; ${quoted(id)} is none. Begin anew without it.`,
    );
  }

  /** Empties one inbox. */
  clear(inbox: string): void {
    for (const kept of this.#of(inbox)) this.#drop(kept);
  }

  /** A reset: drops all messages. */
  renew(): void {
    this.#messages.clear();
    this.#bytes = 0;
    this.#count = 0;
  }

  #of(inbox: string): Kept[] {
    return [...this.#messages.values()].filter(({ message }) => message.inbox === inbox);
  }

  #keep(kept: Kept): void {
    this.#messages.set(kept.message.id, kept);
    this.#bytes += kept.message.bytes;
    for (const oldest of this.#messages.values()) {
      if (this.#messages.size <= MOST_MESSAGES && this.#bytes <= MOST_BYTES) return;
      this.#drop(oldest);
    }
  }

  #drop({ message }: Kept): void {
    if (this.#messages.delete(message.id)) this.#bytes -= message.bytes;
  }

  #verify(inbox: string, header: string | string[] | undefined, payload: Buffer): MessageSignature {
    const unknown = { verified: null, endpoint_id: null, reason: null };
    if (header === undefined) return { ...unknown, reason: `no ${SIGNATURE_HEADER} header` };
    const endpoints = this.#parts.endpointsOf(inbox);
    if (endpoints.length === 0) return { ...unknown, reason: 'no endpoint has this URL' };
    const refusals = endpoints.map((endpoint) => this.#refusal(endpoint, header, payload));
    const fitting = endpoints[refusals.indexOf(undefined)];
    if (fitting) return { verified: true, endpoint_id: fitting.id, reason: null };
    return { verified: false, endpoint_id: null, reason: refusals[0] ?? null };
  }

  /** Undefined when the signature fits the endpoint's secret. */
  #refusal({ secret }: SigningEndpoint, header: string | string[], payload: Buffer): string | undefined {
    try {
      verifySignature({ secret, header, payload, now: this.#parts.clock.real() });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

function flat(headers: NewMessage['headers']): Record<string, string> {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return Object.fromEntries(named);
}

/**
 * Whether a message is a delivery of the emulator to an endpoint with the URL of this inbox: `verified` is null when it
 * has no signature, or when no endpoint has this URL.
 */
const messageSignature = z.strictObject({
  verified: z.boolean().nullable(),
  /** The endpoint whose secret fits. */
  endpoint_id: z.string().nullable(),
  /** Why it does not verify. */
  reason: z.string().nullable(),
});

export type MessageSignature = z.infer<typeof messageSignature>;

/**
 * The record of a message in the control surface. `body` is null if it is not UTF-8, and `body_base64` null if
 * it is; `received_at` is the machine's time, `created` the emulator's, in unix seconds.
 */
export const message = z.strictObject({
  id: z.string(),
  inbox: z.string(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  body_base64: z.string().nullable(),
  bytes: z.int(),
  signature: messageSignature,
  received_at: z.string(),
  created: z.int(),
});

export type Message = z.infer<typeof message>;

/** An inbox that holds messages; `created` is the time of the newest one, in unix seconds of the emulator's clock. */
export const heldInbox = z.strictObject({ name: z.string(), messages: z.int(), created: z.int() });

export type HeldInbox = z.infer<typeof heldInbox>;
