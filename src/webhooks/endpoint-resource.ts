import { z } from 'zod';
import { isoTime } from '../clock/clock.ts';
import type { StoredEndpoint } from './endpoint-store.ts';
import { EVENT_TYPES } from './event-types.ts';

/** An endpoint as the service shows it: exactly these fields, and never its secret. */
export const endpointShape = z.strictObject({
  object: z.literal('webhook'),
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(EVENT_TYPES)),
  /** The one flow whose `flow.run.*` events it gets, and nothing else; null for what all flows and renders bring. */
  flowId: z.string().nullable(),
  enabled: z.literal(true),
  lastDeliveryAt: z.string().nullable(),
  lastStatus: z.int().nullable(),
  createdAt: z.string(),
});

export type Endpoint = z.infer<typeof endpointShape>;

export function toEndpoint(stored: StoredEndpoint): Endpoint {
  const { id, url, events, flowId, lastDeliveryAt, lastStatus, created } = stored;
  return {
    object: 'webhook',
    id,
    url,
    events,
    flowId,
    enabled: true,
    lastDeliveryAt: lastDeliveryAt === null ? null : isoTime(lastDeliveryAt),
    lastStatus,
    createdAt: isoTime(created),
  };
}

/** The same beside whose it is, as the control surface shows it. */
export function endpointWithOwner(stored: StoredEndpoint): Endpoint & { workspace_id: string } {
  return { ...toEndpoint(stored), workspace_id: stored.workspaceId };
}
