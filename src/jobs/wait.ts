import { type Clock, within } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { EmulatorError, isStorageFull } from '../errors.ts';
import { askedError, isFinal, type Job, type JobError, NO_ROOM } from './job.ts';
import type { JobQueue } from './job-queue.ts';
import { findJob, keepOutcome, releaseJob, renderAnew } from './job-store.ts';
import { findOpenJob, isLate, isReady } from './progression-store.ts';
import type { Settlement } from './settlement.ts';
import type { SettlementScheduler } from './settlement-scheduler.ts';

/** How long a request waits for a job, in milliseconds of real time. */
export const WAIT_LIMIT_MS = 55_000;

/** The error of a job whose call would have stayed open for a minute. */
const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render was not there before a minute was over, and its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

export interface WaitParts {
  database: Database;
  clock: Clock;
  processor: {
    readonly queue: JobQueue;
    readonly settlement: Settlement;
    readonly scheduler: SettlementScheduler;
  };
}

/**
 * The end of a job that an open call waits for. No request stays open for a minute: a job that is not final by then
 * fails, and so does one whose end a full disk refuses. One that its request or its progression delays gets another
 * {@link WAIT_LIMIT_MS}. Once the client has hung up, unless the emulator is stopping, the job no longer waits for its
 * progression [I207]. Throws `storage_full` where the disk refuses the failure too.
 */
export async function awaitFinal(
  parts: WaitParts,
  jobId: string,
  { gone, isStopping }: { gone: AbortSignal; isStopping: () => boolean },
): Promise<Job> {
  try {
    return await finalInTime(parts, jobId, gone);
  } catch (error) {
    if (isStorageFull(error)) parts.processor.scheduler.abandon(jobId);
    else if (gone.aborted && !isStopping()) await release(parts, jobId);
    throw error;
  }
}

async function finalInTime(parts: WaitParts, jobId: string, gone: AbortSignal): Promise<Job> {
  const { clock, processor } = parts;
  for (;;) {
    const wait = (signal: AbortSignal) => endOf(processor.settlement, jobId, signal);
    const end = await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
    if (end && end !== 'refused') return end;
    if (end === 'refused') await giveUp(parts, jobId, NO_ROOM);
    else if (isOverdue(parts, jobId)) await giveUp(parts, jobId, TOO_LATE);
  }
}

function endOf(settlement: Settlement, jobId: string, signal: AbortSignal): Promise<Job | 'refused'> {
  return settlement.whenFinal(jobId, signal).catch((error: unknown) => {
    if (isStorageFull(error)) return 'refused';
    throw error;
  });
}

function isOverdue({ database, clock }: WaitParts, jobId: string): boolean {
  const open = findOpenJob(database, jobId);
  return open !== undefined && isReady(open, open.progression, clock.now());
}

async function giveUp({ database, processor }: WaitParts, jobId: string, error: JobError): Promise<void> {
  await database.insist((tx) => {
    if (!findJob(tx, jobId)?.outcome) keepOutcome(tx, jobId, { error });
    return processor.settlement.settleWithin(tx, jobId);
  });
}

async function release({ database, processor }: WaitParts, jobId: string): Promise<void> {
  const released = database.transact((tx) => {
    releaseJob(tx, jobId);
    processor.settlement.settleWithin(tx, jobId);
  });
  // What a full disk refuses here, the scheduler tries again.
  await released.catch(() => undefined);
  await processor.scheduler.plan(jobId);
}

/**
 * What a poll sees. It is counted, and settles the job when that is ready. Where the progression or a fault rule makes
 * a job final at a certain poll, that poll waits for the render.
 */
export async function pollJob(
  { database, clock, processor }: WaitParts,
  job: Job,
  { gone }: { gone: AbortSignal },
): Promise<Job> {
  const seen = await processor.settlement.read(job);
  const open = isFinal(seen.status) ? undefined : findOpenJob(database, job.id);
  if (!open || (open.progression.mode !== 'polls' && !isLate(open))) return seen;
  if (!isReady(open, open.progression, clock.now())) return seen;
  if (!open.hasOutcome) {
    await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, async (signal) => {
      await processor.queue.left(open, signal);
    });
  }
  return processor.settlement.settle(job.id);
}

/** How a job is to end; a failure carries its code. */
export type End = { outcome: 'succeeded' } | { outcome: 'failed'; code: string };

/**
 * Ends a job whatever its progression is. A failure is final at once; a success when the render is there, for which
 * this waits up to {@link WAIT_LIMIT_MS}: then the job is returned as it is.
 * Throws `not_found`, and `conflict` for a job that is final already.
 */
export async function finishJob(
  { database, clock, processor }: WaitParts,
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
  processor.queue.wake(released.accountId);
  const wait = (signal: AbortSignal) => processor.settlement.whenFinal(jobId, signal);
  const final = await within(clock, { milliseconds: WAIT_LIMIT_MS, gone }, wait);
  return final ?? findJob(database, jobId) ?? released;
}

/** Whether the job was to fail, or has an outcome of failure that is not settled yet. */
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
