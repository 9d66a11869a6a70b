import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import { invalid } from '../../base/errors.ts';
import type { EventType } from '../../engine/webhooks/event-schemas.ts';
import { lookupOf, type Route } from '../../engine/webhooks/send-delivery.ts';
import { isLoopbackHost, UrlGuard } from '../../engine/webhooks/url-guard.ts';
import type { Posting } from './receiver-kit.ts';

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
