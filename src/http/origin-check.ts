import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { EmulatorError } from '../errors.ts';
import { isLoopbackBind } from './host-check.ts';

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|[^/]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

const COOKIE_NAME = 'svc_emulator_control_';
const COOKIE = /(?:^|; )svc_emulator_control_\d*=([^;]*)/g;

const ALLOWED_HEADERS = 'authorization, content-type, x-request-id, svc-emulator-explain';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, etag, content-range, accept-ranges, ratelimit-limit, ratelimit-remaining, ratelimit-reset, svc-emulator-warnings, svc-emulator-dropped, svc-emulator-credits-spent, svc-emulator-credits-remaining, svc-emulator-prompt-tokens, svc-emulator-completion-tokens, svc-emulator-explain';

/** Answers CORS for the service and the CDN. True when the request was a preflight and is answered. */
export function answerCors(config: Config, request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  if (!origin) return false;
  response.setHeader('vary', 'Origin');
  if (!LOOPBACK_ORIGIN.test(origin) && !config.cors.includes(origin)) return false;
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

/** The control surface is for programs on this machine; `given` is the token of the URL. Throws `forbidden_origin`, `missing_api_key` or `invalid_api_key`. */
export function guardControl(
  request: IncomingMessage,
  rule: { publicUrl: string | undefined; token: string | undefined; given?: string | undefined },
): void {
  const { origin, authorization, host } = request.headers;
  if (origin && !isOwnOrigin(origin, [`http://${host}`, rule.publicUrl])) {
    throw new EmulatorError(
      'forbidden_origin',
      `A page of ${origin.slice(0, 100)} may not use the control surface; call it from this machine, without an Origin header.`,
    );
  }
  const { token, given } = rule;
  if (token === undefined || bringsToken(request, token)) return;
  if (given !== undefined && sameText(given, token)) return;
  throw new EmulatorError(
    authorization ? 'invalid_api_key' : 'missing_api_key',
    'Bound beyond loopback, the control surface wants Authorization: Bearer and the control token that was printed at the start (or given with --control-token).',
  );
}

/** A picture in a page of another site is requested without an Origin, but browsers mark the request. Throws `forbidden_origin` [I228]. */
export function refuseCrossSite({ headers }: IncomingMessage): void {
  if (headers['sec-fetch-site'] !== 'cross-site') return;
  throw new EmulatorError(
    'forbidden_origin',
    'A page of another site may not fill an inbox: the request is marked Sec-Fetch-Site: cross-site. Send it from a program.',
  );
}

/** The dashboard marks a call that a person makes by hand with this header: it is recorded like any other. */
const BY_HAND = 'svc-emulator-by-hand';

/** Whether a path is the dashboard's or one of the pages beside it. */
export function isPage(path: string): boolean {
  return path === '/' || path.startsWith('/dashboard') || path.startsWith('/docs');
}

/**
 * Whether a page of the dashboard reads something for itself, such as a picture or the state of a job: no client did, so
 * neither journal nor verdict records it. Browsers send the page as Referer; a URL that is opened in a tab has none, and
 * is recorded.
 */
export function isPageRead({ method, headers }: IncomingMessage, publicUrl: string | undefined): boolean {
  const { referer, host } = headers;
  if (referer === undefined || headers[BY_HAND] || (method !== 'GET' && method !== 'HEAD')) return false;
  const page = URL.canParse(referer) ? new URL(referer) : undefined;
  if (!page || !isPage(page.pathname)) return false;
  return page.host === host || isOwnOrigin(page.origin, [publicUrl]);
}

/** Whether a request has the control token, in its header or in the cookie that the dashboard was given for it. */
export function bringsToken({ headers }: IncomingMessage, token: string): boolean {
  if (sameText(headers.authorization ?? '', `Bearer ${token}`)) return true;
  if (headers.cookie === undefined) return false;
  const wanted = encodeURIComponent(token);
  return [...headers.cookie.matchAll(COOKIE)].some(([, value = '']) => sameText(value, wanted));
}

/** The cookie that keeps the control token for one address; cookies of a host are those of all its ports. */
export function tokenCookie(token: string, baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${COOKIE_NAME}${port}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** A page may ask the very address it came from, be it the local or the public one. */
function isOwnOrigin(origin: string, own: (string | undefined)[]): boolean {
  return own.some((url) => url !== undefined && new URL(url).origin === origin);
}

/** The token that the control surface requires: none while it is reachable from this machine only. */
export function controlToken(config: Config, made: () => string): string | undefined {
  return isLoopbackBind(config.host) ? undefined : (config.controlToken ?? made());
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Whether a browser asks for a page, rather than a program for JSON. */
export function asksForPage({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}
