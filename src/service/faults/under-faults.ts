import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../../base/errors.ts';
import { hideJobCompletion } from '../../engine/faults/compatible-changes.ts';
import type { ConnectionControls } from '../../engine/faults/effects/effect-definition.ts';
import { type Effect, effectDefinition, effectKind } from '../../engine/faults/effects/effect-table.ts';
import { applyStreamFault } from '../../engine/faults/effects/stream-effect.ts';
import {
  type FaultTarget,
  type MatchedRule,
  makeMatchedRulesForEffect,
  resolveRequestFaults,
} from '../../engine/faults/fault-rule.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { HoldSubject } from '../../engine/faults/holds.ts';
import { mergeRequestFaults, type RequestFaults } from '../../engine/faults/request-faults.ts';
import { waitForJobNotifications } from '../../engine/generation/job-record.ts';
import type { Payer } from '../../engine/generation/place-order.ts';
import { readProgressionWithScope } from '../../engine/jobs/job-store.ts';
import type { Operation } from '../http/operation.ts';
import { EventStreamReply } from '../http/replies.ts';
import { abortOnDisconnect, type Call, type HttpRequest, requestContextOf } from '../http/request.ts';
import { createFaultTarget, type FaultTargetWithoutTest } from './fault-target.ts';

export const CONNECTION_DROPPED = Symbol('dropped');

const SWAPPED_MS = 1000;

/** A request to the API, a read of a CDN file, or a step of a flow. */
interface FaultyRequest extends Pick<FaultTarget, 'path' | 'accountId' | 'paid'> {
  /** The URL that the request reads. Undefined if the request may start work. */
  read?: string | undefined;
  gone: AbortSignal;
  /** Called after validation, and only if a rule, a hold or the latency profile may apply. */
  target(): FaultTargetWithoutTest | Promise<FaultTargetWithoutTest>;
  /** Undefined for a step of a flow, in which a reset of the connection becomes an error. */
  response?: ServerResponse;
  /** How the list of held messages shows the request. Undefined if no hold can stop it. */
  holdSubject?: HoldSubject;
  /** Its order shows whether the work started. Undefined for a file, whose read always uses its rules. */
  payer?: Pick<Payer, 'order'>;
  /**
   * True if the response is sent after the work. Unset for a file, which the work itself sends, and for a step of a
   * flow.
   */
  answersAfterWork?: boolean;
}

/**
 * Does the work of a request under the holds, the fault rules and the latency profile that concern it [I143 I234 I237]:
 *
 * 1. A hold may catch the request. If it is released with an effect, that effect acts instead of the rules.
 * 2. The rules that match are counted. One may return a status (throws), reset the connection (`CONNECTION_DROPPED`), or delay.
 * 3. The work runs, and applies the faults of its jobs, events and body.
 * 4. The response may wait for the next response, be held, or be lost (`CONNECTION_DROPPED`).
 * 5. If the work was rejected before it started, such as for lack of credits, the uses of its rules do not count [I195].
 */
