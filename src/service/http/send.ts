import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import { asStorageFull, EmulatorError, InjectedFault, InsufficientCredits } from '../../base/errors.ts';
import { applyChangeToHeaders, applyChangeToText } from '../../engine/faults/compatible-changes.ts';
import type { Context } from './context.ts';
import { choiceOf, printError } from './error-printer.ts';
import { requestContextOf, type ServiceRequest } from './request.ts';
import { recordRequest } from './request-record.ts';

/** A response other than JSON. Bytes and streams are in `replies.ts`. */
export abstract class Reply {
  /** `status` is that of the operation. Resolves when a stream has been sent. */
  abstract sendTo(response: ServerResponse, status: number): Promise<void> | void;
}

/** Only the CDN writes by itself. */
export function send(response: ServerResponse, answer: unknown, status: number): Promise<void> | void {
  if (answer instanceof Reply) return answer.sendTo(response, status);
  sendText(response, JSON.stringify(answer), status);
}

export class NoContentReply extends Reply {
  sendTo(response: ServerResponse): void {
    setStatusAndHeaders(response, 204);
    response.end();
  }
}

export type SendFailure = (request: ServiceRequest, response: ServerResponse, error: unknown) => void;

/** The only function that sends an error. */
export function sendRequestError(
  context: Context,
  request: ServiceRequest,
  response: ServerResponse,
  error: unknown,
): void {
  const { log, clock } = context;
  const known = requestError(error);
  if (isBug(known)) {
    // A client that hung up gets no response.
    if (response.destroyed) return;
    const { requestId } = requestContextOf(response);
    log.error({ request_id: requestId, path: request.path, error: known }, 'a request failed by a bug');
  }
  if (hasCode(known, 'url_expired')) recordLateRead(context, request, response);
  if (hasCode(known, 'payload_too_large') && !request.complete) {
    response.setHeader('connection', 'close');
    sendError(response, known, finishAfterBody(clock));
  } else sendError(response, known);
}

function hasCode(error: unknown, code: EmulatorError['code']): boolean {
  return error instanceof EmulatorError && error.code === code;
}

/** Express throws for an unreadable path, which is the caller's fault. A full disk is nobody's. */
function requestError(error: unknown): unknown {
  if (error instanceof URIError) {
    return new EmulatorError(
      'invalid_request',
      'The path is not valid percent-encoded UTF-8; encode it with encodeURIComponent.',
    );
  }
  return asStorageFull(error);
}

function isBug(error: unknown): boolean {
  return !(error instanceof Error) || !('code' in error && typeof error.code === 'string' && 'headers' in error);
}

/** How long the rest of a body is read, in milliseconds of real time. */
const GRACE_MS = 2_000;

/**
 * Sends the error at once, then reads and discards the rest of the body before closing. A client that is cut off while
 * it sends would not see the response [I209].
 */
function finishAfterBody(clock: Pick<Clock, 'after'>): Finish {
  return (response, text, encoding) => {
    const { req: request } = response;
    response.write(text, encoding);
    const end = () => {
      cancel();
      response.end();
    };
    const cancel = clock.after(GRACE_MS, end, end);
    request.once('end', end);
    request.once('close', end);
    request.resume();
  };
}

/** Reads of the CDN have no key. They are recorded only for an expired URL, which is the client's mistake. */
function recordLateRead(context: Context, request: ServiceRequest, response: ServerResponse): void {
  const accountId = context.storage.served.ownerOf(request.originalUrl.split('?')[0] ?? '');
  if (accountId) requestContextOf(response).annotations.accountId = accountId;
  recordRequest(context, request, response);
}

/** Cuts the connection if a response has already started. */
export function sendError(response: ServerResponse, error: unknown, finish = finishAtOnce): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = printError(error);
  const { code, message } = body.error;
  const left = error instanceof InsufficientCredits ? error.left : undefined;
  const asked = error instanceof InjectedFault && error.asked ? true : undefined;
  requestContextOf(response).annotations.error = { code, message, left, choice: choiceOf(error, code), asked };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendText(response, JSON.stringify(body), status, finish);
}

type Finish = (response: ServerResponse, text: string, encoding: 'latin1' | 'utf8') => void;

const finishAtOnce: Finish = (response, text, encoding) => response.end(text, encoding);

export function sendText(response: ServerResponse, whole: string, status: number, finish = finishAtOnce): void {
  const requestContext = requestContextOf(response);
  const { change } = requestContext;
  const text = applyChangeToText(whole, status, change);
  requestContext.answer = text;
  const length = Buffer.byteLength(text);
  const type = ['content-type', 'application/json; charset=utf-8'];
  const isChunked = change === 'chunked';
  writeHead(response, status, isChunked ? type : [...type, 'content-length', String(length)]);
  if (isChunked) response.write(text.slice(0, 1));
  finish(response, isChunked ? text.slice(1) : text, encodingOf(text, length));
}

/** Passing all headers at once is faster than setting them one by one. */
export function writeHead(response: ServerResponse, status: number, headers: string[]): void {
  const { change, headers: more } = requestContextOf(response);
  const all = [...headers, ...more];
  response.writeHead(status, change === 'headers' ? applyChangeToHeaders(all) : all);
}

export function setStatusAndHeaders(response: ServerResponse, status: number): void {
  response.statusCode = status;
  const { headers } = requestContextOf(response);
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
  }
}

/** ASCII is equal in both, and Latin-1 is copied, not encoded. */
export function encodingOf(text: string, length = Buffer.byteLength(text)): 'latin1' | 'utf8' {
  return length === text.length ? 'latin1' : 'utf8';
}

/** Without these headers, proxies keep a stream back until it ends: they buffer it, or compress it. */
export const STREAM_HEADERS = [
  ...['content-type', 'text/event-stream; charset=utf-8'],
  ...['cache-control', 'no-cache, no-transform'],
  ...['x-accel-buffering', 'no'],
];

/** Characters that wait for a slow client. Beyond them it is disconnected, and can reconnect. */
const MAX_UNREAD = 4 * 1_048_576;

/** Open until the client disconnects. `join` returns a function that ends it. */
export class BroadcastReply extends Reply {
  readonly join: (sink: { write(text: string): void; end(): void }) => () => void;

  constructor(join: BroadcastReply['join']) {
    super();
    this.join = join;
  }

  sendTo(response: ServerResponse): Promise<void> {
    writeHead(response, 200, STREAM_HEADERS);
    response.flushHeaders();
    return new Promise((resolve) => {
      const write = (text: string) => {
        response.write(text);
        if (response.writableLength > MAX_UNREAD) response.destroy();
      };
      const leave = this.join({ write, end: () => response.end() });
      const gone = () => {
        leave();
        resolve();
      };
      if (response.destroyed) gone();
      else response.once('close', gone);
    });
  }
}

/** Cannot occur inside a JSON string, where quotes are escaped. */
const EMPTY = '"b64_json":""';

/** `base64` is inserted into the empty `b64_json` of `body`, because checking megabytes for escapes would be slow. */
export class JsonWithBase64 extends Reply {
  readonly #body: object;
  readonly #base64: string;

  constructor(body: object, base64: string) {
    super();
    this.#body = body;
    this.#base64 = base64;
  }

  sendTo(response: ServerResponse, status: number): void {
    const text = JSON.stringify(this.#body);
    const at = text.indexOf(EMPTY) + EMPTY.length - 1;
    sendText(response, text.slice(0, at) + this.#base64 + text.slice(at), status);
  }
}
