import { askedOf } from './asked-words.ts';
import { callEvents, clockEvents, noteEvents, readEvents } from './call-events.ts';
import { deliveryEvents } from './delivery-events.ts';
import { timeOf } from './order-line.ts';
import type { OrderRecords } from './order-records.ts';
import { orderStatus } from './order-status.ts';
import {
  type Bar,
  LANES,
  type Lane,
  type LaneKind,
  type OrderTimeline,
  type Rail,
  type Step,
  TIMELINE_CLOCK,
  type TimelineEvent,
  type TrackName,
} from './timeline-event.ts';
import { scaleOf } from './timeline-scale.ts';
import { jobEvents, moneyEvents } from './work-events.ts';

/** The order of steps of the same moment: causes before their effects. */
const RANK: Record<Step['kind'], number> = {
  ordered: 0,
  clock: 1,
  note: 1,
  fault: 2,
  charged: 3,
  began: 4,
  failed: 5,
  succeeded: 5,
  refunded: 6,
  published: 7,
  answered: 8,
  delivered: 9,
  read: 10,
  waits: 11,
};

/**
 * Explains one order from its records (`readOrder`): a list of steps, each with a sentence about one fact, and the same
 * as bars on lanes. Lines of lists, drawings and reports are made of this; the same records make the same timeline.
 */
export function timelineOf(records: OrderRecords): OrderTimeline {
  const { request, run } = records;
  const { began, took, is_open } = timeOf(records);
  const events = timelineEvents(records, { from: began, to: began + took });
  const steps = events.map(({ step, track }) => ({ ...step, at: step.at - began, track: track.id }));
  const { words } = askedOf(records);
  const { says, tone } = orderStatus(records);
  const received = request ? (request.received ?? request.began) : run?.run.started;
  const failed = steps.find((step) => step.tone === 'bad');
  return {
    id: records.id,
    title: words || titleOf(records),
    says,
    tone: is_open && tone === 'good' ? 'work' : tone,
    clock: { name: TIMELINE_CLOCK, began, emulated: received ?? null },
    steps,
    lanes: LANES.flatMap((kind) => laneOf(events, kind, began)),
    rails: railsOf(events),
    scale: scaleOf(events, began),
    chosen: (failed ?? steps.at(-1))?.id ?? null,
    discarded: request?.discarded,
  };
}

function timelineEvents(records: OrderRecords, span: { from: number; to: number }): TimelineEvent[] {
  const { from } = span;
  const work = [
    ...callEvents(records),
    ...moneyEvents(records, from),
    ...jobEvents(records, from),
    ...deliveryEvents(records, from),
    ...clockEvents(records, span),
    ...noteEvents(records, span),
    ...waitEvents(records, span.to),
  ];
  const moments = work.filter(({ step }) => step.kind !== 'delivered').map(({ step }) => step.at);
  // The sort is stable: of one moment and rank, events keep this order.
  return [...work, ...readEvents(records, moments)].toSorted(compareEvents);
}

function compareEvents({ step: a }: TimelineEvent, { step: b }: TimelineEvent): number {
  return a.at - b.at || RANK[a.kind] - RANK[b.kind];
}

/** A run of a flow that waits for a click. */
function waitEvents({ run }: OrderRecords, at: number): TimelineEvent[] {
  if (run?.run.status !== 'waiting') return [];
  const text = `Waits at step ${run.run.step} for a click: approve or reject`;
  const track: TrackName = { lane: 'service', id: 'service', label: '' };
  const step = { id: run.run.id, kind: 'waits', at, took: null, tone: 'wait', text, refs: [run.run.id] } as const;
  return [
    {
      step,
      track,
      bars: [{ step: run.run.id, from: at, to: at, look: 'mark', tone: 'wait', text: '', note: 'waits' }],
    },
  ];
}

function titleOf({ request, run, events, id }: OrderRecords): string {
  if (request) return `${request.method} ${request.path.split('?')[0]}`;
  return run?.run.flowName ?? events[0]?.type ?? id;
}

/** A lane with its tracks; none without a track. */
function laneOf(events: readonly TimelineEvent[], kind: LaneKind, began: number): Lane[] {
  const own = events.filter(({ track }) => track.lane === kind);
  if (own.length === 0) return [];
  const tracks = tracksOf(own).map(({ id, label }) => ({
    id,
    label,
    bars: own.filter(({ track }) => track.id === id).flatMap(({ bars }) => bars.map((bar) => shifted(bar, began))),
  }));
  return [{ kind, tracks }];
}

function shifted(bar: Bar, began: number): Bar {
  return { ...bar, from: bar.from - began, to: bar.to === null ? null : bar.to - began };
}

function tracksOf(events: readonly TimelineEvent[]): TrackName[] {
  return [...new Map(events.map(({ track }) => [track.id, track])).values()];
}

function railsOf(events: readonly TimelineEvent[]): Rail[] {
  return LANES.flatMap((lane) =>
    tracksOf(events.filter(({ track }) => track.lane === lane)).map(({ id, label }) => ({
      id,
      lane,
      label,
      steps: events.flatMap(({ track }, at) => (track.id === id ? [at] : [])),
    })),
  );
}
