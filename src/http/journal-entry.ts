import type { IncomingMessage, ServerResponse } from 'node:http';
import { unixSeconds } from '../clock/clock.ts';
import type { JournalEntry } from '../journal/journal.ts';
import { keptBytes } from '../journal/redaction.ts';
import type { RequestStamp } from './request-stamp.ts';

/** What the journal keeps of a request when its answer is out. */
export function journalEntry(
  request: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
  about: { stamp: RequestStamp; now: number },
): JournalEntry {
  const { stamp, now } = about;
  const { facts, caller, body } = stamp;
  return {
    id: stamp.requestId,
    account_id: caller?.accountId ?? null,
    key_id: caller?.keyId ?? null,
    method: request.method ?? '',
    path: request.originalUrl ?? request.url ?? '',
    operation: facts.operation ?? null,
    status: response.statusCode,
    created: unixSeconds(stamp.received),
    duration_ms: now - stamp.began,
    retry_count: Number(request.headers['x-stainless-retry-count'] ?? 0) || 0,
    credits: facts.credits ?? null,
    job_ids: facts.jobIds ?? [],
    request: body ? keptBytes(body) : null,
    answer: stamp.answer ?? null,
    ...(facts.enginePrompt ? { engine_prompt: facts.enginePrompt } : {}),
  };
}