export async function workUnderFaults<Result>(
  rules: FaultRules,
  request: FaultyRequest,
  work: (faults?: RequestFaults) => Promise<Result>,
): Promise<Result | typeof CONNECTION_DROPPED> {
  if (!rules.isArmed) return work();
  rules.waits.noteActivity(request.accountId, request.read);
  if (!rules.mayApplyTo(request)) return work();
  const target = { ...(await request.target()), test: rules.testOf(request.accountId) };
  const faults = await beforeWork(rules, request, target);
  if (faults === CONNECTION_DROPPED) return CONNECTION_DROPPED;
  if (!faults) return work();
  const [outcome] = await Promise.allSettled([work(faults)]);
  // If the work was rejected before it started, there was no response to lose, so the use of the rule does not count.
  const isUsed = outcome.status === 'fulfilled' || wereRulesUsed(faults, request);
  if (!isUsed) await uncount(rules, faults);
  else if (request.answersAfterWork && (await afterWork(rules, request, faults)) === CONNECTION_DROPPED)
    return CONNECTION_DROPPED;
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/**
 * The order of a paid request names the rules that were used. An order that is refunded at once names none, so they are
 * uncounted. The read of a file has no payer, and always uses its rules.
 */
function wereRulesUsed({ ruleIds }: RequestFaults, { payer }: FaultyRequest): boolean {
  if (!payer) return true;
  const named = payer.order?.faults?.ruleIds;
  return named ? ruleIds.every((id) => named.includes(id)) : false;
}

async function beforeWork(
  rules: FaultRules,
  request: FaultyRequest,
  target: FaultTarget,
): Promise<RequestFaults | typeof CONNECTION_DROPPED | undefined> {
  const { holdSubject, gone } = request;
  const { holds } = rules;
  const caught = holdSubject && holds.catch(target);
  const released =
    caught?.requestHold && holdSubject ? await holds.hold(caught.requestHold, holdSubject, gone) : undefined;
  const effect = released?.effect;
  const matching = effect ? makeMatchedRulesForEffect(effect, target) : rules.match(target);
  const [matched, drawn] = await Promise.all([matching, rules.drawLatency(target)]);
  annotateRules(request, matched);
  const controls = connectionControlsOf(rules, request);
  for (const { rule } of matched) {
    if ((await effectDefinition(rule.kind).beforeWork?.(rule.effect, controls)) === 'gone') return CONNECTION_DROPPED;
  }
  const faults = resolveRequestFaults(matched, target);
  const latency = latencyNextToRules(drawn, faults);
  // If they differ, the last of these wins: the latency profile, the rules, the holds on the response and deliveries.
  return mergeRequestFaults(mergeRequestFaults(latency, faults), caught?.laterHolds);
}

async function afterWork(
  rules: FaultRules,
  request: FaultyRequest,
  { answer, hold }: RequestFaults,
): Promise<typeof CONNECTION_DROPPED | undefined> {
  const { holds, waits } = rules;
  const { holdSubject, gone, accountId } = request;
  const controls = connectionControlsOf(rules, request);
  if (answer === 'swapped') await waits.untilAnswered(accountId, SWAPPED_MS, gone);
  if (hold !== undefined && holdSubject) {
    const { effect } = await holds.hold(hold, holdSubject, gone);
    if (effect && (await endsResponse(effect, controls))) return CONNECTION_DROPPED;
  }
  if (answer !== 'lost') return undefined;
  controls.reset();
  return CONNECTION_DROPPED;
}

/** Applies the effect with which a held response was released. A status is thrown although the order is charged. */
async function endsResponse(effect: Effect, controls: ConnectionControls): Promise<boolean> {
  const row = effectDefinition(effectKind(effect));
  const end = await row.beforeWork?.(effect, controls);
  const isLost = row.changes?.(effect).answer === 'lost';
  if (isLost) controls.reset();
  return isLost || end === 'gone';
}

/** Adds the ids of the matched rules to the journal entry of the request. A step of a flow has no entry. */
function annotateRules({ response }: FaultyRequest, matched: readonly MatchedRule[]): void {
  const [fault, ...otherFaults] = matched.map(({ rule }) => rule.id);
  if (!response || !fault) return;
  Object.assign(requestContextOf(response).annotations, { fault, ...(otherFaults.length > 0 && { otherFaults }) });
}

function connectionControlsOf({ waits }: FaultRules, { response, gone }: FaultyRequest): ConnectionControls {
  return {
    // A request waits with a signal that aborts only at a disconnect. `gone` also aborts at a reset, and an aborted wait
    // resolves, so the request would continue in the new state. A step of a flow has only `gone`.
    wait: (milliseconds) => waits.delay(milliseconds, response ? abortOnDisconnect(response).signal : gone),
    reset: () => (response ? resetConnection(response) : failAsReset()),
  };
}

export function resetConnection(response: ServerResponse): 'gone' {
  response.statusCode = 0;
  response.socket?.resetAndDestroy();
  return 'gone';
}

function failAsReset(): never {
  throw new EmulatorError('render_failed', 'The connection was reset, as a fault rule asked; nothing was charged.');
}

async function uncount(rules: FaultRules, faults: RequestFaults): Promise<void> {
  for (const id of faults.ruleIds) await rules.uncountUse(id).catch(() => undefined);
}

/** If a rule changes the stream, only the delay of the latency profile applies. */
function latencyNextToRules(
  drawn: RequestFaults | undefined,
  faults: RequestFaults | undefined,
): RequestFaults | undefined {
  if (!faults?.stream || !drawn) return drawn;
  const { ruleIds, slowSeconds } = drawn;
  return { ruleIds, ...(slowSeconds === undefined ? {} : { slowSeconds }) };
}

interface ValidRequest {
  operation: Operation;
  call: Call<unknown, unknown>;
  request: HttpRequest;
  response: ServerResponse;
}

/** Faults begin to act after validation, and before the check of blocked texts, the balance and the work. */
export function answerUnderFaults(
  { operation, call, request, response }: ValidRequest,
  answerTo: () => unknown,
): Promise<unknown> {
  const { path, method, originalUrl } = request;
  const { generation, failures } = call.context;
  const accountId = call.callerId ?? operation.owner?.(call) ?? '';
  const faulty = {
    path,
    accountId,
    paid: operation.paid,
    read: method === 'GET' ? originalUrl : undefined,
    gone: call.gone,
    response,
    holdSubject: { accountId, what: `${operation.method} ${path}`, requestId: call.requestId },
    answersAfterWork: true,
    payer: call,
    async target() {
      await operation.checkBeforeFaults?.(call);
      const modelRequest = { catalogue: generation.catalogue, body: call.body };
      return createFaultTarget(modelRequest, operation, { destination: 'service', path, accountId });
    },
  };
  return workUnderFaults(failures.rules, faulty, async (faults) => {
    if (!faults) return answerTo();
    call.faults = faults;
    requestContextOf(response).change = faults.change;
    try {
      const answer = await answerTo();
      if (faults.change === 'one_more_poll' && isFirstPoll(operation, call, answer))
        return hideJobCompletion(Object(answer));
      return faults.stream && answer instanceof EventStreamReply
        ? underStreamFault(answer, faults.stream, call)
        : answer;
    } finally {
      await untilInstantNotified(call);
    }
  });
}

function isFirstPoll(
  { name }: Operation,
  { context, callerId = '' }: Call<unknown, unknown>,
  answer: unknown,
): boolean {
  const { id, completed } = Object(answer) as { id?: string; completed?: number };
  if ((name !== 'getSong' && name !== 'getVideo') || id === undefined || completed === undefined) return false;
  const hasOwnProgression = readProgressionWithScope(context.database, callerId).accountId !== undefined;
  return !hasOwnProgression && context.failures.rules.isFirstPoll(id);
}

function underStreamFault(
  { events }: EventStreamReply,
  stream: NonNullable<RequestFaults['stream']>,
  { context, gone }: Call<unknown, unknown>,
): EventStreamReply {
  const pause = (milliseconds: number) => context.failures.rules.waits.delay(milliseconds, gone);
  return new EventStreamReply(applyStreamFault(events, stream, pause));
}

/**
 * Waits until jobs with the fault `instant` are final and no delivery of their events is due or in flight, so that the
 * webhooks come before the response.
 */
async function untilInstantNotified({ context, order, gone }: Call<unknown, unknown>): Promise<void> {
  const instant = order?.jobs.filter(({ faults, released }) => released && faults?.pace === 'instant') ?? [];
  const ids = instant.map(({ id }) => id);
  if (ids.length > 0) await waitForJobNotifications(context.generation, context.events.webhooks, ids, gone);
}
