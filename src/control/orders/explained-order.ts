import { isoTime, unixSeconds } from '../../base/clock/clock.ts';
import { choiceOfDropped, choiceOfWarning, entriesOf } from '../../base/package/choice-table.ts';
import { counted } from '../../base/text.ts';
import type { Directives } from '../../engine/faults/directives.ts';
import { type FaultRule, type FaultTarget, misfits } from '../../engine/faults/fault-rule.ts';
import { faultsFacing } from '../../engine/faults/fault-store.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import { HOOKS, SERVICE } from '../../service/api/routes.ts';
import { targetOf } from '../../service/faults/under-faults.ts';
import type { Scriptable } from '../../service/fixtures/fixture-schema.ts';
import type { Context } from '../../service/http/context.ts';
import { mistypedIn } from '../../service/http/directed-text.ts';
import type { Operation } from '../../service/http/operation.ts';
import type { PaidEntry } from '../paid-entry.ts';
import { errorOf, type OrderRecords } from './order-records.ts';

/** A charge, and what gave it back. */
export interface RefundedCharge {
  charge: PaidEntry;
  refund: PaidEntry | undefined;
}

/** The records of an order that a request began, with the request as its operation reads it. */
export interface ExplainedOrder extends Pick<OrderRecords, 'deliveries' | 'run'> {
  context: Context;
  entry: JournalEntry;
  /** Undefined where the request was refused before an operation was chosen. */
  operation: Operation | undefined;
  /** The body as its operation reads it; undefined where it is not JSON, broken, or longer than the journal keeps. */
  body: unknown;
  /** The request as fault rules see it, where there is a body or none is wanted. */
  target: FaultTarget | undefined;
  /** Of the request itself: the steps of a run that it started have their own. */
  charges: RefundedCharge[];
  jobs: Job[];
  events: StoredEvent[];
}

/** One step of what became of a request; the fields beside the text are the same as data. */
export interface ExplainedStep {
  step: string;
  text: string;
  [more: string]: unknown;
}

const OPERATIONS = new Map([...SERVICE, ...HOOKS].map((each) => [each.name, each]));

export function explainedOrder(
  context: Context,
  { request: entry, ...records }: OrderRecords & { request: JournalEntry },
): ExplainedOrder {
  const operation = OPERATIONS.get(entry.operation ?? '');
  const body = operation?.body && readBody(operation, entry);
  const isSeen = operation && (operation.body === undefined || body !== undefined);
  const accountId = entry.account_id ?? '';
  const [path = ''] = entry.path.split('?');
  const { entries, deliveries, run } = records;
  const jobs = records.jobs.filter(({ id }) => entry.job_ids.includes(id));
  const events = records.events.filter(({ jobId, runId }) => (jobId ? entry.job_ids.includes(jobId) : runId !== null));
  return {
    context,
    entry,
    operation,
    body,
    target: isSeen
      ? targetOf({ catalogue: context.generation.catalogue, body }, operation, { surface: 'service', path, accountId })
      : undefined,
    charges: entry.charges.flatMap((id) => chargeOf(entries, id) ?? []),
    jobs,
    events,
    deliveries: deliveries.filter(({ eventId }) => events.some(({ id }) => id === eventId)),
    run,
  };
}

function chargeOf(entries: readonly PaidEntry[], id: string): RefundedCharge | undefined {
  const charge = entries.find((each) => each.id === id);
  return charge && { charge, refund: entries.find(({ refundOf }) => refundOf === id) };
}

