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

/** What share of its way an open job has made, from 0 to 1; undefined where nothing tells. */
export function shareOf({ created, progress }: Job, now: number): number | undefined {
  if (!progress) return undefined;
  const { due, share } = progress;
  if (due === null) return share ?? undefined;
  return Math.min(1, Math.max(0, (now - created) / Math.max(1, due - created)));
}
