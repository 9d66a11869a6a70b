import { unixSeconds } from '../clock/clock.ts';
import type { Job, Medium } from '../jobs/job.ts';

const OBJECT: Record<Medium, string> = {
  image: 'image.generation',
  video: 'video.generation',
  speech: 'audio.speech',
  music: 'music.generation',
};

/** A job as its poller sees it: what it is made from, and, once it is final, what it came to. */
export function jobRecord(job: Job): Record<string, unknown> {
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
