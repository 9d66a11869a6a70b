import { realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import { callEvents, clockEvents, noteEvents, readEvents } from './call-events.ts';
import { askedOf, orderStatus, timeOf } from './order-line.ts';
import { type OrderRecords, type PaidEntry, refusalOf, type Tone, triesOf } from './order-records.ts';
import {
  type Bar,
  LANES,
  type Lane,
  type LaneKind,
  type OrderTimeline,
  type Step,
  type Swimlane,
  TIMELINE_CLOCK,
  type TimelineEvent,
  type TrackName,
} from './timeline-event.ts';
import { lengthText, scaleOf } from './timeline-scale.ts';

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
    swimlanes: swimlanesOf(events),
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

/** The event, and each attempt to deliver it. */
function deliveryEvents(records: OrderRecords, began: number): TimelineEvent[] {
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
  const bar: Bar = { step: id, from: at, to: at, look: 'tick', tone: 'plain', text: '', note: 'no subscriber' };
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

/** Each take: queued, rendering, and what it came to. */
function jobEvents({ jobs, clock, run }: OrderRecords, began: number): TimelineEvent[] {
  return jobs.flatMap((job, position) => {
    const number = run ? stepOf(run.steps, job.id) : (job.take ?? position + 1);
    const name = run ? `step ${number}` : jobs.length > 1 ? `take ${number}` : '';
    const track: TrackName = { lane: 'jobs', id: job.id, label: name };
    const real = (at: number) => realTimeOf(clock.marks, at, began);
    return takeEvents({ job, track, name: name || 'the work', now: clock.now }, real);
  });
}

interface Take {
  job: Job;
  track: TrackName;
  name: string;
  now: number;
}

function takeEvents(take: Take, real: (at: number) => number): TimelineEvent[] {
  const { job, track, name, now } = take;
  const created = real(job.created);
  const started = job.started === null ? null : real(job.started);
  const ended = job.completed === null ? null : Math.max(real(job.completed), started ?? 0);
  const until = started ?? ended ?? now;
  const queued: Bar = {
    step: `${job.id}-began`,
    from: created,
    to: until,
    look: 'queued',
    tone: 'plain',
    note: '',
    text: until > created ? lengthText(until - created) : '',
  };
  const marks: TimelineEvent[] = [];
  if (started !== null || ended === null) {
    const text = started === null ? `${capital(name)} is queued` : `${capital(name)} began to render`;
    const step = { ...stepAt(started ?? created), id: `${job.id}-began`, kind: 'began', text, refs: [job.id] } as const;
    marks.push({ step, track, bars: [queued] });
  }
  if (ended !== null) marks.push(endMark(take, { from: started ?? created, to: ended }));
  else if (started !== null) marks[0] = { ...(marks[0] as TimelineEvent), bars: [queued, openBar(take, started)] };
  return marks;
}

function openBar({ job, now }: Take, from: number): Bar {
  const text = `rendering ${lengthText(now - from)}`;
  return { step: `${job.id}-began`, from, to: null, look: 'rendering', tone: 'work', text, note: '' };
}

function endMark({ job, track, name }: Take, { from, to }: { from: number; to: number }): TimelineEvent {
  const { result } = job;
  const failed = result && 'error' in result ? result.error : undefined;
  const tone: Tone = failed ? 'bad' : 'good';
  const library = result && 'library_id' in result ? [result.library_id] : [];
  const bar: Bar = {
    step: job.id,
    from,
    to,
    look: 'rendering',
    tone,
    text: `rendering ${lengthText(to - from)}`,
    note: failed?.code ?? '',
  };
  const kind = failed ? 'failed' : 'succeeded';
  const text = failed ? `${capital(name)} failed: ${failed.code}` : `${capital(name)} done${fileText(job)}`;
  return {
    step: { id: job.id, kind, at: to, took: to - from, tone, text, refs: [job.id, ...library] },
    track,
    bars: [bar],
  };
}

function fileText({ outcome }: Job): string {
  if (!outcome || 'error' in outcome) return '';
  const length = outcome.seconds === undefined ? '' : `${Number(outcome.seconds.toFixed(3))} s of `;
  return `: ${length}${outcome.contentType}`;
}

function stepOf(steps: readonly { step: number; jobId: string | null }[], id: string): number {
  return steps.find(({ jobId }) => jobId === id)?.step ?? 0;
}

function stepAt(at: number): Pick<Step, 'at' | 'took' | 'tone'> {
  return { at, took: null, tone: 'plain' };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const MONEY: TrackName = { lane: 'money', id: 'money', label: '' };

/** Each charge and what came back of it, with the balance after it. */
function moneyEvents({ entries, jobs, clock, request }: OrderRecords, began: number): TimelineEvent[] {
  if (request?.discarded) return discardedMark(request);
  // A frozen clock gives no order: a charge is made before its answer is out.
  const latest = request && entries.length > 0 ? request.began + request.duration_ms : Number.POSITIVE_INFINITY;
  return entries.map((entry) => {
    const found = realTimeOf(clock.marks, entry.created, began);
    const at = entry.type === 'charge' ? Math.min(found, latest) : found;
    const take = jobs.length > 1 ? jobs.findIndex(({ id }) => id === jobOf(entries, entry)) + 1 : 0;
    return moneyMark(entry, { at, of: take > 0 ? ` for take ${jobs[take - 1]?.take ?? take}` : '' });
  });
}

function moneyMark(entry: PaidEntry, { at, of }: { at: number; of: string }): TimelineEvent {
  const { id, amount, balance, refundOf, jobId } = entry;
  const isCharge = amount < 0;
  const tone = isCharge ? 'plain' : 'good';
  const n = Math.abs(amount).toLocaleString('en');
  const left = `${balance.toLocaleString('en')} left`;
  const text = isCharge ? `Charged ${n}${of}, ${left}` : `Gave ${n} back${of}, ${left}`;
  const bar: Bar = {
    step: id,
    from: at,
    to: at,
    look: 'money',
    tone,
    balance: { before: balance - amount, after: balance },
    text: isCharge ? `−${n}` : `+${n} back`,
    note: left,
  };
  const refs = [id, ...(refundOf ? [refundOf] : []), ...(jobId ? [jobId] : [])];
  return {
    step: { id, kind: isCharge ? 'charged' : 'refunded', at, took: null, tone, text, refs },
    track: MONEY,
    bars: [bar],
  };
}

/** The ledger no longer has it, and the answer does not say what was left. */
function discardedMark({ credits, charges, began, duration_ms }: JournalEntry): TimelineEvent[] {
  const [id] = charges;
  if (!credits || id === undefined) return [];
  const at = began + duration_ms;
  const text = `−${credits.toLocaleString('en')}`;
  return [
    {
      step: { id, kind: 'charged', at, took: null, tone: 'plain', text: `Charged ${text.slice(1)}`, refs: charges },
      track: MONEY,
      bars: [{ step: id, from: at, to: at, look: 'money', tone: 'plain', text, note: '' }],
    },
  ];
}

/** A refund is of the job of its charge. */
function jobOf(entries: readonly PaidEntry[], { jobId, refundOf }: PaidEntry): string | null {
  return jobId ?? entries.find(({ id }) => id === refundOf)?.jobId ?? null;
}
