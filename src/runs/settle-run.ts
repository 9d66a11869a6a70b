import { type Clock, pause } from '../clock/clock.ts';
import { ALL, type RunContext } from './run-record.ts';

/** How long the app must ask nothing before a run is over, and how long that may take: milliseconds. */
const QUIET_MS = 25;
const LIMIT_MS = 15_000;
const IDLE_SECONDS = 12;

/**
 * Brings a run to its end: what is open is rendered, what is owed is delivered, and what the app does about it is waited
 * for. Answers false where it never comes to rest.
 */
export async function settleRun({ control, scope }: RunContext, clock: Clock, hasApp: boolean): Promise<boolean> {
  await control('setProgression', scope === undefined ? { mode: 'render' } : { mode: null, account_id: scope });
  const end = clock.real() + LIMIT_MS;
  let seen = -1;
  while (clock.real() < end) {
    const idle = await control('waitFor', { for: 'idle', account_id: scope, timeout: IDLE_SECONDS })
      .then(() => true)
      .catch(() => false);
    if (!idle) return false;
    if (!hasApp) return true;
    // Their bodies would be read for nothing.
    const { data } = await control('listRequests', { account_id: scope, limit: ALL, brief: 'true' });
    if (data.length === seen) return true;
    seen = data.length;
    await pause(clock, QUIET_MS);
  }
  return false;
}
