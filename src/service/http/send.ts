import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import { EmulatorError, InsufficientCreditsError, ResponseError, translateDiskError } from '../../base/errors.ts';
import { applyChangeToHeaders, applyChangeToText } from '../../engine/faults/compatible-changes.ts';
import type { Context } from './context.ts';
import { choiceOfError, toErrorResponse } from './error-response.ts';
import { type HttpRequest, requestContextOf } from './request.ts';
import { recordRequest } from './request-record.ts';

export abstract class Reply {
  /** `status` is the success status of the operation. For a stream, the promise resolves once the stream was sent. */
  abstract sendTo(response: ServerResponse, status: number): Promise<void> | void;
}

export function send(response: ServerResponse, answer: unknown, status: number): Promise<void> | void {
  if (answer instanceof Reply) return answer.sendTo(response, status);
  sendJsonText(response, JSON.stringify(answer), status);
}

export class NoContentReply extends Reply {
  sendTo(response: ServerResponse): void {
    setStatusAndContextHeaders(response, 204);
    response.end();
  }
}

export type ErrorSender = (request: HttpRequest, response: ServerResponse, error: unknown) => void;

export function logAndSendError(
  context: Context,
  request: HttpRequest,
  response: ServerResponse,
  error: unknown,
): void {
  const { log, clock } = context;
  const known = requestError(error);
  if (isBug(known)) {
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

/** Express throws a `URIError` for an unreadable path, which is a mistake of the caller. */
function requestError(error: unknown): unknown {
  if (error instanceof URIError) {
    return new EmulatorError(
      'invalid_request',
      'The path is not valid percent-encoded UTF-8; encode it with encodeURIComponent.',
    );
  }
  return translateDiskError(error);
}

/** An error without a code and headers is a bug, because all known errors have both. */
function isBug(error: unknown): boolean {
  return !(error instanceof Error) || !('code' in error && typeof error.code === 'string' && 'headers' in error);
}

const GRACE_MS = 2_000;

/**
 * Ends the response after the request was received, or after 2 s. A client that is still sending might otherwise not
 * see the error [I209].
 */
function finishAfterBody(clock: Pick<Clock, 'after'>): Finish {
  return (response, text) => {
    const { req: request } = response;
    response.write(text);
    const end = () => {
      cancel();
      response.end();
    };
    // Ends the response earlier if the clock is cleared, as at a stop, a reset or a restore.
    const cancel = clock.after(GRACE_MS, end, end);
    request.once('end', end);
    request.once('close', end);
    request.resume();
  };
}

/**
 * Records a read of an expired URL in the journal, because it is a mistake of the client. The journal has no other
 * reads of files.
 */
function recordLateRead(context: Context, request: HttpRequest, response: ServerResponse): void {
  const accountId = context.storage.served.ownerOf(request.originalUrl.split('?')[0] ?? '');
  if (accountId) requestContextOf(response).annotations.accountId = accountId;
  recordRequest(context, request, response);
}

export function sendError(response: ServerResponse, error: unknown, finish = finishAtOnce): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = toErrorResponse(error);
  const { code, message } = body.error;
  const left = error instanceof InsufficientCreditsError ? error.left : undefined;
  const asked = error instanceof ResponseError && error.asked ? true : undefined;
  requestContextOf(response).annotations.error = { code, message, left, choice: choiceOfError(error, code), asked };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendJsonText(response, JSON.stringify(body), status, finish);
}

type Finish = (response: ServerResponse, text: string) => void;

const finishAtOnce: Finish = (response, text) => response.end(text);

export function sendJsonText(response: ServerResponse, whole: string, status: number, finish = finishAtOnce): void {
  const requestContext = requestContextOf(response);
  const { change } = requestContext;
  const text = applyChangeToText(whole, status, change);
  requestContext.answer = text;
  const type = ['content-type', 'application/json; charset=utf-8'];
  const isChunked = change === 'chunked';
  writeHead(response, status, isChunked ? type : [...type, 'content-length', String(Buffer.byteLength(text))]);
  if (isChunked) response.write(text.slice(0, 1));
  finish(response, isChunked ? text.slice(1) : text);
}

/** Writes the collected headers in one call, because setting them one by one adds 5 % to the CPU time of a chat. */
export function writeHead(response: ServerResponse, status: number, headers: string[]): void {
  const { change, headers: more } = requestContextOf(response);
  const all = [...headers, ...more];
  response.writeHead(status, change === 'headers' ? applyChangeToHeaders(all) : all);
}

export function setStatusAndContextHeaders(response: ServerResponse, status: number): void {
  response.statusCode = status;
  const { headers } = requestContextOf(response);
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
  }
}

/** Without these headers, proxies may buffer or compress a stream. */
export const STREAM_HEADERS = [
  ...['content-type', 'text/event-stream; charset=utf-8'],
  ...['cache-control', 'no-cache, no-transform'],
  ...['x-accel-buffering', 'no'],
];

const MAX_UNREAD = 4 * 1_048_576;

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

/** This text cannot occur inside a JSON string, where quotes are escaped. */
const EMPTY = '"b64_json":""';

/**
 * Inserts `base64` into the empty `b64_json` of `body`. Checking megabytes for escapes would add 22 % to the CPU time
 * of an image that is rendered already.
 */
export class JsonWithBase64Reply extends Reply {
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
    sendJsonText(response, text.slice(0, at) + this.#base64 + text.slice(at), status);
  }
}
