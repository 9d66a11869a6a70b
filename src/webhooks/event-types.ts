import { z } from 'zod';
import { sentEvent } from './event-schemas.ts';

export type EventType = z.output<typeof sentEvent>['type'];

/** All that an endpoint may subscribe to: whatever has a schema. */
export const EVENT_TYPES: readonly EventType[] = sentEvent.options.map(({ shape }) => shape.type.value);

/** More than there are: a type may stand there twice. */
const MOST_TYPES = 100;

/** Which events an endpoint is to hear of. */
export const eventTypes = z.array(z.enum(EVENT_TYPES)).min(1).max(MOST_TYPES);

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
