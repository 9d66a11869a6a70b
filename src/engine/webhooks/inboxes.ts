import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { type Clock, isoTime, unixSeconds } from '../../base/clock/clock.ts';
import { makeId, parseIdNumber } from '../../base/database/id-store.ts';
import { unknownCursorError } from '../../base/database/list-queries.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Random } from '../../base/random.ts';
import { findEndpointsByUrlPart, type StoredEndpoint } from './endpoint-store.ts';
import { SIGNATURE_HEADER, verifySignature } from './signature.ts';

export const INBOX_PATH = '/_emulator/inbox';

/** The limits of all inboxes together. The oldest messages are dropped first. */
const MAX_MESSAGES = 2000;
const MAX_BYTES = 32 * 1_048_576;

interface NewMessage {
  inbox: string;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface InboxesParts {
  endpointsOf: (inbox: string) => SigningEndpoint[];
  clock: Clock;
  random: Random;
  onMessage: (message: ReceivedMessage) => void;
}

type SigningEndpoint = Pick<StoredEndpoint, 'id' | 'url' | 'secret'>;

export function findEndpointsOfInbox(db: Reader, inbox: string): SigningEndpoint[] {
  const path = `${INBOX_PATH}/${inbox}`;
  const found = findEndpointsByUrlPart(db, path);
  return found.filter(({ url }) => new URL(url).pathname.replace(/\/$/, '') === path);
}

interface Kept {
  n: number;
  message: ReceivedMessage;
}

/** The built-in receivers. Messages stay in memory only, because the records of deliveries show what was sent. */
export class Inboxes {
  readonly #parts: InboxesParts;
  readonly #messages = new Map<string, Kept>();
  #bytes = 0;
  #count = 0;
  #address = { url: '', query: '' };

  constructor(parts: InboxesParts) {
    this.#parts = parts;
  }

  open(url: string, token: string | undefined): void {
    this.#address = {
      url,
      query: token === undefined ? '' : `?token=${encodeURIComponent(token)}`,
    };
  }

  urlOf(inbox: string): string {
    return `${this.#address.url}${INBOX_PATH}/${inbox}${this.#address.query}`;
  }

  receive({ inbox, method, path, headers, body }: NewMessage): ReceivedMessage {
    const { clock, random, onMessage } = this.#parts;
    this.#count += 1;
    const text = isUtf8(body);
    const message: ReceivedMessage = {
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

  list(inbox: string, { after, limit }: { after?: string | undefined; limit: number }): ReceivedMessage[] {
    const before = after === undefined ? Number.POSITIVE_INFINITY : this.numberOf(inbox, after);
    const earlier = this.#of(inbox).filter(({ n }) => n < before);
    return earlier
      .reverse()
      .slice(0, limit)
      .map(({ message }) => message);
  }

  next(inbox: string, number: number, { genuine = false } = {}): ReceivedMessage | undefined {
    const found = this.#of(inbox).find(({ n, message }) => n > number && (!genuine || message.signature.verified));
    return found?.message;
  }

  /**
   * The number in the id of a message, which works for dropped messages too [I216]. Throws `invalid_request` (`after`) for
   * the id of no message, or of a kept message in another inbox.
   */
  numberOf(inbox: string, id: string): number {
    const kept = this.#messages.get(id);
    const n = kept ? kept.n : parseIdNumber(this.#parts.random, 'message', 'inbox', id);
    const isElsewhere = kept !== undefined && kept.message.inbox !== inbox;
    if (n !== undefined && n <= this.#count && !isElsewhere) return n;
    throw unknownCursorError(`a message of the inbox ${inbox}`, id);
  }

  reset(): void {
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
      if (this.#messages.size <= MAX_MESSAGES && this.#bytes <= MAX_BYTES) return;
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

/** `verified` is null if the message has no signature, or if no endpoint has the URL of this inbox. */
const messageSignature = z.strictObject({
  verified: z.boolean().nullable(),
  endpoint_id: z.string().nullable(),
  reason: z.string().nullable(),
});

type MessageSignature = z.infer<typeof messageSignature>;

/**
 * `body` is null if it is not UTF-8, otherwise `body_base64` is null. `received_at` is the machine's time, `created`
 * the emulator's in unix seconds.
 */
export const inboxMessageSchema = z.strictObject({
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

export type ReceivedMessage = z.infer<typeof inboxMessageSchema>;
