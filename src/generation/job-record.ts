import { type Clock, unixSeconds } from '../clock/clock.ts';
import type { Reader } from '../database/transaction.ts';
import { idBeside } from '../ids.ts';
import { isFinal, type Job, type Medium } from '../jobs/job.ts';
import { shownStatus } from '../jobs/progression.ts';
import { readProgression } from '../jobs/progression-store.ts';
import { signedAnew } from '../storage/signed-url.ts';
import { hasOpen } from '../webhooks/delivery-queue-store.ts';

const OBJECT: Record<Medium, string> = {
  image: 'image.generation',
  video: 'video.generation',
  speech: 'audio.speech',
  music: 'music.generation',
};

/** A job as it is shown. The parameters of its order stand beside these. */
type ShownJob = Pick<Job, 'id' | 'status' | 'model' | 'credits'> & {
  object: string;
  created: number;
  completed?: number;
  result_url?: string;
  [parameter: string]: unknown;
};

/** A job as its poller sees it: what it is made from, and, once it is final, what it came to. */
export function jobRecord(job: Job): ShownJob {
  return {
    id: job.id,
    object: OBJECT[job.medium],
    status: job.status,
    model: job.model,
    created: unixSeconds(job.created),
    ...job.parameters,
    credits: job.credits,
    ...(job.completed === null ? {} : { completed: unixSeconds(job.completed) }),
    ...job.result,
  };
}

/**
 * The record that a look at a job sees: its progression decides how far it seems to be. A result whose URL has expired
 * comes with one that is signed anew, on the address of the first [I221].
 */
export function lookAt({ database, clock }: { database: Reader; clock: Pick<Clock, 'now'> }, job: Job): ShownJob {
  const now = clock.now();
  const progression = readProgression(database, job.accountId);
  const record = jobRecord({ ...job, status: shownStatus(job, progression, now) });
  if (typeof record.result_url !== 'string') return record;
  return { ...record, result_url: signedAnew(database, record.result_url, now) };
}

/** The same to those who poll it: a fault rule may hide its end until its event has been answered [I237]. */
export function polledRecord(
  parts: { database: Reader; clock: Pick<Clock, 'now'> },
  job: Job,
): Record<string, unknown> {
  if (job.faults?.pace !== 'unpolled' || !isUntold(parts.database, job)) return lookAt(parts, job);
  return jobRecord({ ...job, status: 'processing', completed: null, result: null });
}

/** Whether its event is still to be answered by some endpoint. */
function isUntold(database: Reader, { id, status }: Job): boolean {
  return !isFinal(status) || hasOpen(database, [idBeside(id, 'event')]);
}
