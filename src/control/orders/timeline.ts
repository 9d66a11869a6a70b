import { askedOf, orderStatus, timeOf } from './order-line.ts';
import type { OrderRecords } from './order-records.ts';
import { orderSteps } from './order-steps.ts';
import {
  type Bar,
  LANES,
  type Lane,
  type LaneKind,
  type OrderTimeline,
  type Swimlane,
  TIMELINE_CLOCK,
  type TimelineEvent,
  type TrackName,
} from './timeline-event.ts';
import { scaleOf } from './timeline-scale.ts';

/** One order as a list and as a drawing: its steps, and the same as bars on lanes. */
export function timelineOf(records: OrderRecords): OrderTimeline {
  const { request, run } = records;
  const { began, is_open } = timeOf(records);
  const events = orderSteps(records);
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
    swimlanes: swimlanesOf(events),
    scale: scaleOf(events, began),
    chosen: (failed ?? steps.at(-1))?.id ?? null,
    discarded: request?.discarded,
  };
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

function swimlanesOf(events: readonly TimelineEvent[]): Swimlane[] {
  return LANES.flatMap((lane) =>
    tracksOf(events.filter(({ track }) => track.lane === lane)).map(({ id, label }) => ({
      id,
      lane,
      label,
      steps: events.flatMap(({ track }, at) => (track.id === id ? [at] : [])),
    })),
  );
}
