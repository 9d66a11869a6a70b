import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import type { Config } from '../../base/config/config.ts';
import { EmulatorError, invalidRequestError } from '../../base/errors.ts';
import { countWithNoun } from '../../base/text.ts';

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|[^/]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

const ALLOWED_HEADERS = 'authorization, content-type, x-request-id, svc-emulator-explain';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, etag, content-range, accept-ranges, ratelimit-limit, ratelimit-remaining, ratelimit-reset, svc-emulator-warnings, svc-emulator-dropped, svc-emulator-credits-spent, svc-emulator-credits-remaining, svc-emulator-prompt-tokens, svc-emulator-completion-tokens, svc-emulator-explain';

export function handleCors(config: Config, request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  if (!origin) return false;
  response.setHeader('vary', 'Origin');
  if (!LOOPBACK_ORIGIN.test(origin) && !config.cors.includes(origin.toLowerCase())) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false;
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? ALLOWED_HEADERS,
  );
  response.setHeader('access-control-max-age', '600');
  response.statusCode = 204;
  response.end();
  return true;
}

/** The header of a call that a user starts in the dashboard. Such a call is recorded. */
const BY_HAND = 'svc-emulator-by-hand';

export function isBrowserPagePath(path: string): boolean {
  return path === '/' || path.startsWith('/dashboard') || path.startsWith('/docs');
}

/**
 * Whether a page of the dashboard or of the docs reads data for itself, so that journal and verdict do not record it.
 * Browsers send the page as `Referer`. A URL typed into a new tab has none, and is recorded.
 */
export function isReadByOwnPage({ method, headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { referer, host } = headers;
  if (referer === undefined || headers[BY_HAND] || (method !== 'GET' && method !== 'HEAD')) return false;
  const page = URL.canParse(referer) ? new URL(referer) : undefined;
  if (!page || !isBrowserPagePath(page.pathname)) return false;
  return page.host === host || isOwnOrigin(page.origin, [publicUrl]);
}

export function isOwnOrigin(origin: string, own: (string | undefined)[]): boolean {
  return own.some((url) => url !== undefined && new URL(url).origin === origin);
}

const LOOPBACK_NAME = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\]|host\.docker\.internal)$/;

const REMEMBERED = 1000;

/**
 * Accepts a request by its `Host`, and decides the base of the URLs in the response. If bound to loopback, it rejects
 * names that are neither local nor allowed, so that a web page cannot use its own name (DNS rebinding).
 */
export class HostHeaderGuard {
  readonly #config: Config;
  readonly #allowed: Set<string>;
  readonly #baseUrls = new Map<string, string>();
  #localUrl = '';

  constructor(config: Config) {
    this.#config = config;
    const publicHost = config.publicUrl ? [new URL(config.publicUrl).hostname] : [];
    this.#allowed = new Set([...publicHost, ...config.allowHost.map((host) => host.toLowerCase())]);
  }

  open(localUrl: string): void {
    this.#localUrl = localUrl;
  }

  get localUrl(): string {
    return this.#localUrl;
  }

  /**
   * Returns the base URL for a Host. Throws `forbidden_host`, or `invalid_request` for a Host that is not valid in a
   * URL.
   */
  requireHost(host: string): string {
    const known = this.#baseUrls.get(host);
    if (known) return known;
    const baseUrl = this.#judge(host);
    if (this.#baseUrls.size < REMEMBERED) this.#baseUrls.set(host, baseUrl);
    return baseUrl;
  }

  isOwn({ origin, host }: URL): boolean {
    return origin === this.#config.publicUrl || this.#baseUrls.has(host);
  }

  #judge(host: string): string {
    const url = parseHost(host);
    if (isLoopbackBind(this.#config.host) && !this.#isKnown(url.hostname)) {
      throw new EmulatorError(
        'forbidden_host',
        `The Host "${host.slice(0, 100)}" is not this machine. Use 127.0.0.1 or localhost, or start with --allow-host ${url.hostname.slice(0, 80)}.`,
      );
    }
    return this.#config.publicUrl ?? url.origin;
  }

  #isKnown(hostname: string): boolean {
    return LOOPBACK_NAME.test(hostname) || this.#allowed.has(hostname);
  }
}

export function isLoopbackBind(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

function parseHost(host: string): URL {
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  if (url && /^[^/?#@\\]+$/.test(host)) return url;
  throw invalidRequestError(
    null,
    `The Host header "${host.slice(0, 100)}" is not valid in a URL; send the host and port you connect to.`,
    'C184',
  );
}

const MINUTE = 60_000;

/** Limits the requests of a key in a calendar minute of the emulator's clock. */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #used = new Map<string, number>();
  #minute = 0;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  count(keyId: string, response: ServerResponse): void {
    this.#turn();
    const used = (this.#used.get(keyId) ?? 0) + 1;
    this.#used.set(keyId, used);
    this.show(keyId, response);
    if (used > this.#limit) throw limited(this.#limit, this.#reset());
  }

  show(keyId: string | undefined, response: ServerResponse): void {
    this.#turn();
    const used = keyId === undefined ? 0 : (this.#used.get(keyId) ?? 0);
    response.setHeader('ratelimit-limit', this.#limit);
    response.setHeader('ratelimit-remaining', Math.max(0, this.#limit - used));
    response.setHeader('ratelimit-reset', this.#reset());
  }

  start(): void {
    this.#used.clear();
  }

  #turn(): void {
    const minute = Math.floor(this.#clock.now() / MINUTE);
    if (minute !== this.#minute) this.#used.clear();
    this.#minute = minute;
  }

  #reset(): number {
    return Math.ceil(((this.#minute + 1) * MINUTE - this.#clock.now()) / 1000);
  }
}

function limited(limit: number, reset: number): EmulatorError {
  return new EmulatorError(
    'rate_limited',
    `This key has made its ${countWithNoun(limit, 'request')} of this minute (--rate-limit ${limit}); wait ${reset} s of the emulator's clock.`,
    { headers: { 'retry-after': String(reset) }, choice: 'C181' },
  );
}
