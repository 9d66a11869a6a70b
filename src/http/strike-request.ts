import type { ServerResponse } from 'node:http';
import type { Effect } from '../faults/effects/effect-table.ts';
import type { FaultTarget } from '../faults/fault-rule.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import { strikeOf } from '../faults/strike.ts';
import type { AppliedFault } from '../faults/struck.ts';
import { requestContextOf } from './request-context.ts';
import { meet, struckBy } from './strike-work.ts';
import { watchGone } from './watch-gone.ts';

/** Said of a request whose connection a fault rule has reset: there is nobody left to answer. */
export const DROPPED = Symbol('dropped');

interface Struckable {
  target: FaultTarget;
  response: ServerResponse;
  /** With what a hold has let it go: no rule strikes it then. */
  effect?: Effect | undefined;
}

/**
 * What fault rules and the latency profile do to a request that is good in every other way [I143]. Throws the status
 * that answers it, resets its connection, holds it up, or answers what its work is to suffer.
 */
export async function strikeRequest(
  faults: FaultRules,
  { target, response, effect }: Struckable,
): Promise<AppliedFault | typeof DROPPED | undefined> {
  const striking = effect ? strikeOf(effect, target) : faults.strike(target);
  const [strike, drawn] = await Promise.all([striking, faults.drawLatency(target)]);
  const [first] = strike?.rules ?? [];
  if (first && !effect) requestContextOf(response).facts.fault = first.id;
  const end = await meet(strike, {
    wait: (milliseconds) => faults.holds.waits.wait(milliseconds, watchGone(response).signal),
    reset: () => resetConnection(response),
  });
  return end === 'gone' ? DROPPED : struckBy(strike, drawn);
}

/** The client sees a reset (RST), not an end; the journal shows status 0. */
export function resetConnection(response: ServerResponse): 'gone' {
  response.statusCode = 0;
  response.socket?.resetAndDestroy();
  return 'gone';
}
