import type { AppliedFault } from './applied-fault.ts';
import type { FaultSite } from './effects/effect-row.ts';
import { type Effect, effectKind, rowOf } from './effects/effect-table.ts';
import type { FaultTarget } from './fault-rule.ts';
import type { FaultRules } from './fault-rules.ts';
import type { Caught, Message } from './holds.ts';
import { type MatchedRules, matchOf } from './matched-rules.ts';

/** The connection is gone: there is nothing to answer. */
export const DROPPED = Symbol('dropped');

/** The longest that a swapped answer waits for the next one of its account, in milliseconds of real time. */
const SWAPPED_MS = 1000;

/** Where a request goes: rules that do not look there cost it nothing. */
export interface FaultPlace extends Pick<FaultTarget, 'path' | 'accountId' | 'paid'> {
  /** Its URL where it only reads; undefined where it is no request of a client, or starts something. */
  read?: string | undefined;
}

/** A request as faults see it: a call, a step of a flow, or a read of a file. */
export interface FaultyRequest extends FaultSite {
  readonly target: FaultTarget;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** What the list of holds shows of it; undefined where no hold can catch it. */
  readonly message?: Message | undefined;
  /** Records the first rule that applies. */
  noteRule?(id: string): void;
  /**
   * Awaited once the work is done, before faults act on its answer. Without it they do not: a step has no answer, and a
   * file is sent by its work.
   */
  beforeAnswer?(fault: AppliedFault): Promise<void>;
}

/** What concerns a request: the faults, and the request as they see it. */
export interface Met {
  fault: AppliedFault;
  request: FaultyRequest;
}

/**
 * Does the work of a request under the holds, the fault rules and the latency profile that concern it. All that a fault
 * does to a request begins here; `request` is called where one may concern it, after what would be refused has been refused.
 * Answers `DROPPED` when the connection is gone, and throws where a rule answers with a status.
 */
export async function underFaults<Result>(
  faults: FaultRules,
  place: FaultPlace,
  { request, work }: { request(): FaultyRequest | Promise<FaultyRequest>; work(met?: Met): Promise<Result> },
): Promise<Result | typeof DROPPED> {
  if (!faults.isArmed) return work();
  faults.holds.timers.started(place.accountId, place.read);
  if (!faults.looksAt(place)) return work();
  const faulty = await request();
  const fault = await applyBeforeWork(faults, faulty);
  if (fault === DROPPED) return DROPPED;
  if (!fault) return work();
  try {
    return await changed(faults, { fault, request: faulty }, work);
  } finally {
    await giveBack(faults, fault);
  }
}

/** The work of a request whose work or answer a fault changes [I234 I237]. */
async function changed<Result>(
  faults: FaultRules,
  met: Met,
  work: (met: Met) => Promise<Result>,
): Promise<Result | typeof DROPPED> {
  const { fault, request } = met;
  if (!request.beforeAnswer) return work(met);
  const [outcome] = await Promise.allSettled([work(met)]);
  // What is refused before its work has no answer that could be lost: the rule is given back.
  const isDone = outcome.status === 'fulfilled' || fault.started === true;
  if (isDone && fault.answer) fault.started = true;
  await request.beforeAnswer(fault);
  if (isDone && (await applyToAnswer(faults, fault, request)) === DROPPED) return DROPPED;
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/**
 * Applies faults to a request before its work [I143]. A hold catches it first; then the fault rules that match are
 * counted and applied. A rule answers the request (throws the status), resets its connection (`DROPPED`), delays it, or
 * changes its work or answer: this resolves with what is to be changed. A request that a hold released with an effect
 * gets that effect alone.
 */
async function applyBeforeWork(
  faults: FaultRules,
  request: FaultyRequest,
): Promise<AppliedFault | typeof DROPPED | undefined> {
  const { target, message, gone } = request;
  const { holds } = faults;
  const caught = message && holds.catch(target);
  const released = caught?.request && message ? await holds.hold(caught.request, message, gone) : undefined;
  const effect = released?.effect;
  const matching = effect ? matchOf(effect, target) : faults.uses.match(target);
  const [matched, drawn] = await Promise.all([matching, faults.uses.drawLatency(target)]);
  const [first] = matched?.rules ?? [];
  if (first && !effect) request.noteRule?.(first.id);
  const rule = matched?.beforeWork;
  if (rule && (await rowOf(rule.kind).beforeWork?.(rule.effect, request)) === 'gone') return DROPPED;
  const appliedFault = joined(matched, drawn);
  return caught ? withHolds(appliedFault, caught) : appliedFault;
}

/** Applies faults to an answer whose work is done: it waits for the next answer, is held, or is lost (`DROPPED`). */
async function applyToAnswer(
  { holds }: FaultRules,
  { answer, hold }: AppliedFault,
  request: FaultyRequest,
): Promise<typeof DROPPED | undefined> {
  const { target, message, gone } = request;
  if (answer === 'swapped') await holds.timers.untilAnswered(target.accountId, SWAPPED_MS, gone);
  if (hold !== undefined && message) {
    const { effect } = await holds.hold(hold, message, gone);
    if (effect && (await applyEffect(effect, request)) === DROPPED) return DROPPED;
  }
  if (answer !== 'lost') return undefined;
  request.reset();
  return DROPPED;
}

/**
 * Uncounts the rules of work that never started, for lack of credits or because the content policy refused it [I195].
 * Where that cannot be written they stay counted: the answer is the same.
 */
async function giveBack(faults: FaultRules, appliedFault: AppliedFault): Promise<void> {
  if (appliedFault.started) return;
  for (const id of appliedFault.rules) await faults.uses.giveBack(id).catch(() => undefined);
}

/** The effect with which a hold releases an answer. */
async function applyEffect(effect: Effect, request: FaultyRequest): Promise<typeof DROPPED | undefined> {
  const row = rowOf(effectKind(effect));
  const end = await row.beforeWork?.(effect, request);
  if (row.changes?.(effect).answer === 'lost') request.reset();
  else if (end !== 'gone') return undefined;
  return DROPPED;
}

/** Rules win over the profile. */
function joined(matched: MatchedRules | undefined, drawn: AppliedFault | undefined): AppliedFault | undefined {
  const appliedFault = matched?.appliedFault();
  if (!appliedFault || !drawn) return appliedFault ?? drawn;
  const { slowSeconds } = drawn;
  // A stream that a rule corrupts has no other pace.
  const slow = slowSeconds === undefined ? {} : { slowSeconds };
  return appliedFault.stream ? { ...slow, ...appliedFault } : { ...drawn, ...appliedFault };
}

/** Adds the holds that catch what follows: the answer, and the deliveries of its events. */
function withHolds(appliedFault: AppliedFault | undefined, { answer, deliveries }: Caught): AppliedFault | undefined {
  if (answer === undefined && deliveries.every((hold) => hold === undefined)) return appliedFault;
  const takes = deliveries.map((hold, at) => {
    const take = appliedFault?.takes?.[at] ?? {};
    return hold === undefined ? take : { ...take, faults: { ...take.faults, hold } };
  });
  return { rules: [], ...appliedFault, takes, ...(answer === undefined ? {} : { hold: answer }) };
}
