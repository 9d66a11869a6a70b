import { z } from 'zod';
import { unixSeconds } from '../../base/clock/clock.ts';
import { choiceOfDroppedField, choiceOfWarning, parseHeaderList } from '../../base/package/choice-table.ts';
import { countWithNoun, tryParseJson } from '../../base/text.ts';
import type { Directives } from '../../engine/faults/directives.ts';
import { type FaultTarget, reasonsNotApplied } from '../../engine/faults/fault-rule.ts';
import type { FaultRule } from '../../engine/faults/fault-store.ts';
import { faultRulesForAccount } from '../../engine/faults/fault-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { FLOW_HOOK_OPERATIONS, SERVICE_OPERATIONS } from '../../service/api/routes.ts';
import { createFaultTarget } from '../../service/faults/fault-target.ts';
import type { ScriptableOperation } from '../../service/fixtures/fixture-schema.ts';
import type { Context } from '../../service/http/context.ts';
import { findMistypedDirectivesInBody } from '../../service/http/directed-text.ts';
import type { Operation } from '../../service/http/operation.ts';
import { choiceReferenceText, sumChargesAndRefunds } from './order-records.ts';
import type { OrderRecords } from './stored-orders.ts';
import { newTimelineEntry, sortedTimelineEntries, timelineEntries, timeSpanOfOrder } from './timeline-entries.ts';
import type { TimelineEntry } from './timeline-entry.ts';

/** `at` and `took` are in milliseconds, `at` from the start of the request. */
export const explanationSchema = z.strictObject({
  id: z.string(),
  account_id: z.string().nullable(),
  summary: z.string(),
  steps: z.array(
    z
      .object({
        id: z.string(),
        kind: z.string(),
        at: z.number(),
        took: z.number().nullable(),
        text: z.string(),
        details: z.array(z.string()).readonly(),
      })
      .catchall(z.unknown()),
  ),
});

export function explainRequest(
  context: Context,
  records: OrderRecords & { request: JournalEntry },
): z.infer<typeof explanationSchema> {
  const { id, account_id } = records.request;
  const { began } = timeSpanOfOrder(records);
  const steps = timelineWithRequestChecks(context, records).map(({ data, track: _track, ...step }) => ({
    ...step,
    at: step.at - began,
    ...data,
  }));
  return { id, account_id, summary: summaryOf(records), steps };
}

export function timelineWithRequestChecks(context: Context, records: OrderRecords): TimelineEntry[] {
  const checks = records.request ? requestChecks(context, records.request) : [];
  return sortedTimelineEntries([...timelineEntries(records), ...checks]);
}

function summaryOf(records: OrderRecords & { request: JournalEntry }): string {
  const { method, path, status, duration_ms, account_id } = records.request;
  const { charged, refunded } = sumChargesAndRefunds(records);
  const refunds = refunded === 0 ? '' : `, ${refunded === charged ? 'all' : refunded} of it refunded`;
  const cost = charged === 0 ? 'nothing was charged' : `${countWithNoun(charged, 'credit')} charged${refunds}`;
  const who = account_id === null ? '' : ` of ${account_id}`;
  return `${method} ${path}${who}: ${status} after ${duration_ms} ms, ${cost}.`;
}

interface Checked {
  context: Context;
  request: JournalEntry;
  operation: Operation;
  /** The validated body. Undefined if there is none, or if it is invalid or longer than the journal keeps. */
  body: unknown;
  target: FaultTarget | undefined;
}

const OPERATIONS = new Map([...SERVICE_OPERATIONS, ...FLOW_HOOK_OPERATIONS].map((each) => [each.name, each]));

/** A request that was rejected with one of these codes has no check steps, unless the error was deliberate. */
const REFUSALS = [
  ...['missing_api_key', 'invalid_api_key', 'permission_denied', 'rate_limited'],
  ...['invalid_request', 'payload_too_large', 'unsupported_media_type'],
];

function requestChecks(context: Context, request: JournalEntry): TimelineEntry[] {
  const operation = OPERATIONS.get(request.operation ?? '');
  const isCaused = request.asked || request.fault !== undefined || request.fixture !== undefined;
  if (!operation || (!isCaused && REFUSALS.includes(request.error ?? ''))) return [];
  const body = request.request_cut ? undefined : operation.body?.safeParse(tryParseJson(request.request)).data;
  const [path = ''] = request.path.split('?');
  const subject = { destination: 'service', path, accountId: request.account_id ?? '' } as const;
  const isRead = operation.body === undefined || body !== undefined;
  const target = isRead
    ? {
        ...createFaultTarget({ catalogue: context.generation.catalogue, body }, operation, subject),
        test: context.control.tests.ofAccount(subject.accountId),
      }
    : undefined;
  const checked = { context, request, operation, body, target };
  const checks = [validatedStep(checked), directivesStep(checked), faultsStep(checked), scriptedStep(checked)];
  return checks
    .filter((check) => check !== undefined)
    .map(({ isRemarkable, ...check }) => {
      const tone = isRemarkable ? 'wait' : 'plain';
      return newTimelineEntry({ id: check.kind, at: request.began, tone, refs: [], ...check });
    });
}

type Check = Pick<TimelineEntry, 'kind' | 'text' | 'data'> & { isRemarkable: boolean };

