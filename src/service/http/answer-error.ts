import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.ts';
import { asDiskError, EmulatorError } from '../../base/errors.ts';
import type { Context } from './context.ts';
import { requestContextOf, type ServiceRequest } from './request.ts';
import { recordRequest } from './request-record.ts';
import { type Finish, sendError } from './send.ts';

export type Fail = (request: ServiceRequest, response: ServerResponse, error: unknown) => void;

/** The only function that sends an error. */
export function answerError(context: Context, request: ServiceRequest, response: ServerResponse, error: unknown): void {
  const { log, clock } = context;
  const known = requestFault(error);
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
function requestFault(error: unknown): unknown {
  if (error instanceof URIError) {
    return new EmulatorError(
      'invalid_request',
      'The path is not valid percent-encoded UTF-8; encode it with encodeURIComponent.',
    );
  }
  return asDiskError(error);
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
