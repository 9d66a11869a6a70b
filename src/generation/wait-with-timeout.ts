import type { Clock } from '../clock/clock.ts';
import { within } from '../clock/within.ts';
import type { Database } from '../database/database.ts';
import type { Job } from '../jobs/job.ts';
import { findJob, keepOutcome } from '../jobs/job-store.ts';
import { findOpenJob } from '../jobs/open-job-store.ts';
import { isReady } from '../jobs/progression.ts';
import { TOO_LATE } from './job-errors.ts';
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
 * fails. One that is held back, because its request or its progression asked for that, is given another while.
 */
export async function awaitFinal(parts: TimeoutParts, jobId: string, gone: AbortSignal): Promise<Job> {
  const { clock, settlement } = parts;
  for (;;) {
    const wait = (signal: AbortSignal) => settlement.whenFinal(jobId, signal);
    const final = await within(clock, { milliseconds: PATIENCE, gone }, wait);
    if (final) return final;
    if (isLate(parts, jobId)) await giveUp(parts, jobId);
  }
}

function isLate({ database, clock }: TimeoutParts, jobId: string): boolean {
  const open = findOpenJob(database, jobId);
  return open !== undefined && isReady(open, open.progression, clock.now());
}

/** Where even that cannot be written, the call waits on. */
async function giveUp({ database, settlement }: TimeoutParts, jobId: string): Promise<void> {
  const given = database.transact((tx) => {
    if (!findJob(tx, jobId)?.outcome) keepOutcome(tx, jobId, { error: TOO_LATE });
    return settlement.settleWithin(tx, jobId);
  });
  await given.catch(() => undefined);
}
