import { counted } from '../log/counted.ts';
import { readDelivery, type StoredDelivery } from '../webhooks/delivery-store.ts';
import { readEvent } from '../webhooks/event-store.ts';
import { deliveriesOf, eventsOf } from '../webhooks/trail-store.ts';
import type { Step, Story } from './story.ts';

/** What was announced of jobs and runs, and who was told. */
export function tellingSteps({ context, entry, operation }: Story): Step[] {
  if (entry.discarded) return [];
  const { database } = context;
  const runIds = entry.run_id === undefined ? [] : [entry.run_id];
  const trail = eventsOf(database, { jobIds: entry.job_ids, runIds });
  const events = trail.flatMap(({ id }) => readEvent(database, id) ?? []);
  if (events.length === 0) {
    const waits = entry.job_ids.length + runIds.length > 0 && operation?.paid !== 'audio.speech';
    return waits ? [{ step: 'events', text: 'Nothing is announced of it yet.', events: [] }] : [];
  }
  const told = events.map(({ id, type, jobId, runId }) => ({ id, type, of: jobId ?? runId }));
  const ids = told.map(({ id }) => id);
  const deliveries = deliveriesOf(database, ids).flatMap(({ id }) => readDelivery(database, id) ?? []);
  const lines = told.map(({ id, type, of }) => `${type} of ${of} (${id})`);
  return [
    { step: 'events', text: `Announced: ${lines.join('; ')}.`, events: told },
    ...(deliveries.length === 0 ? [noneTold(events.length)] : deliveries.map(deliveryStep)),
  ];
}

function noneTold(n: number): Step {
  return {
    step: 'deliveries',
    text: `No endpoint of the workspace was subscribed to ${n === 1 ? 'it' : 'them'}.`,
  };
}

function deliveryStep(delivery: StoredDelivery): Step {
  const { id, eventId, url, status, responseStatus, durationMs, error, fault } = delivery;
  const parts = [
    `${id} of ${eventId} to ${url} is ${status}`,
    responseStatus === null ? '' : `answered ${responseStatus}`,
    durationMs === null ? '' : `after ${durationMs} ms`,
    error === null ? '' : error,
    fault === null ? '' : `spoilt by a fault rule: ${fault}`,
    delivery.redeliveryOf === null ? '' : `sent once more after ${delivery.redeliveryOf}`,
  ].filter(Boolean);
  return {
    step: 'delivery',
    text: `${parts.join(', ')}.`,
    delivery_id: id,
    event_id: eventId,
    url,
    status,
    response_status: responseStatus,
    fault,
    error,
    redelivery_of: delivery.redeliveryOf,
  };
}

export function summaryOf({ entry, charges }: Story): string {
  const { method, path, status, duration_ms, account_id, discarded, credits } = entry;
  const spent = discarded ? (credits ?? 0) : charges.reduce((sum, { charge }) => sum - charge.amount, 0);
  const back = charges.reduce((sum, { refund }) => sum + (refund?.amount ?? 0), 0);
  const refunds = back === 0 ? '' : `, ${back === spent ? 'all' : back} of it given back`;
  const cost = spent === 0 ? 'nothing was charged' : `${counted(spent, 'credit')} charged${refunds}`;
  const who = account_id === null ? '' : ` of ${account_id}`;
  const past = discarded ? ' A restore has discarded it.' : '';
  return `${method} ${path}${who}: ${status} after ${duration_ms} ms, ${cost}.${past}`;
}
