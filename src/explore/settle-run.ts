import { type Clock, pause } from '../clock/clock.ts';
import { countRequests, type RunContext } from './run-context.ts';

/** How long the app must ask nothing before a run is over, and how long that may take: milliseconds. */
const QUIET_MS = 25;
const LIMIT_MS = 15_000;
const IDLE_SECONDS = 12;

/**
 * Brings a run to its end: what is open is rendered, what is owed is delivered, and what the app does about it is waited
 * for. Answers false where it never comes to rest.
 */
export async function settleRun(context: RunContext, clock: Clock, hasApp: boolean): Promise<boolean> {
  const { control, scope } = context;
  const progression = scope === undefined ? { mode: 'render' } : { mode: null, account_id: scope };
  await control.put('/progression', progression);
  const end = clock.real() + LIMIT_MS;
  let seen = -1;
  while (clock.real() < end) {
    const idle = await control
      .get('/wait', { for: 'idle', account_id: scope, timeout: IDLE_SECONDS })
      .then(() => true)
      .catch(() => false);
    if (!idle) return false;
    if (!hasApp) return true;
    const count = await countRequests(context);
    if (count === seen) return true;
    seen = count;
    await pause(clock, QUIET_MS);
  }
  return false;
}
