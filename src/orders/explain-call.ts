import { isoTime } from '../clock/clock.ts';
import type { Directives } from '../faults/directives.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { counted } from '../log/counted.ts';
import type { Step, Story } from './story.ts';

export function receivedStep({ entry }: Story): Step {
  const { method, path, account_id, key_id, began, created, retry_count } = entry;
  const who = account_id === null ? 'nobody that is known' : account_id;
  const again = retry_count > 0 ? ` It is try ${retry_count + 1}, as the client says.` : '';
  return {
    step: 'received',
    text: `${method} ${path} of ${who} came at ${isoTime(began)}.${again}`,
    received_at: isoTime(began),
    created,
    account_id,
    key_id,
    retry_count,
  };
}

/** What was made of the fields: which were ignored, and which the engine does not know. */
export function validatedStep({ entry, operation }: Story): Step {
  const ignored = fieldsOf(entry.warnings);
  const dropped = fieldsOf(entry.dropped);
  if (!operation) {
    const reason = errorOf(entry)?.message ?? `It was answered ${entry.status}.`;
    return { step: 'refused', text: `It never came to an operation: ${reason}` };
  }
  const parts = [
    `The request is a good ${operation.name}.`,
    ignored.length > 0 ? `Ignored: ${ignored.join(', ')}.` : '',
    dropped.length > 0 ? `Dropped, since the engine does not know it: ${dropped.join(', ')}.` : '',
  ].filter(Boolean);
  const text = parts.length > 1 ? parts.join(' ') : `${parts[0]} Nothing was ignored or dropped.`;
  return { step: 'validated', text, operation: operation.name, ignored, dropped };
}

export function directivesStep({ target, operation }: Story): Step | undefined {
  if (!operation?.body) return undefined;
  if (!target) {
    return { step: 'directives', text: 'The body is too long to be kept whole: look there.' };
  }
  const said = directivesInWords(target.directives);
  if (said.length === 0) return { step: 'directives', text: 'No text carries a directive.' };
  return {
    step: 'directives',
    text: `The texts ask for ${said.join(', ')}.`,
    directives: target.directives,
  };
}

function directivesInWords({ fail, block, slowSeconds, status }: Directives): string[] {
  return [
    fail ? `a failure (${fail.code}${fail.take ? ` of take ${fail.take}` : ''})` : '',
    block ? `a refusal of the ${block}` : '',
    slowSeconds === undefined ? '' : `${slowSeconds} s of work at least`,
    status === undefined ? '' : `the status ${status}`,
  ].filter(Boolean);
}

export function answeredStep({ entry }: Story): Step {
  const { status, duration_ms, cut, fixture, retry_after } = entry;
  const error = errorOf(entry);
  const how = status === 0 ? 'with a reset of the connection' : `with ${status}`;
  const parts = [
    `Answered ${how} after ${duration_ms} ms.`,
    error ? `${error.code}: ${error.message}` : '',
    cut && status !== 0 ? 'The connection was over before the answer was.' : '',
    retry_after === undefined ? '' : `Retry-After: ${counted(retry_after, 'second')}.`,
  ].filter(Boolean);
  const facts = { fixture: fixture ?? null, retry_after: retry_after ?? null };
  return { step: 'answered', text: parts.join(' '), status, cut: cut ?? false, ...facts };
}

/** What an answer said was wrong. */
export function errorOf({
  error,
  error_message = '',
}: Pick<JournalEntry, 'error' | 'error_message'>): { code: string; message: string } | undefined {
  return error === undefined ? undefined : { code: error, message: error_message };
}

function fieldsOf(list: string | undefined): string[] {
  return list ? list.split(',').map(decoded) : [];
}

function decoded(field: string): string {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
}
