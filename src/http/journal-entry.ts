import type { IncomingMessage, ServerResponse } from 'node:http';
import { unixSeconds } from '../clock/clock.ts';
import type { JournalBodies, JournalFacts } from '../journal/journal.ts';
import { isKeptWhole, keptBody, keptBytes, keptPrompt, redact } from '../journal/redaction.ts';
import type { RequestStamp } from './request-stamp.ts';

/** What the journal keeps of a request when its answer is out. */
export function journalFacts(
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  { stamp, now }: { stamp: RequestStamp; now: number },
): JournalFacts {
  const { facts, caller } = stamp;
  return {
    id: stamp.requestId,
    account_id: caller?.accountId ?? null,
    key_id: caller?.keyId ?? null,
    method: request.method ?? '',
    path: redact(request.originalUrl ?? request.url ?? ''),
    operation: facts.operation ?? null,
    status: response.statusCode,
    created: unixSeconds(stamp.received),
    duration_ms: now - stamp.began,
    retry_count: Number(request.headers['x-stainless-retry-count'] ?? 0) || 0,
    credits: facts.credits ?? null,
    job_ids: facts.jobIds ?? [],
    // Of a body that is kept whole, the prompt can be told again.
    engine_prompt:
      facts.enginePrompt && stamp.body && !isKeptWhole(stamp.body)
        ? keptPrompt(facts.enginePrompt)
        : undefined,
  };
}

export function journalBodies({ body, answer }: RequestStamp): JournalBodies {
  return {
    request: body ? keptBytes(body) : null,
    answer: answer === undefined ? null : keptBody(answer),
  };
}
