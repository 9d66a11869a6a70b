import { z } from 'zod';
import { sentEvent } from './event-schemas.ts';

export type EventType = z.output<typeof sentEvent>['type'];

/** All types that an endpoint may subscribe to: those with a schema. */
export const EVENT_TYPES: readonly EventType[] = sentEvent.options.map(({ shape }) => shape.type.value);

/** More than there are types, as duplicates are allowed. */
const MOST_TYPES = 100;

/** The event types of an endpoint. */
export const eventTypes = z.array(z.enum(EVENT_TYPES)).min(1).max(MOST_TYPES);

/** The JSON body of a delivery. `created` is in unix seconds of the emulator's clock. */
export const envelope = z.strictObject({
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  created: z.int(),
  data: z.record(z.string(), z.unknown()),
});

export type Envelope = z.infer<typeof envelope>;

export function isEventType(name: string): name is EventType {
  return EVENT_TYPES.some((type) => type === name);
}

/** Whether the `flow_id` of an endpoint filters events of this type. */
export function isFlowEvent(type: EventType): boolean {
  return type.startsWith('flow.run.');
}
