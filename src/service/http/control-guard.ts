import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../../base/config/config.ts';
import { EmulatorError } from '../../base/errors.ts';
import { INBOX_PATH } from '../../engine/webhooks/inboxes.ts';
import { isBrowserPagePath, isLoopbackBind, isOwnOrigin } from './access.ts';
import type { Context } from './context.ts';
import { type HttpRequest, requestContextOf } from './request.ts';

/**
 * Throws `forbidden_origin` for a request of a page of another origin, because a page can load an image without an
 * Origin header [I228].
 */
function refuseOtherPages({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  if (site !== 'cross-site' && site !== 'same-site') return;
  throw new EmulatorError(
    'forbidden_origin',
    `A page of another origin may not change anything here: the request is marked Sec-Fetch-Site: ${site}. Send it from a program.`,
  );
}

export function acceptsHtml({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') === true;
}

export function resolveControlToken(config: Config, made: () => string): string | undefined {
  return isLoopbackBind(config.host) ? undefined : (config.controlToken ?? made());
}

const COOKIE_NAME = 'svc_emulator_control_';
const COOKIE = /(?:^|; )svc_emulator_control_\d*=([^;]*)/g;

export function hasControlToken({ headers }: IncomingMessage, token: string, given?: string): boolean {
  if (sameText(headers.authorization ?? '', `Bearer ${token}`)) return true;
  if (given !== undefined && sameText(given, token)) return true;
  if (headers.cookie === undefined) return false;
  const wanted = encodeURIComponent(token);
  return [...headers.cookie.matchAll(COOKIE)].some(([, value = '']) => sameText(value, wanted));
}

/** The name contains the port, because all ports of a host share its cookies. */
export function controlTokenCookie(token: string, baseUrl: string): string {
  const { protocol, port } = new URL(baseUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${COOKIE_NAME}${port}=${encodeURIComponent(token)}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

export function guardControl(
  context: Context,
  ownToken: string | undefined,
  request: HttpRequest,
  response: ServerResponse,
): void {
  const { path, method } = request;
  const { config } = context;
  if (isBrowserPagePath(path)) guard(request, config, tokenForPage(request, ownToken));
  if (!path.startsWith('/_emulator')) return;
  guard(request, config, tokenFor(path, ownToken));
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || path.startsWith(`${INBOX_PATH}/`)) refuseOtherPages(request);
  if (!isRead) recordChange(context, request, response);
}

function recordChange({ records: { live, audit } }: Context, request: HttpRequest, response: ServerResponse): void {
  const { path, method, originalUrl: url } = request;
  response.once('close', () => {
    const { statusCode: status, writableFinished } = response;
    const { body, answer, annotations } = requestContextOf(response);
    const { accountId, ref } = annotations;
    audit.controlCalled({ method, url, status, cut: !writableFinished, body, answer, accountId, ref });
    if (status < 400) live.publishChange(path.split('/')[2] ?? '');
  });
}

function guard(request: HttpRequest, { publicUrl }: Config, token: string | undefined): void {
  const { origin, authorization, host } = request.headers;
  if (origin && !isOwnOrigin(origin, [`http://${host}`, `https://${host}`, publicUrl])) {
    throw new EmulatorError(
      'forbidden_origin',
      `A page of ${origin.slice(0, 100)} may not call control operations; call them from this machine, without an Origin header.`,
    );
  }
  // An inbox accepts the token in its URL, because many senders of webhooks cannot set a header.
  const asked = request.path.startsWith(`${INBOX_PATH}/`) ? request.query.token : undefined;
  if (token === undefined || hasControlToken(request, token, typeof asked === 'string' ? asked : undefined)) return;
  throw new EmulatorError(
    authorization ? 'invalid_api_key' : 'missing_api_key',
    'Beyond loopback, control operations require Authorization: Bearer and the control token, which was printed at the start or given with --control-token.',
  );
}

function tokenFor(path: string, token: string | undefined): string | undefined {
  return /^\/_emulator\/(?:health|ready)\/?$/.test(path) ? undefined : token;
}

/** Undefined (no token needed) for the page, which asks for the token, and its scripts, which contain no data. */
function tokenForPage(request: HttpRequest, token: string | undefined): string | undefined {
  const isProgram = request.path.startsWith('/dashboard/assets/');
  return isProgram || acceptsHtml(request) ? undefined : token;
}
