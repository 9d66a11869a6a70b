import { z } from 'zod';
import { EVENT_TYPES } from '../../webhooks/event-schemas.ts';

export const eventType = z.enum(EVENT_TYPES);

const isoTime = z.string().describe('ISO 8601, UTC.');

/** An endpoint as lists show it: exactly these fields, never its secret. */
export const webhook = z.strictObject({
  object: z.literal('webhook'),
  id: z.string(),
  url: z.string(),
  events: z.array(eventType),
  flowId: z.string().nullable().describe('the one flow whose runs it hears of, or null.'),
  enabled: z.literal(true),
  lastDeliveryAt: isoTime.nullable(),
  lastStatus: z.int().nullable().describe('HTTP status of the last delivery, null without one.'),
  createdAt: isoTime,
});

/** What a receiver gets. */
export const envelope = z.strictObject({
  id: z.string(),
  type: eventType,
  created: z.int().describe('unix seconds.'),
  data: z.record(z.string(), z.unknown()),
});
