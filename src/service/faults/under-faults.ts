import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../../base/errors.ts';
import type { AppliedFault } from '../../engine/faults/applied-fault.ts';
import type { FaultSite } from '../../engine/faults/effects/effect-row.ts';
import { type Effect, effectKind, rowOf } from '../../engine/faults/effects/effect-table.ts';
import type { FaultTarget } from '../../engine/faults/fault-rule.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { Caught, HoldSubject } from '../../engine/faults/holds.ts';
import { type MatchedRules, matchOf } from '../../engine/faults/matched-rules.ts';
import { watchGone } from '../http/request.ts';

/** The connection is gone: nothing is sent. */
export const DROPPED = Symbol('dropped');

/** The longest that a swapped answer waits for the next one of its account, in milliseconds of real time. */
const SWAPPED_MS = 1000;

/** A request as faults see it: a call, a step of a run, or a read of a file. */
export interface FaultyRequest extends Pick<FaultTarget, 'path' | 'accountId' | 'paid'> {
  /** Its URL if it only reads; undefined if it starts something, or is no request of a client. */
  read?: string | undefined;
  /** Aborts when the client has gone. */
  gone: AbortSignal;
  /** Called if a rule or a hold may concern the request, after what would be refused has been refused. */
  target(): FaultTarget | Promise<FaultTarget>;
  /** What a reset cuts off. A step has no connection: there a reset is an error. */
  response?: ServerResponse;
  /** What the list of holds shows of it; undefined if no hold can catch it. */
  message?: HoldSubject;
  /** Called with the id of the first rule that applies. */
  onRule?(id: string): void;
  /** Whether it has an answer that faults can act on after the work. A file is sent by its work, a step sends nothing. */
  hasAnswer?: boolean;
}

/**
 * Does the work of a request under the holds, the fault rules and the latency profile that concern it [I143 I234 I237]:
 *
 * 1. A hold catches the request. If it is released with an effect, that effect alone acts.
 * 2. The rules that match are counted. A rule returns a status (throws), resets the connection (`DROPPED`), or delays.
 * 3. The work runs with the changes that remain.
 * 4. The answer waits for the next answer, is held, or is lost (`DROPPED`).
 * 5. Rules of work that never started, for lack of credits or by the content policy, are uncounted [I195].
 */
export async function underFaults<Result>(
  rules: FaultRules,
  request: FaultyRequest,
  work: (fault?: AppliedFault) => Promise<Result>,
): Promise<Result | typeof DROPPED> {
  if (!rules.isArmed) return work();
  rules.holds.timers.started(request.accountId, request.read);
  if (!rules.looksAt(request)) return work();
  const target = await request.target();
  const fault = await beforeWork(rules, request, target);
  if (fault === DROPPED) return DROPPED;
  if (!fault) return work();
  let isStarted = false;
  const onStarted = () => {
    isStarted = true;
  };
  try {
    const [outcome] = await Promise.allSettled([work({ ...fault, onStarted })]);
    // A request that is refused before its work has no answer that could be lost: the rule is uncounted.
    const isDone = outcome.status === 'fulfilled' || isStarted;
    if (request.hasAnswer && isDone) {
      if (fault.answer) onStarted();
      if ((await afterWork(rules, request, fault)) === DROPPED) return DROPPED;
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  } finally {
    if (!isStarted) await uncount(rules, fault);
  }
}

/** Resolves with what is to be changed of the work and the answer. */
async function beforeWork(
  rules: FaultRules,
  request: FaultyRequest,
  target: FaultTarget,
): Promise<AppliedFault | typeof DROPPED | undefined> {
  const { message, gone } = request;
  const { holds } = rules;
  const caught = message && holds.catch(target);
  const released = caught?.request && message ? await holds.hold(caught.request, message, gone) : undefined;
  const effect = released?.effect;
  const matching = effect ? matchOf(effect, target) : rules.uses.match(target);
  const [matched, drawn] = await Promise.all([matching, rules.uses.drawLatency(target)]);
  const [first] = matched?.rules ?? [];
  if (first && !effect) request.onRule?.(first.id);
  const rule = matched?.beforeWork;
  const site = siteOf(rules, request);
  if (rule && (await rowOf(rule.kind).beforeWork?.(rule.effect, site)) === 'gone') return DROPPED;
  const fault = joined(matched, drawn);
  return caught ? withHolds(fault, caught) : fault;
}

async function afterWork(
  rules: FaultRules,
  request: FaultyRequest,
  { answer, hold }: AppliedFault,
): Promise<typeof DROPPED | undefined> {
  const { holds } = rules;
  const { message, gone, accountId } = request;
  const site = siteOf(rules, request);
  if (answer === 'swapped') await holds.timers.untilAnswered(accountId, SWAPPED_MS, gone);
  if (hold !== undefined && message) {
    const { effect } = await holds.hold(hold, message, gone);
    if (effect && (await endsAnswer(effect, site))) return DROPPED;
  }
  if (answer !== 'lost') return undefined;
  site.reset();
  return DROPPED;
}

/** Whether the effect with which a hold releases an answer cuts it off. */
async function endsAnswer(effect: Effect, site: FaultSite): Promise<boolean> {
  const row = rowOf(effectKind(effect));
  const end = await row.beforeWork?.(effect, site);
  const isLost = row.changes?.(effect).answer === 'lost';
  if (isLost) site.reset();
  return isLost || end === 'gone';
}

function siteOf({ holds }: FaultRules, { response, gone }: FaultyRequest): FaultSite {
  return {
    // A call that a reset overtakes ends in its wait with an error, so not by the signal of the call.
    wait: (milliseconds) => holds.waits.wait(milliseconds, response ? watchGone(response).signal : gone),
    reset: () => (response ? resetConnection(response) : failAsReset()),
  };
}

/** The client sees a reset (RST), not an end; the journal shows status 0. */
export function resetConnection(response: ServerResponse): 'gone' {
  response.statusCode = 0;
  response.socket?.resetAndDestroy();
  return 'gone';
}

function failAsReset(): never {
  throw new EmulatorError('render_failed', 'The connection was reset, as a fault rule asked; nothing was charged.');
}

/** If that cannot be written they stay counted: the answer is the same. */
async function uncount({ uses }: FaultRules, { rules }: AppliedFault): Promise<void> {
  for (const id of rules) await uses.giveBack(id).catch(() => undefined);
}

/** Rules win over the profile. */
function joined(matched: MatchedRules | undefined, drawn: AppliedFault | undefined): AppliedFault | undefined {
  const fault = matched?.appliedFault();
  if (!fault || !drawn) return fault ?? drawn;
  const { slowSeconds } = drawn;
  // A stream that a rule corrupts has no other pace.
  const slow = slowSeconds === undefined ? {} : { slowSeconds };
  return fault.stream ? { ...slow, ...fault } : { ...drawn, ...fault };
}

/** Adds the holds that catch what follows: the answer, and the deliveries of its events. */
function withHolds(fault: AppliedFault | undefined, { answer, deliveries }: Caught): AppliedFault | undefined {
  if (answer === undefined && deliveries.every((hold) => hold === undefined)) return fault;
  const takes = deliveries.map((hold, at) => {
    const take = fault?.takes?.[at] ?? {};
    return hold === undefined ? take : { ...take, faults: { ...take.faults, hold } };
  });
  return { rules: [], ...fault, takes, ...(answer === undefined ? {} : { hold: answer }) };
}
