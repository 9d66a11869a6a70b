import type { ServerResponse } from 'node:http';
import type { FaultTarget } from '../faults/fault-rule.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import { injectedStatus } from '../faults/injected-status.ts';
import type { Struck } from '../faults/struck.ts';
import { requestStamp } from './request-stamp.ts';
import { struckBy } from './strike-work.ts';
import { watchGone } from './watch-gone.ts';

/** Said of a request whose connection a fault rule has reset: there is nobody left to answer. */
export const DROPPED = Symbol('dropped');

/**
 * What fault rules and the latency profile do to a request that is good in every other way [I143]. Throws the status
 * that answers it, resets its connection, holds it up, or answers what its work is to suffer.
 */
export async function strikeRequest(
  faults: FaultRules,
  target: FaultTarget,
  response: ServerResponse,
): Promise<Struck | typeof DROPPED | undefined> {
  const [rule, drawn] = await Promise.all([faults.strike(target), faults.drawLatency(target)]);
  if (!rule) return drawn;
  requestStamp(response).facts.fault = rule.id;
  const { status, code, retry_after, drop, delay_ms } = rule.effect;
  if (status !== undefined) throw injectedStatus(status, code, retry_after);
  if (drop) return resetConnection(response);
  if (delay_ms === undefined) return struckBy(rule, drawn);
  await faults.waits.wait(delay_ms, watchGone(response).signal);
  return drawn;
}

/** The client sees a reset (RST), not an end; the journal shows status 0. */
function resetConnection(response: ServerResponse): typeof DROPPED {
  response.statusCode = 0;
  response.socket?.resetAndDestroy();
  return DROPPED;
}
