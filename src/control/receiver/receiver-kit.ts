import { type Clock, unixSeconds } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random.ts';
import { deliveryFaultRow, type WebhookFault } from '../../engine/faults/delivery-faults.ts';
import { type DeliveryContent, faultyContent, faultySignature } from '../../engine/webhooks/delivery-fault.ts';
import type { EventType } from '../../engine/webhooks/event-schemas.ts';
import { exampleData } from '../../engine/webhooks/samples.ts';
import {
  deliveryHeaders,
  SIGNATURE_HEADER,
  signatureHeader,
  signPayload,
} from '../../engine/webhooks/send-delivery.ts';

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
  genuine(envelope: ShownEnvelope): Posting {
    const content = contentOf(envelope);
    return this.posting(content, signatureHeader(this.#secret, this.now, content.body));
  }

  /** As a fault rule has it sent, after the genuine delivery where it is one more. */
  faulty(envelope: ShownEnvelope, fault: WebhookFault): Posting[] {
    const genuine = this.genuine(envelope);
    const deliveryId = this.#id('dlv');
    const { eventId, body } = faultyContent(contentOf(envelope), fault, deliveryId);
    const signature = faultySignature({
      ...{ fault, secret: this.#secret, t: this.now, before: genuine.headers[SIGNATURE_HEADER] },
      header: (secret, t) => signatureHeader(secret, t, body),
    });
    const posting = { headers: deliveryHeaders({ eventId, deliveryId }, signature), body: Buffer.from(body) };
    return deliveryFaultRow(fault).extra === 'after' ? [genuine, posting] : [posting];
  }

  /** With whatever header a check wants; without one where it is undefined. */
  posting({ eventId, body }: DeliveryContent, header: string | undefined): Posting {
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

/** As a delivery has it. */
export function contentOf(envelope: ShownEnvelope): DeliveryContent {
  return { eventId: envelope.id, body: JSON.stringify(envelope) };
}

/** What to change in a receiver, by what it got wrong. */
export const MEND = {
  genuine:
    'Answer 2xx within 10 s to a POST whose svc-signature is t=<unix>,v1=<hex>, hex being the HMAC-SHA256 of "<t>.<raw body>" under the endpoint\'s secret. Check that the secret is the one that creating the endpoint answered, whsec_ included, and that the path takes POST.',
  type: 'Answer 2xx to every type you may subscribe to. Types that do not interest you are answered 2xx too.',
  header:
    'Answer 400 when svc-signature is missing or is not t=<unix>,v1=<64 hex digits>. Compare lengths before timingSafeEqual, which throws when they differ.',
  slowness: 'Wait for the whole body and for the whole answer to be read; raise timeouts below 10 s.',
  size: 'Raise the limit of your body parser to 2 MiB (express.raw({ limit }), Fastify bodyLimit, client_max_body_size), and answer before 10 s are over: do the work afterwards.',
  unknownFields:
    'Ignore fields that you do not know, in the envelope and in data: a strict schema breaks when one is added.',
} as const;
