import { isoTime } from '../clock/clock.ts';
import type { StoredEndpoint } from './endpoint-store.ts';
import type { EventType } from './event-types.ts';

/** An endpoint as the service shows it: exactly these fields, and never its secret. */
export interface Endpoint {
  object: 'webhook';
  id: string;
  url: string;
  events: EventType[];
  /** The one flow whose `flow.run.*` events it gets, and nothing else; null for what all flows and renders bring. */
  flowId: string | null;
  enabled: true;
  lastDeliveryAt: string | null;
  lastStatus: number | null;
  createdAt: string;
}

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
