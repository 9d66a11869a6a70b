import type { Clock } from '../../base/clock/clock.ts';
import { within } from '../../base/clock/waits.ts';
import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { askedError, isFinal, type Job } from './job.ts';
import { findJob, keepOutcome, releaseJob, renderAnew } from './job-store.ts';
import { findOpenJob, isLate, isReady } from './progression-store.ts';
import { type Settlement, WAIT_LIMIT_MS } from './settlement.ts';

interface WaitParts {
  database: Database;
  clock: Clock;
  settlement: Settlement;
  processor: {
    /** Its `wake` reports that an account may have a queued job. */
    readonly queue: { wake(accountId: string): void };
    /** Resolves once the work on a job is over; undefined when there is none. */
    workEnded(job: Pick<Job, 'id' | 'status'>, signal?: AbortSignal): Promise<void> | undefined;
  };
}

/**
 * What a poll sees. It is counted, and settles the job when that is ready. Where the progression or a fault rule makes
 * a job final at a certain poll, that poll waits for the render.
 */
export async function pollJob(
  { database, clock, settlement, processor }: WaitParts,
  job: Job,
  { gone }: { gone: AbortSignal },
): Promise<Job> {
  const seen = await settlement.read(job);
  const open = isFinal(seen.status) ? undefined : findOpenJob(database, job.id);
  if (!open || (open.progression.mode !== 'polls' && !isLate(open))) return seen;
  if (!isReady(open, open.progression, clock.now())) return seen;
  if (!open.hasOutcome) {
    await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, async (signal) => {
      await processor.workEnded(open, signal);
    });
  }
  return settlement.settle(job.id);
}

/** How a job is to end; a failure carries its code. */
export type End = { outcome: 'succeeded' } | { outcome: 'failed'; code: string };

/**
 * Ends a job whatever its progression is. A failure is final at once; a success when the render is there, for which
 * this waits up to {@link WAIT_LIMIT_MS}: then the job is returned as it is.
 * Throws `not_found`, and `conflict` for a job that is final already.
 */
export async function finishJob(
  { database, clock, settlement, processor }: WaitParts,
  jobId: string,
  { end, gone }: { end: End; gone: AbortSignal },
): Promise<Job> {
  const released = await database.transact((tx) => {
    const job = findUnfinished(tx, jobId);
    if (end.outcome === 'failed') keepOutcome(tx, jobId, { error: askedError(end.code) });
    else if (willFail(job)) renderAnew(tx, job);
    releaseJob(tx, jobId);
    return settlement.settleWithin(tx, jobId);
  });
  if (isFinal(released.status)) return released;
  processor.queue.wake(released.accountId);
  const wait = (signal: AbortSignal) => settlement.whenFinal(jobId, signal);
  const final = await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
  return final ?? findJob(database, jobId) ?? released;
}

/** Whether the job was to fail, or has an outcome of failure that is not settled yet. */
function willFail({ failWith, outcome }: Job): boolean {
  return failWith !== null || (outcome !== null && 'error' in outcome);
}

function findUnfinished(tx: Transaction, id: string): Job {
  const job = findJob(tx, id);
  if (!job) {
    throw new EmulatorError('not_found', `There is no job ${quoted(id)}. GET /_emulator/jobs lists them.`);
  }
  if (!isFinal(job.status)) return job;
  throw new EmulatorError(
    'conflict',
    `The job ${id} has ${job.status} already, and nothing changes that. To decide its end, order it under {"mode": "manual"} of PUT /_emulator/progression.`,
  );
}
