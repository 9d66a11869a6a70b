import type { ServerResponse } from 'node:http';
import { redactPath } from '../journal/redaction.ts';
import { noteControl } from '../record/note-control.ts';
import { NotedRequest } from './journal-entry.ts';
import { type RequestStamp, requestStamp } from './request-stamp.ts';
import type { ServiceRequest } from './service-request.ts';
import type { Needs } from './subsystems.ts';

type KeeperParts = Needs<'clock' | 'journal' | 'live' | 'record' | 'recording' | 'served'>;

/** Writes down what is asked and changed, and tells open pages of it. */
export class RequestKeeper {
  readonly #parts: KeeperParts;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Whoever hangs up may still be charged: what it comes to belongs to the story. */
  keep(request: ServiceRequest, response: ServerResponse): void {
    const { clock, journal, live, recording } = this.#parts;
    if (live.isAwake) this.#tellBegun(request, requestStamp(response));
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

  /** A read of the CDN is of no account, and kept only where it came too late: that is the client's doing. */
  keepLateRead(request: ServiceRequest, response: ServerResponse): void {
    const accountId = this.#parts.served.ownerOf(request.originalUrl.split('?')[0] ?? '');
    if (accountId) requestStamp(response).facts.accountId = accountId;
    this.keep(request, response);
  }

  /** What was changed is written down, and open pages hear of its resource: `accounts`, `clock`, `faults`. */
  tellChange({ path, method, originalUrl: url }: ServiceRequest, response: ServerResponse): void {
    const { live, record } = this.#parts;
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      const { body, answer } = requestStamp(response);
      noteControl(record, { method, url, status, cut: !writableFinished, body, answer });
      if (status < 400) live.tellControl(path.split('/')[2] ?? '');
    });
  }

  #tellBegun({ method, originalUrl }: ServiceRequest, stamp: RequestStamp): void {
    const path = redactPath(originalUrl).slice(0, 300);
    const { requestId: id, began } = stamp;
    this.#parts.live.tellBegun(id, () => ({
      id,
      account_id: stamp.caller?.accountId ?? null,
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
