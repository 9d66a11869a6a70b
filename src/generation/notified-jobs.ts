import type { Clock } from '../clock/clock.ts';
import { within } from '../clock/within.ts';
import { idBeside } from '../ids.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Settlement } from './settlement.ts';
import { PATIENCE } from './wait-with-timeout.ts';

export interface TellingParts {
  clock: Clock;
  settlement: Settlement;
  webhooks: Webhooks;
}

/** The event that a job will have. */
function eventOf(jobId: string): string {
  return idBeside(jobId, 'event');
}

/** Resolves when jobs are final and all deliveries of their events are over, though no later than any call waits. */
export async function untilTold(
  { clock, settlement, webhooks }: TellingParts,
  jobIds: readonly string[],
  gone: AbortSignal,
): Promise<void> {
  await within(clock, { milliseconds: PATIENCE, gone }, async (signal) => {
    await Promise.all(jobIds.map((id) => settlement.whenFinal(id, signal)));
    await webhooks.untilDelivered(jobIds.map(eventOf), signal);
  });
}
