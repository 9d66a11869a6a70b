import type { ServerResponse } from 'node:http';
import { unixSeconds } from '../../base/clock/clock.ts';
import { sumChargedCredits } from '../../engine/generation/place-order.ts';
import type { RecordBuilder, RecordWithBodies } from '../../engine/journal/journal-record.ts';
import type { LiveFeed } from '../../engine/journal/live-feed.ts';
import {
  RECORDED_BODY_LIMIT,
  redact,
  redactBody,
  redactBytes,
  redactOptional,
  redactPath,
  redactPrompt,
} from '../../engine/journal/redaction.ts';
import type { JournalRecord } from '../../engine/journal/request-schemas.ts';
import type { Context } from './context.ts';
import { type HttpRequest, type RequestContext, requestContextOf } from './request.ts';

/** Waits for the end of the work, because a request whose client has disconnected may still be charged. */
export function recordRequest(context: Context, request: HttpRequest, response: ServerResponse): void {
  const requestContext = requestContextOf(response);
  if (requestContext.isOwnPageRead) return;
  const { clock } = context;
  const { journal, live } = context.records;
  if (live.isAwake) publishStarted(live, request, requestContext);
  response.on('close', () => {
    const noted = new NotedRequest(request, response, clock.real());
    const note = () => {
      noted.finish(response.statusCode);
      journal.note(noted);
    };
    if (requestContext.isAtWork) requestContext.whenDone = note;
    else note();
  });
}

function publishStarted(live: LiveFeed, { method, originalUrl }: HttpRequest, requestContext: RequestContext): void {
  const path = redactPath(originalUrl).slice(0, 300);
  const { requestId: id, began } = requestContext;
  live.publishStarted(id, () => ({ id, account_id: requestContext.caller?.accountId ?? null, method, path, began }));
}

const NONE: string[] = [];

/** Must not keep the request, the response or a long request body in memory. */
class NotedRequest implements RecordBuilder {
  readonly #requestContext: RequestContext;
  readonly #ended: number;
  readonly #method: string;
  readonly #url: string;
  readonly #retryCount: unknown;
  #status: number;
  readonly #retryAfter: unknown;
  readonly #isWhole: boolean;
  #shortenedBody: string | undefined;

  /** `ended` is the machine's time, in milliseconds. */
  constructor(request: HttpRequest, response: ServerResponse, ended: number) {
    const requestContext = requestContextOf(response);
    this.#requestContext = requestContext;
    this.#method = request.method;
    this.#url = request.originalUrl;
    this.#retryCount = request.headers['x-stainless-retry-count'];
    this.#status = response.statusCode;
    this.#retryAfter = response.statusCode < 400 ? undefined : response.getHeader('retry-after');
    this.#isWhole = response.writableFinished;
    this.#ended = ended;
  }

  /** Takes the final status, because the connection may have closed before the operation ended. */
  finish(status: number): void {
    this.#status = status;
    const { body } = this.#requestContext;
    if (!body || body.length <= RECORDED_BODY_LIMIT) return;
    this.#shortenedBody = redactBytes(body);
    this.#requestContext.body = undefined;
  }

  get journalEpoch(): number {
    return this.#requestContext.journalEpoch;
  }

  record(): RecordWithBodies {
    const { body, answer } = this.#requestContext;
    const request = this.#shortenedBody ?? (body ? redactBytes(body) : null);
    return {
      record: this.#journalRecord(),
      bodies: { request, answer: answer === undefined ? null : redactBody(answer) },
    };
  }

  #journalRecord(): JournalRecord {
    const { requestId, annotations, caller, order, received, began } = this.#requestContext;
    const { error } = annotations;
    const charges = order?.charges;
    return {
      id: requestId,
      account_id: caller?.accountId ?? annotations.accountId ?? null,
      key_id: caller?.keyId ?? null,
      method: this.#method,
      path: redactPath(this.#url),
      operation: annotations.operation ?? null,
      status: this.#status,
      created: unixSeconds(received),
      began,
      received: received === began ? undefined : received,
      duration_ms: this.#ended - began,
      retry_count: Number(this.#retryCount) || 0,
      credits: creditsOf(this.#requestContext),
      charges: charges ? charges.map(({ id }) => id) : NONE,
      job_ids: charges ? charges.flatMap(({ jobId }) => jobId ?? []) : NONE,
      run_id: annotations.runId,
      fault: annotations.fault,
      other_faults: annotations.otherFaults,
      fixture: this.#requestContext.header('svc-emulator-fixture'),
      // Redacted, because a client may have put a secret into the name of a field.
      warnings: redactOptional(this.#requestContext.header('svc-emulator-warnings')),
      dropped: redactOptional(this.#requestContext.header('svc-emulator-dropped')),
      retry_after: seconds(this.#retryAfter),
      cut: this.#isWhole ? undefined : true,
      // The model and the prompt are recorded only if the body is not kept in full, because otherwise they follow from
      // the body.
      model: this.#shortenedBody && charges?.[0]?.model,
      engine_prompt:
        annotations.enginePrompt && this.#shortenedBody !== undefined
          ? redactPrompt(annotations.enginePrompt)
          : undefined,
      error: error?.code,
      error_message: error && redact(error.message),
      left: error?.left,
      choice: error?.choice,
      asked: error?.asked,
      // True if the recorded body is shorter than that of the request.
      request_cut: this.#shortenedBody === undefined ? undefined : true,
      bytes: annotations.bytes,
      form: annotations.form,
      streamed: annotations.streamed,
      shown: annotations.shownJobs?.map(({ id, status }) => ({ id, status })),
    };
  }
}

/** Null for a request without an order, and for one that returned an error, even if a fault rule caused the error. */
function creditsOf({ order, annotations }: RequestContext): number | null {
  return order && !annotations.error ? sumChargedCredits(order.charges) : null;
}

function seconds(header: unknown): number | undefined {
  const number = Number(header ?? Number.NaN);
  return Number.isFinite(number) ? number : undefined;
}
