import type { Clock } from '../clock/clock.ts';
import { within } from '../clock/within.ts';
import type { Database } from '../database/database.ts';
import { isFinal, type Job } from '../jobs/job.ts';
import { findOpenJob } from '../jobs/open-job-store.ts';
import { isLate, isReady } from '../jobs/progression.ts';
import type { JobProcessor } from './job-processor.ts';
import type { Payer } from './order.ts';
import { PATIENCE } from './wait-with-timeout.ts';

export interface PollParts {
  database: Database;
  clock: Clock;
  processor: JobProcessor;
}

/**
 * What a poll sees: it counts, and settles the job when it is ready. Where the progression or a
 * fault rule says at which poll a job is final, that poll waits for the render.
 */
export async function pollJob(
  { database, clock, processor }: PollParts,
  job: Job,
  call: Pick<Payer, 'gone'>,
): Promise<Job> {
  const seen = await processor.settlement.read(job);
  const open = isFinal(seen.status) ? undefined : findOpenJob(database, job.id);
  if (!open || (open.progression.mode !== 'polls' && !isLate(open))) return seen;
  if (!isReady(open, open.progression, clock.now())) return seen;
  if (!open.hasOutcome) {
    await within(clock, { milliseconds: PATIENCE, gone: call.gone }, async (signal) => {
      await processor.runner.left(open, signal);
    });
  }
  return processor.settlement.settle(job.id);
}
