import { z } from 'zod';

/** All that an endpoint may subscribe to. */
export const EVENT_TYPES = [
  'image.generation.succeeded',
  'image.generation.failed',
  'video.generation.succeeded',
  'video.generation.failed',
  'music.generation.succeeded',
  'music.generation.failed',
  'flow.run.succeeded',
  'flow.run.failed',
  'flow.run.waiting',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What a receiver gets: the JSON body of a delivery. `created` is in unix seconds of the emulator's clock. */
export const envelope = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  created: z.int(),
  data: z.record(z.string(), z.unknown()),
});

export type Envelope = z.infer<typeof envelope>;

/** Whether `flow_id` has a say in who gets it. */
export function isFlowEvent(type: EventType): boolean {
  return type.startsWith('flow.run.');
}
