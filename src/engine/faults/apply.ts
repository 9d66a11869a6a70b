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

/** A request as faults see it: a call, a step of a flow, or a read of a file. */
export interface FaultyRequest extends FaultSite {
  readonly target: FaultTarget;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** What the list of holds shows of it; undefined where no hold can catch it. */
  readonly message?: Message | undefined;
  /** Records the first rule that applies. */
  noteRule?(id: string): void;
}

/**
 * Applies faults to a request before its work [I143]. A hold catches it first; then the fault rules that match are
 * counted and applied. A rule answers the request (throws the status), resets its connection (`DROPPED`), delays it, or
 * changes its work or answer: this resolves with what is to be changed. A request that a hold released with an effect
 * gets that effect alone.
 */
export async function applyBeforeWork(
  faults: FaultRules,
  request: FaultyRequest,
): Promise<AppliedFault | typeof DROPPED | undefined> {
  const { target, message, gone } = request;
  const { holds } = faults;
  const caught = message && holds.catch(target);
  const released = caught?.request && message ? await holds.hold(caught.request, message, gone) : undefined;
  const effect = released?.effect;
  const matching = effect ? matchOf(effect, target) : faults.match(target);
  const [matched, drawn] = await Promise.all([matching, faults.drawLatency(target)]);
  const [first] = matched?.rules ?? [];
  if (first && !effect) request.noteRule?.(first.id);
  const rule = matched?.beforeWork;
  if (rule && (await rowOf(rule.kind).beforeWork?.(rule.effect, request)) === 'gone') return DROPPED;
  const appliedFault = joined(matched, drawn);
  return caught ? withHolds(appliedFault, caught) : appliedFault;
}

/** Applies faults to an answer whose work is done: it waits for the next answer, is held, or is lost (`DROPPED`). */
export async function applyToAnswer(
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
async function giveBack(faults: FaultRules, appliedFault: AppliedFault | undefined): Promise<void> {
  if (!appliedFault || appliedFault.started) return;
  for (const id of appliedFault.rules) await faults.giveBack(id).catch(() => undefined);
}

/** Does the work of a request; uncounts its rules if the work never started. */
export async function givingBack<Result>(
  faults: FaultRules,
  appliedFault: AppliedFault | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await giveBack(faults, appliedFault);
  }
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
