import { type Clock, isoTime, unixSeconds, withTimeout } from '../../base/clock/clock.ts';
import { deriveRelatedId } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import { completionThresholdOf, visibleJobStatus } from '../jobs/job-state-machine.ts';
import { isFinal, type Job, type JobError, listJobs, type MediaKind, readProgression } from '../jobs/job-store.ts';
import { WAIT_LIMIT_MS } from '../jobs/jobs.ts';
import { renewExpiredUrl } from '../storage/cdn-url.ts';
import { hasOpenDeliveries } from '../webhooks/delivery-store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { GenerationContext } from './place-order.ts';

const OBJECT: Record<MediaKind, string> = {
  image: 'image.generation',
  video: 'video.generation',
  speech: 'audio.speech',
  music: 'music.generation',
};

export type JobRecord = Pick<Job, 'id' | 'status' | 'model' | 'credits'> & {
  object: string;
  created: number;
  completed?: number;
  result_url?: string;
  content_type?: string;
  library_id?: string;
  duration?: number;
  error?: JobError;
  [parameter: string]: unknown;
};

export function jobRecord(job: Job): JobRecord {
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

/** The record of a job in the state that the progression shows. An expired URL is replaced by a new one [I221]. */
export function shownJobRecord(
  { database, clock }: { database: Reader; clock: Pick<Clock, 'now'> },
  job: Job,
): JobRecord {
  const now = clock.now();
  const progression = readProgression(database, job.accountId);
  const record = jobRecord({ ...job, status: visibleJobStatus(job, progression, now) });
  if (typeof record.result_url !== 'string') return record;
  return { ...record, result_url: renewExpiredUrl(database, record.result_url, now) };
}

/**
 * The record of a job for a poll. The fault `unpolled` hides the end of the job until the deliveries of its event have
 * ended [I237].
 */
export function polledJobRecord(parts: { database: Reader; clock: Pick<Clock, 'now'> }, job: Job): JobRecord {
  if (job.faults?.pace !== 'unpolled' || !isUnnotified(parts.database, job)) return shownJobRecord(parts, job);
  return jobRecord({ ...job, status: 'processing', completed: null, result: null });
}

function isUnnotified(database: Reader, { id, status }: Job): boolean {
  return !isFinal(status) || hasOpenDeliveries(database, [deriveRelatedId(id, 'event')]);
}

export async function waitForJobNotifications(
  { clock, jobs }: GenerationContext,
  webhooks: Webhooks,
  jobIds: readonly string[],
  gone: AbortSignal,
): Promise<void> {
  await withTimeout(clock, { milliseconds: WAIT_LIMIT_MS, gone }, async (signal) => {
    await Promise.all(jobIds.map((id) => jobs.whenFinal(id, signal)));
    const events = jobIds.map((id) => deriveRelatedId(id, 'event'));
    await webhooks.untilDelivered(events, signal);
  });
}

export function reasonJobIsOpen(context: { database: Reader; clock: Clock }, job: Job): string {
  const { status } = shownJobRecord(context, job);
  return `the job is ${status}; ${obstacleOf(context, job)}`;
}

function obstacleOf({ database, clock }: { database: Reader; clock: Clock }, job: Job): string {
  const { at, polls } = completionThresholdOf(job, readProgression(database, job.accountId));
  if (at === Number.POSITIVE_INFINITY) {
    return `its progression is manual, so that only POST /_emulator/jobs/${job.id}/finish ends it`;
  }
  if (at > clock.now()) {
    const how = clock.frozen ? 'stands at' : 'shows';
    return `it is due at ${isoTime(at)} and the emulator's clock ${how} ${isoTime(clock.now())}: POST /_emulator/clock/advance`;
  }
  if (polls === Number.POSITIVE_INFINITY) return 'a fault rule ends it once nobody has read it for 3 s';
  if (polls > job.polls) return `it has been polled ${job.polls} of ${polls} times under /v1`;
  return job.outcome ? 'it is rendered and about to be settled' : `it is still ${renderState(job)}`;
}

function renderState({ started, created }: Job): string {
  return started === null ? `waiting for a renderer since ${isoTime(created)}` : `rendering since ${isoTime(started)}`;
}

const MAX_NAMED = 3;

export function describeOpenRenders(database: Reader, accountId?: string): string {
  const open = listJobs(database, { accountId, status: 'open', limit: 100 }).reverse();
  const unfinished = open.filter(({ outcome }) => !outcome);
  if (unfinished.length === 0) return '';
  const named = unfinished.slice(0, MAX_NAMED).map((job) => {
    const take = job.take === null ? '' : `take ${job.take} `;
    return `${take}${job.id} is ${renderState(job)}`;
  });
  const rest = unfinished.length - named.length;
  return ` ${named.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}.`;
}
