import type { Job, Medium } from '../jobs/job.ts';
import type { EventType } from '../webhooks/event-types.ts';

/** The media whose end is announced; speech has no event of its own. */
const ANNOUNCED: Partial<Record<Medium, 'image' | 'video' | 'music'>> = {
  image: 'image',
  video: 'video',
  music: 'music',
};

/** The event of a final job: its type, and its `data` field by field as the specification has it. */
export function announcement(job: Job): { type: EventType; data: Record<string, unknown> } | undefined {
  const kind = ANNOUNCED[job.medium];
  const { result } = job;
  if (!kind || !result) return undefined;
  const take = job.medium === 'music' ? { take: job.take, seed: job.seed } : {};
  if ('error' in result) {
    return {
      type: `${kind}.generation.failed`,
      data: { id: job.id, model: job.model, ...take, error: result.error },
    };
  }
  const { content_type, result_url, library_id } = result;
  return {
    type: `${kind}.generation.succeeded`,
    data: { id: job.id, model: job.model, ...take, content_type, result_url, library_id },
  };
}
