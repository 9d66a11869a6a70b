import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { type Clock, unixSeconds } from '../../base/clock/clock.ts';
import { invalid } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { deliveryFaultRow, type WebhookFault } from '../../engine/faults/delivery-faults.ts';
import { type DeliveryContent, faultyContent, faultySignature } from '../../engine/webhooks/delivery-fault.ts';
import type { EventType } from '../../engine/webhooks/event-schemas.ts';
import { exampleData } from '../../engine/webhooks/samples.ts';
import {
  deliveryHeaders,
  lookupOf,
  type Route,
  SIGNATURE_HEADER,
  signatureHeader,
  signPayload,
} from '../../engine/webhooks/send-delivery.ts';
import { isLoopbackHost, UrlGuard } from '../../engine/webhooks/url-guard.ts';

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
      fault,
      secret: this.#secret,
      t: this.now,
      before: genuine.headers[SIGNATURE_HEADER],
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

/** What came back, or why nothing did. */
export interface Seen {
  status: number | null;
  error: string | null;
  durationMs: number;
}

export interface PostingLimits {
  clock: Clock;
  /** From the first byte sent to the last one read, in milliseconds of real time. */
  timeoutMs: number;
  /** How long slow senders and readers wait. */
  pauseMs: number;
  /** When it aborts, nothing more is sent. */
  gone: AbortSignal | undefined;
}

/** Sends one request over a connection of its own. Never rejects. */
export async function postToReceiver(route: Route, posting: Posting, limits: PostingLimits): Promise<Seen> {
  const { clock, timeoutMs, gone } = limits;
  const started = clock.real();
  const exchange = new Exchange(route, posting, limits);
  const leave = () => exchange.end(gone?.reason);
  gone?.addEventListener('abort', leave);
  const cancel = clock.after(timeoutMs, () => exchange.end(new Error(tooLate(timeoutMs))));
  try {
    const status = await exchange.answered;
    return { status, error: null, durationMs: clock.real() - started };
  } catch (error) {
    return { status: null, error: reasonOf(error), durationMs: clock.real() - started };
  } finally {
    cancel();
    gone?.removeEventListener('abort', leave);
  }
}

/** One request on its way, and its answer. */
class Exchange {
  /** Resolves with the status once the whole answer was read. */
  readonly answered: Promise<number>;
  readonly #request: ClientRequest;
  readonly #limits: PostingLimits;
  #ended: Error | undefined;

  constructor(route: Route, posting: Posting, limits: PostingLimits) {
    this.#limits = limits;
    this.#request = begin(route, posting);
    this.answered = new Promise((resolve, reject) => {
      this.#request.on('response', (response) => {
        this.#read(response, posting).then(() => resolve(response.statusCode ?? 0), reject);
      });
      // Once the answer has started, a receiver that hangs up on the rest of the body has said all.
      this.#request.on('error', (error) => reject(this.#ended ?? error));
    });
    void this.#write(posting);
  }

  end(reason: Error): void {
    this.#ended = reason;
    this.#request.destroy(reason);
  }

  async #write({ body, pieces = 1 }: Posting): Promise<void> {
    const length = Math.ceil(body.length / pieces);
    for (let piece = 0; piece < pieces; piece += 1) {
      if (this.#request.destroyed) return;
      this.#request.write(body.subarray(piece * length, (piece + 1) * length));
      if (pieces > 1) await this.#pause(this.#limits.pauseMs / pieces);
    }
    this.#request.end();
  }

  async #read(response: IncomingMessage, { readsLate = false }: Posting): Promise<void> {
    if (readsLate) await this.#pause(this.#limits.pauseMs);
    try {
      for await (const _chunk of response);
    } catch (error) {
      throw this.#ended ?? error;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#limits.clock.after(milliseconds, resolve));
  }
}

function begin(route: Route, { headers, body }: Posting): ClientRequest {
  // Loaded where it is needed: to begin with TLS costs each start 3 ms.
  const isSecure = route.target.protocol === 'https:';
  const send = isSecure ? process.getBuiltinModule('node:https').request : plainRequest;
  const request = send(route.target, {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-length': body.length },
    lookup: lookupOf(route),
    rejectUnauthorized: route.verifyCertificate,
  });
  request.setNoDelay(true);
  return request;
}

function tooLate(timeoutMs: number): string {
  return `no complete answer within ${timeoutMs / 1000} s`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return code === 'ECONNREFUSED' ? 'nothing listens there (ECONNREFUSED)' : error.message || code;
}

/** Throws `invalid_request` (url) for a receiver that may not be tried. */
export function routeTo(clock: Clock, { url, remote = false }: ReportCardOrder): Route {
  const guard = new UrlGuard({ clock, strict: false, forwards: new Map() });
  if (remote || !URL.canParse(url) || isLoopbackHost(bareHost(url))) return guard.route(url);
  throw invalid(
    'url',
    `url leads to ${new URL(url).host.slice(0, 200)}, and only receivers on this machine are tried unless remote is asked for.`,
  );
}

function bareHost(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Whose receiver is tried, and with what. */
export interface ReportCardOrder {
  url: string;
  /** The secret that the receiver verifies with. */
  secret: string;
  /** The event types it is to be ready for; by default all. */
  events?: readonly EventType[] | undefined;
  /** Whether it may be on another machine; then only at a public https address. */
  remote?: boolean | undefined;
  /** What one answer may take: by default 10 s, as with real deliveries. */
  timeoutSeconds?: number | undefined;
  /** Called after each check with the progress. */
  onCheck?: ((done: number, total: number) => void) | undefined;
  /** When it aborts, the card ends with its reason. */
  gone?: AbortSignal | undefined;
}
