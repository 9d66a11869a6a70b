import type { Clock } from '../clock/clock.ts';
import { within } from '../clock/within.ts';
import type { Database } from '../database/database.ts';
import { isStorageFull } from '../errors.ts';
import type { Job, JobError } from '../jobs/job.ts';
import { findJob, keepOutcome } from '../jobs/job-store.ts';
import { findOpenJob } from '../jobs/open-job-store.ts';
import { isReady } from '../jobs/progression.ts';
import { NO_ROOM, TOO_LATE } from './job-errors.ts';
import type { Settlement } from './settlement.ts';

/** How long a call waits for a render, in milliseconds of real time. */
export const PATIENCE = 55_000;

export interface TimeoutParts {
  database: Database;
  clock: Clock;
  settlement: Settlement;
}

/**
 * The end of a job that an open call waits for. No request stays open for a minute: a render that is not there by then
 * fails, and so does one whose end a full disk does not take. One that is held back, because its request or its
 * progression asked for that, is given another while. Throws `storage_full` where the disk does not take the failure either.
 */
export async function awaitFinal(parts: TimeoutParts, jobId: string, gone: AbortSignal): Promise<Job> {
  const { clock, settlement } = parts;
  for (;;) {
    const wait = (signal: AbortSignal) => endOf(settlement, jobId, signal);
    const end = await within(clock, { milliseconds: PATIENCE, gone }, wait);
    if (end && end !== 'refused') return end;
    if (end === 'refused') await giveUp(parts, jobId, NO_ROOM);
    else if (isLate(parts, jobId)) await giveUp(parts, jobId, TOO_LATE);
  }
}

function endOf(settlement: Settlement, jobId: string, signal: AbortSignal): Promise<Job | 'refused'> {
  return settlement.whenFinal(jobId, signal).catch((error: unknown) => {
    if (isStorageFull(error)) return 'refused';
    throw error;
  });
}

function isLate({ database, clock }: TimeoutParts, jobId: string): boolean {
  const open = findOpenJob(database, jobId);
  return open !== undefined && isReady(open, open.progression, clock.now());
}

async function giveUp({ database, settlement }: TimeoutParts, jobId: string, error: JobError): Promise<void> {
  await database.insist((tx) => {
    if (!findJob(tx, jobId)?.outcome) keepOutcome(tx, jobId, { error });
    return settlement.settleWithin(tx, jobId);
  });
}