function validatedStep({ request, operation }: Checked): Check {
  const ignored = parseHeaderList(request.warnings);
  const dropped = parseHeaderList(request.dropped);
  const isRemarkable = ignored.length + dropped.length > 0;
  const parts = [
    `The request is a valid ${operation.name}.`,
    ignored.length > 0 ? `Ignored: ${named(ignored, choiceOfWarning)}.` : '',
    dropped.length > 0
      ? `Dropped, because the engine does not support it: ${named(dropped, choiceOfDroppedField)}.`
      : '',
    isRemarkable ? '' : 'Nothing was ignored or dropped.',
  ];
  const data = { operation: operation.name, ignored, dropped };
  return { kind: 'validated', text: parts.filter(Boolean).join(' '), isRemarkable, data };
}

function named(fields: readonly string[], choiceOf: (field: string) => string | undefined): string {
  return fields.map((field) => field + choiceReferenceText(choiceOf(field))).join(', ');
}

const TOO_LONG = 'the body is too long to be kept whole';

function directivesStep({ target, operation, body }: Checked): Check | undefined {
  if (!operation.body) return undefined;
  if (!target) {
    const text = `Unknown, because ${TOO_LONG}.`;
    return { kind: 'directives', text, isRemarkable: false, data: {} };
  }
  const { directives } = target;
  const wanted = directiveTexts(directives);
  const mistyped = operation.paid ? findMistypedDirectivesInBody(body) : [];
  const parts = [
    wanted.length > 0 ? `The texts request ${wanted.join(', ')}.` : 'No text contains a directive.',
    ...mistyped.map(
      ({ field, written, nearest }) =>
        `[[${written}]] in ${field} is not a directive and had no effect; the closest is [[${nearest}]].`,
    ),
  ];
  const isRemarkable = wanted.length + mistyped.length > 0;
  const data = mistyped.length > 0 ? { directives, mistyped } : { directives };
  return { kind: 'directives', text: parts.join(' '), isRemarkable, data };
}

function directiveTexts({ fail, block, slowSeconds, status, bytes }: Directives): string[] {
  return [
    fail ? `a failure (${fail.code}${fail.take ? ` of take ${fail.take}` : ''})` : '',
    block ? `a refusal of the ${block}` : '',
    slowSeconds === undefined ? '' : `at least ${slowSeconds} s of work`,
    status === undefined ? '' : `the status ${status}`,
    bytes === undefined ? '' : `a file of ${countWithNoun(bytes, 'byte')}`,
  ].filter(Boolean);
}

const MAX_CONSIDERED = 50;

/** The rules are the current ones, which may differ from those at the time of the request. */
function faultsStep({ context: { database, clock }, request, target }: Checked): Check {
  const { fault, account_id: accountId, created } = request;
  const found = faultRulesForAccount(database, accountId ?? '', MAX_CONSIDERED);
  const appliedAt = found.findIndex(({ id }) => id === fault);
  const rules = found.map((rule, at) => {
    const { id, match, effect, expires } = rule;
    if (at === appliedAt) return { id, match, effect, applied: true };
    const why = [
      unixSeconds(rule.created) > created ? 'it was created after this request' : '',
      ...(target ? reasonsNotApplied(rule, target) : [TOO_LONG]),
      expires !== null && expires <= clock.now() ? 'it has expired' : '',
    ].filter(Boolean);
    const isBehind = appliedAt !== -1 && at > appliedAt;
    return { id, match, effect, applied: false, why: why.length > 0 ? why : [whyUnused(rule, isBehind)] };
  });
  const gone = appliedAt === -1 ? ', which was deleted since' : '';
  const applied = fault === undefined ? 'None was applied.' : `Applied: ${fault}${gone}.`;
  const text = `${countWithNoun(rules.length, 'fault rule')} considered. ${applied}`;
  return { kind: 'faults', text, isRemarkable: fault !== undefined, data: { rules } };
}

function whyUnused({ times, applied, probability }: FaultRule, isBehind: boolean): string {
  if (isBehind) return 'a rule that was created earlier applied first';
  if (times > 0 && applied >= times) return `it is used up: it applied ${applied} of ${countWithNoun(times, 'time')}`;
  if (probability < 1) return `its probability, ${probability}, did not come up`;
  return 'its use was returned, because the work never started';
}

function scriptedStep({ context, request, operation, body }: Checked): Check | undefined {
  if (!operation.matchValues) return undefined;
  const { fixture, account_id: accountId } = request;
  const subject = body !== undefined && {
    ...operation.matchValues(body),
    operation: operation.name as ScriptableOperation,
    accountId: accountId ?? '',
  };
  const found = subject ? context.failures.fixtures.considered(subject, MAX_CONSIDERED) : [];
  const scripted_answers = found.map(({ fixture: { id }, why }) => {
    if (id === fixture) return { id, used: true };
    return { id, used: false, why: why.length > 0 ? why : ['an earlier one was used, or it was created since'] };
  });
  const used = fixture === undefined ? 'None was used.' : `Used: ${fixture}.`;
  const text = `${countWithNoun(found.length, 'scripted answer')} considered. ${used}`;
  const data = { fixture: fixture ?? null, scripted_answers };
  return { kind: 'scripted_answers', text, isRemarkable: fixture !== undefined, data };
}
