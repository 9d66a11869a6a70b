import { askedOf } from './asked-words.ts';
import { callEvents, clockEvents, noteMarks, readEvents } from './call-events.ts';
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

/** Of one moment: what leads to what. */
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
  told: 7,
  answered: 8,
  delivered: 9,
  read: 10,
  waits: 11,
};

/** Draws one order from its records: the same records, the same trail. */
export function timelineOf(records: OrderRecords): OrderTimeline {
  const { request, run } = records;
  const { began, took, is_open } = timeOf(records);
  const marks = marksOf(records, { from: began, to: began + took });
  const steps = marks.map(({ step, track }) => ({ ...step, at: step.at - began, track: track.id }));
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
    lanes: LANES.flatMap((kind) => laneOf(marks, kind, began)),
    rails: railsOf(marks),
    scale: scaleOf(marks, began),
    chosen: (failed ?? steps.at(-1))?.id ?? null,
    discarded: request?.discarded,
  };
}

function marksOf(records: OrderRecords, span: { from: number; to: number }): TimelineEvent[] {
  const { from } = span;
  const work = [
    ...callEvents(records),
    ...moneyEvents(records, from),
    ...jobEvents(records, from),
    ...deliveryEvents(records, from),
    ...clockEvents(records, span),
    ...noteMarks(records, span),
    ...waitMark(records, span.to),
  ];
  const moments = work.filter(({ step }) => step.kind !== 'delivered').map(({ step }) => step.at);
  const marks = [...work, ...readEvents(records, moments)];
  return marks
    .map((mark, position) => ({ mark, position }))
    .sort((a, b) => orderOf(a.mark, b.mark) || a.position - b.position)
    .map(({ mark }) => mark);
}

function orderOf({ step: a }: TimelineEvent, { step: b }: TimelineEvent): number {
  return a.at - b.at || RANK[a.kind] - RANK[b.kind];
}

/** A run that waits for a click. */
function waitMark({ run }: OrderRecords, at: number): TimelineEvent[] {
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

/** A lane with its tracks, where it has any. */
function laneOf(marks: readonly TimelineEvent[], kind: LaneKind, began: number): Lane[] {
  const own = marks.filter(({ track }) => track.lane === kind);
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

function tracksOf(marks: readonly TimelineEvent[]): TrackName[] {
  return [...new Map(marks.map(({ track }) => [track.id, track])).values()];
}

function railsOf(marks: readonly TimelineEvent[]): Rail[] {
  return LANES.flatMap((lane) =>
    tracksOf(marks.filter(({ track }) => track.lane === lane)).map(({ id, label }) => ({
      id,
      lane,
      label,
      steps: marks.flatMap(({ track }, at) => (track.id === id ? [at] : [])),
    })),
  );
}
