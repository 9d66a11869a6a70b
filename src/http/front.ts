import type { Express, NextFunction, Request, Response } from 'express';
import type { Config } from '../config/config.ts';
import { EmulatorError } from '../errors.ts';
import { redactPath } from '../journal/redaction.ts';
import { noteControl } from '../record/note-control.ts';
import { INBOX_PATH } from '../webhooks/inbox.ts';
import { asksForPage } from './asks-for-page.ts';
import { bearerKey } from './authentication.ts';
import { NotedRequest } from './journal-entry.ts';
import { lingering } from './linger.ts';
import { isMeantForService, unknownPath } from './near-miss.ts';
import { answerCors, guardControl, refuseCrossSite } from './origin-rule.ts';
import { RequestStamp, requestStamp, stampRequest } from './request-stamp.ts';
import { sendError } from './send.ts';
import type { Subsystems } from './subsystems.ts';

/** Asks, with the value 1, where the story of a request is told; and answers that. */
const EXPLAIN = 'svc-emulator-explain';

/**
 * What every request passes first: its id, its Host, and who may ask from where. Answers whether it goes on; throws what
 * it is to be answered instead.
 */
export function passFront(
  emulator: Subsystems,
  request: Request,
  response: Response,
  controlToken: string | undefined,
): boolean {
  const { clock, random, journal } = emulator;
  const times = { received: clock.now(), began: clock.real(), volume: journal.volume };
  const stamp = new RequestStamp(random.requestId(), times);
  stampRequest(response, stamp);
  // The path that the router goes by: the target of a request may be a whole URL.
  const { path } = request;
  const isService = path.startsWith('/v1/');
  const isKept = isService || path.startsWith('/hooks/');
  if (isKept) keepJournal(emulator, request, response);
  // What is set on the response costs more than what is collected; only the service always answers by collecting.
  if (isService && !request.headers.origin) stamp.setHeader('x-request-id', stamp.requestId);
  else response.setHeader('x-request-id', stamp.requestId);
  stamp.baseUrl = emulator.hosts.baseUrl(request.headers.host ?? addressOf(request));
  if (isKept && request.headers[EXPLAIN] === '1') offerStory(stamp);
  if ((isService || path.startsWith('/cdn/')) && answerCors(emulator.config, request, response)) return false;
  if (isService) emulator.rateLimit?.show(knownKey(emulator, request), response);
  if (!isKept) guardOwn(emulator, request, response, controlToken);
  return true;
}

