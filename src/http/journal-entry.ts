import type { IncomingMessage, ServerResponse } from 'node:http';
import { unixSeconds } from '../clock/clock.ts';
import type { JournalBodies, JournalFacts } from '../journal/journal.ts';
import { isKeptWhole, keptBody, keptBytes, keptPrompt, redact, redactPath } from '../journal/redaction.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { RequestStamp } from './request-stamp.ts';

const NONE: string[] = [];

/** How things stood in the moment in which a request's connection was done with it. */
interface Ending {
  stamp: RequestStamp;
  now: number;
  status: number;
  /** All of the answer was sent. */
  isWhole: boolean;
}

/** What the journal keeps of a request. */
export function journalFacts(
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  { stamp, now, status, isWhole }: Ending,
): JournalFacts {
  const { facts, caller, headers } = stamp;
  const { charges } = facts;
  return {
    id: stamp.requestId,
    account_id: caller?.accountId ?? facts.accountId ?? null,
    key_id: caller?.keyId ?? null,
    method: request.method ?? '',
    path: redactPath(request.originalUrl ?? request.url ?? ''),
    operation: facts.operation ?? null,
    status,
    created: unixSeconds(stamp.received),
    began: stamp.began,
    received: stamp.received === stamp.began ? undefined : stamp.received,
    duration_ms: now - stamp.began,
    retry_count: Number(request.headers['x-stainless-retry-count'] ?? 0) || 0,
    credits: facts.credits ?? null,
    charges: charges ? charges.map(({ id }) => id) : NONE,
    job_ids: charges ? jobsOf(charges) : NONE,
    run_id: facts.runId,
    fault: facts.fault,
    fixture: headers.get('svc-emulator-fixture'),
    warnings: fields(headers.get('svc-emulator-warnings')),
    dropped: fields(headers.get('svc-emulator-dropped')),
    retry_after: status < 400 ? undefined : retryAfter(response),
    cut: isWhole ? undefined : true,
    // Of a body that is kept whole, the prompt can be told again.
    engine_prompt:
      facts.enginePrompt && stamp.body && !isKeptWhole(stamp.body) ? keptPrompt(facts.enginePrompt) : undefined,
  };
}

export function journalBodies({ body, answer }: RequestStamp): JournalBodies {
  return {
    request: body ? keptBytes(body) : null,
    answer: answer === undefined ? null : keptBody(answer),
  };
}

/** Names of fields are what the client sent too. */
function fields(list: string | undefined): string | undefined {
  return list && redact(list);
}

function jobsOf(charges: readonly Entry[]): string[] {
  return charges.flatMap(({ jobId }) => jobId ?? []);
}

function retryAfter(response: ServerResponse): number | undefined {
  const seconds = Number(response.getHeader('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
