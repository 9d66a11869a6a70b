import { EmulatorError } from '../errors.ts';
import type { Meeting } from '../faults/effects/effect-row.ts';
import { rowOf } from '../faults/effects/effect-table.ts';
import type { FaultTarget } from '../faults/fault-rule.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import type { Strike } from '../faults/strike.ts';
import type { AppliedFault } from '../faults/struck.ts';

/**
 * What fault rules and the latency profile do to work that no request brought: a step of a run. Throws where a request
 * would be answered with a status or lose its connection, holds the work up, or answers what it is to suffer.
 */
export async function strikeWork(
  faults: FaultRules,
  target: FaultTarget,
  gone: AbortSignal,
): Promise<AppliedFault | undefined> {
  const [strike, drawn] = await Promise.all([faults.strike(target), faults.drawLatency(target)]);
  const meeting: Meeting = { wait: (milliseconds) => faults.holds.waits.wait(milliseconds, gone), reset: throwDropped };
  await meet(strike, meeting);
  return struckBy(strike, drawn);
}

/** Has the rule act that acts before the work, if one struck. */
export async function meet(strike: Strike | undefined, meeting: Meeting): Promise<'gone' | undefined> {
  const rule = strike?.met;
  return rule && rowOf(rule.kind).meet?.(rule.effect, meeting);
}

/** The rules win over the profile. */
export function struckBy(strike: Strike | undefined, drawn: AppliedFault | undefined): AppliedFault | undefined {
  const appliedFault = strike?.suffered();
  if (!appliedFault || !drawn) return appliedFault ?? drawn;
  const { slowSeconds } = drawn;
  // A stream that a rule spoils needs a stream, and has no other pace.
  const slow = slowSeconds === undefined ? {} : { slowSeconds };
  return appliedFault.stream ? { ...slow, ...appliedFault } : { ...drawn, ...appliedFault };
}

function throwDropped(): never {
  throw new EmulatorError('render_failed', 'The connection was reset, as a fault rule asked; nothing was charged.');
}
