import type { ServerResponse } from 'node:http';
import { redactPath } from '../journal/redaction.ts';
import { noteControl } from '../record/note-control.ts';
import type { Context } from './context.ts';
import { NotedRequest } from './journal-entry.ts';
import { type RequestContext, requestContextOf } from './request-context.ts';
import type { ServiceRequest } from './service-request.ts';

/** Writes down what is asked and changed, but for the dashboard's own reads, and tells open pages of it. */
export class RequestRecorder {
  readonly #parts: Context;

  constructor(parts: Context) {
    this.#parts = parts;
  }

  /** Whoever hangs up may still be charged: what it comes to belongs to the story. */
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

  /** A read of the CDN is of no account, and kept only where it came too late: that is the client's doing. */
  keepLateRead(request: ServiceRequest, response: ServerResponse): void {
    const accountId = this.#parts.served.ownerOf(request.originalUrl.split('?')[0] ?? '');
    if (accountId) requestContextOf(response).facts.accountId = accountId;
    this.keep(request, response);
  }

  /** What was changed is written down, and open pages hear of its resource: `accounts`, `clock`, `faults`. */
  tellChange({ path, method, originalUrl: url }: ServiceRequest, response: ServerResponse): void {
    const { live, record } = this.#parts;
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      const { body, answer } = requestContextOf(response);
      noteControl(record, { method, url, status, cut: !writableFinished, body, answer });
      if (status < 400) live.tellControl(path.split('/')[2] ?? '');
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