function readBody({ body }: Operation, { request, request_cut }: JournalEntry): unknown {
  if (request === null || request_cut) return undefined;
  try {
    const read = body?.safeParse(JSON.parse(request));
    return read?.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

export function receivedStep({ entry }: ExplainedOrder): ExplainedStep {
  const { method, path, account_id, key_id, began, created, retry_count } = entry;
  const who = account_id === null ? 'an unknown account' : account_id;
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

/** What became of the fields: which were ignored, and which the engine does not know. */
export function validatedStep({ entry, operation }: ExplainedOrder): ExplainedStep {
  const ignored = entriesOf(entry.warnings);
  const dropped = entriesOf(entry.dropped);
  if (!operation) {
    const reason = errorOf(entry)?.message ?? `It returned ${entry.status}.`;
    return { step: 'refused', text: `It never came to an operation: ${reason}${choiceIn(entry.choice)}` };
  }
  const parts = [
    `The request is a good ${operation.name}.`,
    ignored.length > 0 ? `Ignored: ${named(ignored, choiceOfWarning)}.` : '',
    dropped.length > 0 ? `Dropped, since the engine does not know it: ${named(dropped, choiceOfDropped)}.` : '',
  ].filter(Boolean);
  const text = parts.length > 1 ? parts.join(' ') : `${parts[0]} Nothing was ignored or dropped.`;
  return { step: 'validated', text, operation: operation.name, ignored, dropped };
}

export function directivesStep({ target, operation, body }: ExplainedOrder): ExplainedStep | undefined {
  if (!operation?.body) return undefined;
  if (!target) {
    return { step: 'directives', text: 'The body is too long to be kept whole: look there.' };
  }
  const { directives } = target;
  const said = directivesInWords(directives);
  const asked = said.length > 0 ? `The texts ask for ${said.join(', ')}.` : 'No text carries a directive.';
  const mistyped = operation.paid ? mistypedIn(body) : [];
  if (mistyped.length === 0) return { step: 'directives', text: asked, directives };
  const faults = mistyped.map(
    ({ field, written, nearest }) =>
      `[[${written}]] in ${field} is not a directive and had no effect; the closest is [[${nearest}]].`,
  );
  return { step: 'directives', text: [asked, ...faults].join(' '), directives, mistyped };
}

function directivesInWords({ fail, block, slowSeconds, status, bytes }: Directives): string[] {
  return [
    fail ? `a failure (${fail.code}${fail.take ? ` of take ${fail.take}` : ''})` : '',
    block ? `a refusal of the ${block}` : '',
    slowSeconds === undefined ? '' : `${slowSeconds} s of work at least`,
    status === undefined ? '' : `the status ${status}`,
    bytes === undefined ? '' : `a file of ${counted(bytes, 'byte')}`,
  ].filter(Boolean);
}

export function answeredStep({ entry }: ExplainedOrder): ExplainedStep {
  const { status, duration_ms, cut, fixture, retry_after } = entry;
  const error = errorOf(entry);
  const how = status === 0 ? 'with a reset of the connection' : `with ${status}`;
  const parts = [
    `Answered ${how} after ${duration_ms} ms.`,
    error ? `${error.code}: ${error.message}${choiceIn(entry.choice)}` : '',
    cut && status !== 0 ? 'The connection was over before the answer was.' : '',
    retry_after === undefined ? '' : `Retry-After: ${counted(retry_after, 'second')}.`,
  ].filter(Boolean);
  const facts = { fixture: fixture ?? null, retry_after: retry_after ?? null };
  return { step: 'answered', text: parts.join(' '), status, cut: cut ?? false, ...facts };
}

/** Each with the choice of the emulator that it comes of. */
function named(fields: readonly string[], choiceOf: (field: string) => string | undefined): string {
  return fields.map((field) => field + choiceIn(choiceOf(field))).join(', ');
}

function choiceIn(id: string | undefined): string {
  return id === undefined ? '' : ` (choice ${id})`;
}

/** How many rules and fixtures an explanation names. */
const MOST_CONSIDERED = 50;

/** Fault rules as they are now, in the order in which they are tried, and why each did not apply to this request. */
export function faultsStep({ context, entry, operation, target }: ExplainedOrder): ExplainedStep | undefined {
  if (!operation) return undefined;
  const { database, clock } = context;
  const rules = faultsFacing(database, entry.account_id ?? '', MOST_CONSIDERED);
  const appliedAt = rules.findIndex(({ id }) => id === entry.fault);
  const considered = rules.map((rule, at) => {
    const { id, match, effect } = rule;
    if (at === appliedAt) return { id, match, effect, appliedFault: true };
    const late = rule.expires !== null && rule.expires <= clock.now();
    const why = [
      unixSeconds(rule.created) > entry.created ? 'it was made after this request' : '',
      ...(target ? misfits(rule, target) : ['the body is too long to be looked at again']),
      late ? 'its time is over' : '',
    ].filter(Boolean);
    const behind = appliedAt !== -1 && at > appliedAt;
    const reasons = why.length > 0 ? why : [notApplied(rule, behind)];
    return { id, match, effect, appliedFault: false, why: reasons };
  });
  const { fault } = entry;
  const gone = fault !== undefined && appliedAt === -1;
  const appliedFault =
    fault === undefined ? 'None was applied.' : `${fault} was applied${gone ? '; it is gone since' : ''}.`;
  const text = `${counted(rules.length, 'fault rule')} looked at this account. ${appliedFault}`;
  return { step: 'faults', text, appliedFault: fault ?? null, rules: considered };
}

/** Why a rule that matches the request did not apply to it. */
function notApplied({ times, applied, probability }: FaultRule, isBehind: boolean): string {
  if (isBehind) return 'another rule, made earlier, applied first';
  if (times > 0 && applied >= times) return `it is used up: it applied ${applied} of ${counted(times, 'time')}`;
  if (probability < 1) return `its chance, ${probability}, did not come up`;
  return 'its use was given back, because the work never began';
}

/** Scripted answers as they are now, in the order in which they are tried, and why each was not given. */
export function fixturesStep({ context, entry, operation, body }: ExplainedOrder): ExplainedStep | undefined {
  if (!operation?.matchKey) return undefined;
  const { fixture } = entry;
  const given = fixture === undefined ? 'None answered.' : `${fixture} answered.`;
  if (body === undefined) return { step: 'fixtures', text: given, given: fixture ?? null };
  const subject = {
    ...operation.matchKey(body),
    operation: operation.name as Scriptable,
    accountId: entry.account_id ?? '',
  };
  const fixtures = context.failures.fixtures.considered(subject, MOST_CONSIDERED).map(({ fixture: each, why }) => {
    if (each.id === fixture) return { id: each.id, given: true };
    const reasons = why.length > 0 ? why : ['an earlier one answered, or it was made since'];
    return { id: each.id, given: false, why: reasons };
  });
  const text = `${counted(fixtures.length, 'scripted answer')} in force. ${given}`;
  return { step: 'fixtures', text, given: fixture ?? null, fixtures };
}