/** What a health probe of HTTP/1.0, which knows no Host, has connected to; a later version has to say it. */
function addressOf({ httpVersion, socket }: Request): string {
  const { localAddress = '', localPort } = socket;
  if (httpVersion !== '1.0') return '';
  const address = localAddress.replace(/^::ffff:/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** Lets to the emulator's own surface who may go there; open pages hear of what is changed. */
function guardOwn(emulator: Subsystems, request: Request, response: Response, token: string | undefined): void {
  const { path } = request;
  if (isPage(path)) guard(request, emulator.config, tokenForPage(request, token));
  if (!isControl(path)) return;
  guard(request, emulator.config, tokenFor(path, token));
  if (path.startsWith(`${INBOX_PATH}/`)) refuseCrossSite(request);
  if (isChange(request)) tellChange(emulator, request, response);
}

/** An inbox takes the token from its URL too: no sender of webhooks has a header for it. */
function guard(request: Request, { publicUrl }: Config, token: string | undefined): void {
  const asked = request.path.startsWith(`${INBOX_PATH}/`) ? request.query.token : undefined;
  guardControl(request, { publicUrl, token, given: typeof asked === 'string' ? asked : undefined });
}

/** The end of the line: a path that is none. What lacks /v1 only was for the service, and is on record as that. */
export function mountBack(app: Express, emulator: Subsystems, paths: readonly string[]): void {
  app.use((request: Request, response: Response) => {
    const { path } = request;
    if (!path.startsWith('/v1/') && isMeantForService(path, paths)) keepJournal(emulator, request, response);
    throw unknownPath(path, paths);
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    answerError(emulator, request, response, error);
  });
}

/** The one place where errors are answered. */
export function answerError(emulator: Subsystems, request: Request, response: Response, error: unknown): void {
  const known = requestFault(error);
  if (isBug(known)) {
    // Whoever has hung up ends what waits for them, and hears of nothing.
    if (response.destroyed) return;
    const { requestId } = requestStamp(response);
    emulator.log.error({ request_id: requestId, path: request.path, error: known }, 'a request failed by a bug');
  }
  if (isLateRead(known)) keepLateRead(emulator, request, response);
  if (isUnwanted(known) && !request.complete) {
    response.setHeader('connection', 'close');
    sendError(response, known, lingering(emulator.clock));
  } else sendError(response, known);
}

/** Says where the story of a request is told. */
function offerStory(stamp: RequestStamp): void {
  stamp.setHeader(EXPLAIN, `${stamp.baseUrl}/_emulator/explain/${stamp.requestId}`);
}

/** A read of the CDN is of no account, and kept only where it came too late: that is the client's doing. */
function keepLateRead(emulator: Subsystems, request: Request, response: Response): void {
  const accountId = emulator.served.ownerOf(request.originalUrl.split('?')[0] ?? '');
  if (accountId) requestStamp(response).facts.accountId = accountId;
  keepJournal(emulator, request, response);
}

function isUnwanted(error: unknown): boolean {
  return error instanceof EmulatorError && error.code === 'payload_too_large';
}

function isLateRead(error: unknown): boolean {
  return error instanceof EmulatorError && error.code === 'url_expired';
}

/** Whoever hangs up may still be charged: what it comes to belongs to the story. */
function keepJournal({ clock, journal, live, recording }: Subsystems, request: Request, response: Response): void {
  if (live.isAwake) tellBegun(live, request, requestStamp(response));
  response.on('close', () => {
    const stamp = requestStamp(response);
    const noted = new NotedRequest(request, response, clock.real());
    const note = () => {
      noted.close(response.statusCode);
      journal.note(noted);
      recording?.note(stamp.facts, answeredBy(response));
    };
    if (stamp.isAtWork) stamp.whenDone = note;
    else note();
  });
}

function tellBegun(live: Subsystems['live'], { method, originalUrl }: Request, stamp: RequestStamp): void {
  const path = redactPath(originalUrl).slice(0, 300);
  const { requestId: id, began } = stamp;
  live.tellBegun(id, () => ({ id, account_id: stamp.caller?.accountId ?? null, method, path, began }));
}

function answeredBy(response: Response): { status: number; retryAfter: number | undefined } {
  const after = response.getHeader('retry-after');
  return { status: response.statusCode, retryAfter: after === undefined ? undefined : Number(after) };
}

function isControl(path: string): boolean {
  return path.startsWith('/_emulator');
}

/** The dashboard and its pages. */
function isPage(path: string): boolean {
  return path === '/' || path.startsWith('/dashboard') || path.startsWith('/docs');
}

function isChange({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** What was changed is written down, and open pages hear of its resource: `accounts`, `clock`, `faults`. */
function tellChange(
  { live, record }: Subsystems,
  { path, method, originalUrl: url }: Request,
  response: Response,
): void {
  response.once('close', () => {
    const { statusCode: status, writableFinished } = response;
    const { body, answer } = requestStamp(response);
    noteControl(record, { method, url, status, cut: !writableFinished, body, answer });
    if (status < 400) live.tellControl(path.split('/')[2] ?? '');
  });
}

function tokenFor(path: string, token: string | undefined): string | undefined {
  return /^\/_emulator\/(?:health|ready)\/?$/.test(path) ? undefined : token;
}

/** The program of the page holds nothing that is anybody's, and is what asks a person for the token. */
function tokenForPage(request: Request, token: string | undefined): string | undefined {
  const isProgram = request.path.startsWith('/dashboard/assets/');
  return isProgram || asksForPage(request) ? undefined : token;
}

/** The key of a request, if it is a good one: what is left of its minute is told even where no key is needed. */
function knownKey({ accounts }: Subsystems, request: Request): string | undefined {
  const key = bearerKey(request.headers.authorization);
  return key && accounts.authenticate(key)?.keyId;
}

/** What Express itself throws for an unreadable path is the caller's fault. */
function requestFault(error: unknown): unknown {
  if (error instanceof URIError) {
    return new EmulatorError(
      'invalid_request',
      'The path is not valid percent-encoded UTF-8; encode it with encodeURIComponent.',
    );
  }
  return error;
}

function isBug(error: unknown): boolean {
  return !(error instanceof Error) || !('code' in error && typeof error.code === 'string' && 'headers' in error);
}
