import type { Clock } from '../clock/clock.ts';
import { within } from '../clock/within.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError } from '../errors.ts';
import { isFinal, type Job } from '../jobs/job.ts';
import { findJob, keepOutcome, releaseJob, renderAnew } from '../jobs/job-store.ts';
import { askedError } from './job-errors.ts';
import type { JobProcessor } from './job-processor.ts';
import { PATIENCE } from './wait-with-timeout.ts';

export interface FinishParts {
  database: Database;
  clock: Clock;
  processor: JobProcessor;
}

/** How a job is to end; a failure carries its code. */
export type End = { outcome: 'succeeded' } | { outcome: 'failed'; code: string };

/**
 * Ends a job whatever its progression says. A failure is final there and then; a success as soon as the render is
 * there, for which this waits, though not for a minute: then the job is answered as it is.
 * Throws `not_found`, and `conflict` for a job that is final already.
 */
export async function finishJob(
  { database, clock, processor }: FinishParts,
  jobId: string,
  { end, gone }: { end: End; gone: AbortSignal },
): Promise<Job> {
  const released = await database.transact((tx) => {
    const job = findUnfinished(tx, jobId);
    if (end.outcome === 'failed') keepOutcome(tx, jobId, { error: askedError(end.code) });
    else if (isDoomed(job)) renderAnew(tx, job);
    releaseJob(tx, jobId);
    return processor.settlement.settleWithin(tx, jobId);
  });
  if (isFinal(released.status)) return released;
  processor.runner.wake(released.accountId);
  const wait = (signal: AbortSignal) => processor.settlement.whenFinal(jobId, signal);
  const final = await within(clock, { milliseconds: PATIENCE, gone }, wait);
  return final ?? findJob(database, jobId) ?? released;
}

/** It was to fail, or has failed though nobody was told yet. */
function isDoomed({ doomed, outcome }: Job): boolean {
  return doomed !== null || (outcome !== null && 'error' in outcome);
}

function findUnfinished(tx: Transaction, id: string): Job {
  const job = findJob(tx, id);
  if (!job) {
    throw new EmulatorError('not_found', `There is no job "${id.slice(0, 80)}". GET /_emulator/jobs lists them.`);
  }
  if (!isFinal(job.status)) return job;
  throw new EmulatorError(
    'conflict',
    `The job ${id} has ${job.status} already, and nothing changes that. To decide its end, order it under {"mode": "manual"} of PUT /_emulator/progression.`,
  );
}
