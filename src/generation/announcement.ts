import type { Job, Medium } from '../jobs/job.ts';
import { EVENT_TYPES, type EventType } from '../webhooks/event-types.ts';

type Announced = EventType extends infer Type
  ? Type extends `${infer Of extends Medium}.generation.${string}`
    ? Of
    : never
  : never;

/** Whether the end of a medium's jobs is announced: there is an event of it. */
function isAnnounced(medium: Medium): medium is Announced {
  return EVENT_TYPES.some((type) => type === `${medium}.generation.succeeded`);
}

/** The event of a final job: its type, and its `data` field by field as the specification has it. */
export function announcement(job: Job): { type: EventType; data: Record<string, unknown> } | undefined {
  const { medium: kind, result } = job;
  if (!isAnnounced(kind) || !result) return undefined;
  const take = kind === 'music' ? { take: job.take, seed: job.seed } : {};
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
