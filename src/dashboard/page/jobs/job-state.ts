import type { Job } from '../data/records.ts';

export function isUnderWay({ status }: Job): boolean {
  return status === 'queued' || status === 'processing';
}

const KINDS: Record<string, string> = {
  'image.generation': 'Picture',
  'video.generation': 'Clip',
  'audio.speech': 'Voice',
  'music.generation': 'Song',
};

export function kindOf({ object }: Job): string {
  return KINDS[object] ?? object;
}

/** What a job is made from, in a line. */
export function promptOf({ prompt, input, title, style }: Job): string {
  return String(prompt ?? input ?? title ?? style ?? '');
}

/** The jobs that fit: `state` is `all`, `open` or a final one. */
export function sortsOf(jobs: readonly Job[], { state, text }: { state: string; text: string }): readonly Job[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && state === 'all') return jobs;
  return jobs.filter((job) => isOf(job, state) && words.every((word) => textOf(job).includes(word)));
}

function isOf(job: Job, state: string): boolean {
  if (state === 'open') return isUnderWay(job);
  return state === 'all' || job.status === state;
}

function textOf(job: Job): string {
  return `${job.id} ${kindOf(job)} ${job.model} ${job.status} ${job.error?.code} ${promptOf(job)}`.toLowerCase();
}

/** What share of its way an open job has made, from 0 to 1; undefined where nothing tells. */
export function shareOf({ created, progress }: Job, now: number): number | undefined {
  if (!progress) return undefined;
  const { due, share } = progress;
  if (due === null) return share ?? undefined;
  return Math.min(1, Math.max(0, (now - created) / Math.max(1, due - created)));
}
