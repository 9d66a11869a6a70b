import type { ServerResponse } from 'node:http';
import { redactPath } from '../journal/redaction.ts';
import type { Context } from './context.ts';
import { NotedRequest } from './journal-entry.ts';
import { type RequestContext, requestContextOf } from './request-context.ts';
import type { ServiceRequest } from './service-request.ts';

/** Records requests and changes, except the dashboard's own reads, and publishes them to open pages. */
export class RequestRecorder {
  readonly #parts: Context;

  constructor(parts: Context) {
    this.#parts = parts;
  }

  /** A client that hangs up may still be charged: the request is recorded once its work is done. */
  keep(request: ServiceRequest, response: ServerResponse): void {
    if (requestContextOf(response).isPageRead) return;
    const { clock, journal, live, recording } = this.#parts;
    if (live.isAwake) this.#publishStarted(request, requestContextOf(response));
    response.on('close', () => {
      const requestContext = requestContextOf(response);
      const noted = new NotedRequest(request, response, clock.real());
      const note = () => {
        noted.close(response.statusCode);
        journal.note(noted);
        recording?.note(requestContext.facts, answeredBy(response));
      };
      if (requestContext.isAtWork) requestContext.whenDone = note;
      else note();
    });
  }

  /** Reads of the CDN have no key, and are recorded only where the URL has expired, which is the client's mistake. */
  keepLateRead(request: ServiceRequest, response: ServerResponse): void {
    const accountId = this.#parts.served.ownerOf(request.originalUrl.split('?')[0] ?? '');
    if (accountId) requestContextOf(response).facts.accountId = accountId;
    this.keep(request, response);
  }

  /** Records a change, and publishes the resource that changed to open pages: `accounts`, `clock`, `faults`. */
  noteChange({ path, method, originalUrl: url }: ServiceRequest, response: ServerResponse): void {
    const { live, audit } = this.#parts;
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      const { body, answer } = requestContextOf(response);
      audit.controlCalled({ method, url, status, cut: !writableFinished, body, answer });
      if (status < 400) live.publishChange(path.split('/')[2] ?? '');
    });
  }

  #publishStarted({ method, originalUrl }: ServiceRequest, requestContext: RequestContext): void {
    const path = redactPath(originalUrl).slice(0, 300);
    const { requestId: id, began } = requestContext;
    this.#parts.live.publishStarted(id, () => ({
      id,
      account_id: requestContext.caller?.accountId ?? null,
      method,
      path,
      began,
    }));
  }
}

function answeredBy(response: ServerResponse): { status: number; retryAfter: number | undefined } {
  const after = response.getHeader('retry-after');
  return { status: response.statusCode, retryAfter: after === undefined ? undefined : Number(after) };
}
