import type { ServerResponse } from 'node:http';
import type { Express, NextFunction } from 'express';
import type { Config } from '../config/config.ts';
import { EmulatorError } from '../errors.ts';
import { INBOX_PATH } from '../webhooks/inbox.ts';
import { bearerKey } from './auth.ts';
import type { Context } from './context.ts';
import { isMeantForService, unknownPath } from './did-you-mean.ts';
import { answerCors, asksForPage, guardControl, isPage, isPageRead, refuseCrossSite } from './origin-check.ts';
import { attachRequestContext, RequestContext, requestContextOf } from './request-context.ts';
import { RequestRecorder } from './request-recorder.ts';
import { sendError } from './send.ts';
import { finishAfterBody } from './server.ts';
import type { ServiceRequest } from './service-request.ts';

/** With the value 1 it asks for the URL of a request's explanation, which the same header of the answer has. */
const EXPLAIN = 'svc-emulator-explain';

/** The first checks of every request, and the answer to paths and errors that nothing else handles. */
export class Edge {
  readonly #context: Context;
  readonly #recorder: RequestRecorder;
  readonly #token: string | undefined;

  /** `token`: the one that the control surface requires, if any. */
  constructor(context: Context, token: string | undefined) {
    this.#context = context;
    this.#recorder = new RequestRecorder(context);
    this.#token = token;
  }

  /** Checks Host and origin, and creates the request context. Answers whether the request goes on; throws the error to answer. */
  pass(request: ServiceRequest, response: ServerResponse): boolean {
    const { clock, random, journal, hosts, config, rateLimit } = this.#context;
    const times = { received: clock.now(), began: clock.real(), volume: journal.volume };
    const requestContext = new RequestContext(random.requestId(), times);
    attachRequestContext(response, requestContext);
    // As the router reads it: the target of a request may be a whole URL.
    const { path } = request;
    const isService = path.startsWith('/v1/');
    const isKept = isService || path.startsWith('/hooks/');
    requestContext.isPageRead = isPageRead(request, config.publicUrl);
    if (isKept) this.#recorder.keep(request, response);
    // Setting a header on the response costs more than collecting it; only the service always sends the collected ones.
    if (isService && !request.headers.origin) requestContext.setHeader('x-request-id', requestContext.requestId);
    else response.setHeader('x-request-id', requestContext.requestId);
    requestContext.baseUrl = hosts.baseUrl(request.headers.host ?? addressOf(request));
    if (isKept && request.headers[EXPLAIN] === '1') offerExplanation(requestContext);
    if ((isService || path.startsWith('/cdn/')) && answerCors(config, request, response)) return false;
    if (isService) rateLimit?.show(this.#knownKey(request), response);
    if (!isKept) this.#guardOwn(request, response);
    return true;
  }

  /** Mounts the answers to unknown paths and to errors. A path that lacks only its /v1 is recorded as a request to the service. */
  mountBack(app: Express, known: () => readonly string[]): void {
    app.use((request: ServiceRequest, response: ServerResponse) => {
      const { path } = request;
      const paths = known();
      if (!path.startsWith('/v1/') && isMeantForService(path, paths)) this.#recorder.keep(request, response);
      throw unknownPath(path, paths);
    });
    app.use((error: unknown, request: ServiceRequest, response: ServerResponse, _next: NextFunction) => {
      this.answerError(request, response, error);
    });
  }

  /** Answers an error: the only function that does. */
  answerError(request: ServiceRequest, response: ServerResponse, error: unknown): void {
    const { log, clock } = this.#context;
    const known = requestFault(error);
    if (isBug(known)) {
      // A client that hung up ended the wait, and gets no answer.
      if (response.destroyed) return;
      const { requestId } = requestContextOf(response);
      log.error({ request_id: requestId, path: request.path, error: known }, 'a request failed by a bug');
    }
    if (isLateRead(known)) this.#recorder.keepLateRead(request, response);
    if (isUnwanted(known) && !request.complete) {
      response.setHeader('connection', 'close');
      sendError(response, known, finishAfterBody(clock));
    } else sendError(response, known);
  }

  /** Guards the emulator's own surface, and publishes its changes to open pages. */
  #guardOwn(request: ServiceRequest, response: ServerResponse): void {
    const { path } = request;
    const { config } = this.#context;
    if (isPage(path)) guard(request, config, tokenForPage(request, this.#token));
    if (!isControl(path)) return;
    guard(request, config, tokenFor(path, this.#token));
    if (path.startsWith(`${INBOX_PATH}/`)) refuseCrossSite(request);
    if (isChange(request)) this.#recorder.noteChange(request, response);
  }

  /** The key of a request, if it is valid: what is left of its rate limit is shown even where no key is needed. */
  #knownKey(request: ServiceRequest): string | undefined {
    const key = bearerKey(request.headers.authorization);
    return key && this.#context.accounts.authenticate(key)?.keyId;
  }
}

/** The address that a health probe of HTTP/1.0 connected to, which has no Host; later versions require one. */
function addressOf({ httpVersion, socket }: ServiceRequest): string {
  const { localAddress = '', localPort } = socket;
  if (httpVersion !== '1.0') return '';
  const address = localAddress.replace(/^::ffff:/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** An inbox takes the token from its URL too: no sender of webhooks has a header for it. */
function guard(request: ServiceRequest, { publicUrl }: Config, token: string | undefined): void {
  const asked = request.path.startsWith(`${INBOX_PATH}/`) ? request.query.token : undefined;
  guardControl(request, { publicUrl, token, given: typeof asked === 'string' ? asked : undefined });
}

function offerExplanation(requestContext: RequestContext): void {
  requestContext.setHeader(EXPLAIN, `${requestContext.baseUrl}/_emulator/explain/${requestContext.requestId}`);
}

function isUnwanted(error: unknown): boolean {
  return error instanceof EmulatorError && error.code === 'payload_too_large';
}

function isLateRead(error: unknown): boolean {
  return error instanceof EmulatorError && error.code === 'url_expired';
}

function isControl(path: string): boolean {
  return path.startsWith('/_emulator');
}

function isChange({ method }: ServiceRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function tokenFor(path: string, token: string | undefined): string | undefined {
  return /^\/_emulator\/(?:health|ready)\/?$/.test(path) ? undefined : token;
}

/** The scripts of the dashboard hold no data, and ask for the token themselves. */
function tokenForPage(request: ServiceRequest, token: string | undefined): string | undefined {
  const isProgram = request.path.startsWith('/dashboard/assets/');
  return isProgram || asksForPage(request) ? undefined : token;
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
