import { realTimeOf } from '../../base/clock/clock-marks.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import { type OrderRecords, refusalOf, type Tone, triesOf } from './order-records.ts';
import type { Bar, TimelineEvent, TrackName } from './timeline-event.ts';
import { lengthText } from './timeline-scale.ts';

/** The event, and each attempt to deliver it. */
export function deliveryEvents(records: OrderRecords, began: number): TimelineEvent[] {
  const { events, deliveries, clock } = records;
  const real = (at: number) => realTimeOf(clock.marks, at, began);
  const silent = events.filter(({ id }) => deliveries.every(({ eventId }) => eventId !== id));
  const tries = triesOf(deliveries);
  return [
    ...silent.map((event) => silentEvent(event, real(event.created))),
    ...tries.flatMap(({ first, tries: all }) => {
      const track = { lane: 'deliveries', id: first.id, label: shortType(first.type) } as const;
      return all.map((delivery) => deliveryEvent(delivery, track, real(delivery.created)));
    }),
  ];
}

/** An event that no endpoint wanted. */
function silentEvent({ id, type, jobId, runId }: StoredEvent, at: number): TimelineEvent {
  const track: TrackName = { lane: 'deliveries', id, label: shortType(type) };
  const bar: Bar = { step: id, from: at, to: at, look: 'tick', tone: 'plain', text: '', note: 'nobody subscribed' };
  const refs = [id, ...[jobId, runId].flatMap((each) => each ?? [])];
  const text = `${type}: no endpoint of the workspace was subscribed`;
  return { step: { id, kind: 'published', at, took: null, tone: 'plain', text, refs }, track, bars: [bar] };
}

function deliveryEvent(delivery: StoredDelivery, track: TrackName, created: number): TimelineEvent {
  const { id, eventId, endpointId, attemptedAt, durationMs, fault, type } = delivery;
  const at = attemptedAt ?? created;
  const tone = toneOf(delivery);
  const took = durationMs === null ? '' : lengthText(durationMs);
  const bar: Bar = {
    step: id,
    from: at,
    to: at + (durationMs ?? 0),
    look: 'delivery',
    tone,
    text: took,
    note: fault ? `${noteOf(delivery)}, ${fault} by a fault` : noteOf(delivery),
  };
  const refs = [id, eventId, endpointId, ...(delivery.redeliveryOf ? [delivery.redeliveryOf] : [])];
  const step = { id, kind: 'delivered', at, took: durationMs, tone, refs } as const;
  return { step: { ...step, text: textOf(delivery, `${type}`, took) }, track, bars: [bar] };
}

function textOf(delivery: StoredDelivery, type: string, took: string): string {
  const name = delivery.redeliveryOf === null ? type : `Redelivered ${type}`;
  const within = took === '' ? '' : ` in ${took}`;
  if (delivery.status === 'delivered') return `${name} delivered: ${delivery.responseStatus}${within}`;
  if (delivery.status === 'failed') return `${name} refused: ${refusalOf(delivery)}${within}`;
  return `${name} is ${delivery.status === 'due' ? 'due' : 'on its way'}`;
}

function toneOf({ status }: StoredDelivery): Tone {
  if (status === 'delivered') return 'good';
  return status === 'failed' ? 'bad' : 'work';
}

function noteOf(delivery: StoredDelivery): string {
  if (delivery.status === 'delivered') return String(delivery.responseStatus);
  return delivery.status === 'failed' ? refusalOf(delivery) : delivery.status;
}

/** `…failed`: the part of `music.generation.failed` that differs from others. */
function shortType(type: string): string {
  return `…${type.slice(type.lastIndexOf('.') + 1)}`;
}
