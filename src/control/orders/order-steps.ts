import { type ClockMark, realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import type { PaidEntry } from '../paid-entry.ts';
import { timeOf } from './order-line.ts';
import { type LineTone, type OrderRecords, refusalOf, triesOf } from './order-records.ts';
import type { Bar, LaneKind, TimelineEvent, TimelineStep, TimelineStepKind, TrackName } from './timeline-event.ts';
import { lengthText } from './timeline-scale.ts';

/** Of steps of the same moment causes come before their effects, by their ranks; and where and how each kind is drawn. */
const KINDS: Record<TimelineStepKind, readonly [rank: number, lane: LaneKind, look: Bar['look']]> = {
  ordered: [0, 'client', 'call'],
  clock: [1, 'service', 'mark'],
  note: [1, 'service', 'mark'],
  fault: [2, 'service', 'mark'],
  charged: [3, 'money', 'money'],
  began: [4, 'jobs', 'queued'],
  failed: [5, 'jobs', 'rendering'],
  succeeded: [5, 'jobs', 'rendering'],
  refunded: [6, 'money', 'money'],
  published: [7, 'deliveries', 'tick'],
  answered: [8, 'service', 'call'],
  delivered: [9, 'deliveries', 'delivery'],
  read: [10, 'client', 'tick'],
  waits: [11, 'service', 'mark'],
};

/** A step, and the record that it is about. */
export interface OrderStep extends TimelineEvent {
  fact: { request?: JournalEntry; job?: Job; delivery?: StoredDelivery };
}

/**
 * What became of an order (`readOrder`), in the order of the machine's clock: steps, each with a sentence about one fact, the
 * record that it is about, and how it is drawn. Lines of lists, drawings, reports and comparisons of runs are made of
 * this; the same records make the same steps.
 */
export function orderSteps(records: OrderRecords): OrderStep[] {
  const { began, took } = timeOf(records);
  const span = { from: began, to: began + took };
  const work = [
    ...callSteps(records),
    ...moneySteps(records, began),
    ...jobSteps(records, began),
    ...deliverySteps(records, began),
    ...clockSteps(records, span),
    ...noteSteps(records, span),
    ...waitSteps(records, span.to),
  ];
  const moments = work.filter(({ step }) => step.kind !== 'delivered').map(({ step }) => step.at);
  // The sort is stable: of one moment and rank, steps keep this order.
  return [...work, ...readSteps(records, moments)].toSorted(
    ({ step: a }, { step: b }) => a.at - b.at || KINDS[a.kind][0] - KINDS[b.kind][0],
  );
}

/** A step, and what differs from a bar at its moment, in its tone and without words. */
interface Made extends Omit<TimelineStep, 'took' | 'tone'> {
  took?: number | null;
  tone?: LineTone;
  track?: Pick<TrackName, 'id' | 'label'>;
  bars?: readonly Partial<Bar>[];
  fact?: OrderStep['fact'];
}

function made({ track, bars = [{}], fact = {}, took = null, tone = 'plain', ...step }: Made): OrderStep {
  const { id, at, kind } = step;
  const [, lane, look] = KINDS[kind];
  const plain: Bar = { step: id, from: at, to: at, look, tone, text: '', note: '' };
  return {
    step: { ...step, took, tone },
    track: { lane, ...(track ?? { id: lane, label: '' }) },
    bars: bars.map((bar) => ({ ...plain, ...bar })),
    fact,
  };
}

/** The request as it came, what a rule did to it, and as it was answered. */
function callSteps({ request, isInFlight }: OrderRecords): OrderStep[] {
  if (!request) return [];
  const { id, began, duration_ms: took, method, path, status, fault, cut } = request;
  const isBad = status === 0 || status >= 400;
  const bar = { to: began + took, tone: isBad ? 'bad' : 'work', text: `${method} · ${lengthText(took)}` } as const;
  const text = `Ordered: ${method} ${path.split('?')[0]?.slice(0, 200)}`;
  const ordered = { id: 'ordered', kind: 'ordered', at: began, took, text, refs: [id], bars: [bar] } as const;
  const steps = [made({ ...ordered, fact: { request } })];
  if (fault !== undefined) {
    const refs = [fault];
    steps.push(made({ id: fault, kind: 'fault', at: began, tone: 'wait', text: 'A fault rule was applied', refs }));
  }
  return isInFlight ? steps : [...steps, answeredStep(request, isBad || cut ? 'bad' : 'good')];
}

function answeredStep(request: JournalEntry, tone: LineTone): OrderStep {
  const { id, began, duration_ms: took, status, error, cut, job_ids, charges, discarded } = request;
  const code = status >= 400 ? error : undefined;
  const queued = job_ids.length === 1 ? 'one job queued' : `${job_ids.length} jobs queued`;
  const parts = [
    status === 0 ? 'Connection reset' : `Answered ${status}`,
    code,
    cut && status !== 0 ? 'cut before its end' : '',
    status === 202 ? queued : '',
  ];
  return made({
    id: 'answered',
    kind: 'answered',
    at: began + took,
    took,
    tone,
    text: parts.filter(Boolean).join(', '),
    // What it led to has no step of its own any more.
    refs: discarded ? [id, ...job_ids, ...charges] : [id],
    bars: [{ from: began, note: `${status === 0 ? 'reset' : status}${code ? ` ${code}` : ''}` }],
    fact: { request },
  });
}

/** Each charge and what came back of it, with the balance after it. */
function moneySteps({ entries, jobs, clock, request }: OrderRecords, began: number): OrderStep[] {
  if (request?.discarded) return discardedCharge(request);
  // A frozen clock gives no order: a charge is made before its answer is out.
  const latest = request && entries.length > 0 ? request.began + request.duration_ms : Number.POSITIVE_INFINITY;
  return entries.map((entry) => {
    const found = realTimeOf(clock.marks, entry.created, began);
    const at = entry.type === 'charge' ? Math.min(found, latest) : found;
    const take = jobs.length > 1 ? jobs.findIndex(({ id }) => id === jobOf(entries, entry)) + 1 : 0;
    return moneyStep(entry, { at, of: take > 0 ? ` for take ${jobs[take - 1]?.take ?? take}` : '' });
  });
}

function moneyStep(entry: PaidEntry, { at, of }: { at: number; of: string }): OrderStep {
  const { id, amount, balance, refundOf, jobId } = entry;
  const isCharge = amount < 0;
  const n = Math.abs(amount).toLocaleString('en');
  const note = `${balance.toLocaleString('en')} left`;
  const text = isCharge ? `−${n}` : `+${n} refund`;
  return made({
    id,
    kind: isCharge ? 'charged' : 'refunded',
    at,
    tone: isCharge ? 'plain' : 'good',
    text: isCharge ? `Charged ${n}${of}, ${note}` : `Refunded ${n}${of}, ${note}`,
    refs: [id, ...(refundOf ? [refundOf] : []), ...(jobId ? [jobId] : [])],
    bars: [{ balance: { before: balance - amount, after: balance }, text, note }],
  });
}

/** The ledger no longer has it, and the answer does not say what was left. */
function discardedCharge({ credits, charges, began, duration_ms }: JournalEntry): OrderStep[] {
  const [id] = charges;
  if (!credits || id === undefined) return [];
  const n = credits.toLocaleString('en');
  const at = began + duration_ms;
  return [made({ id, kind: 'charged', at, text: `Charged ${n}`, refs: charges, bars: [{ text: `−${n}` }] })];
}

/** A refund is of the job of its charge. */
function jobOf(entries: readonly PaidEntry[], { jobId, refundOf }: PaidEntry): string | null {
  return jobId ?? entries.find(({ id }) => id === refundOf)?.jobId ?? null;
}

/** Each take: queued, rendering, and what it came to. */
function jobSteps({ jobs, clock, run }: OrderRecords, began: number): OrderStep[] {
  return jobs.flatMap((job, position) => {
    const number = run ? (run.steps.find(({ jobId }) => jobId === job.id)?.step ?? 0) : (job.take ?? position + 1);
    const label = run ? `step ${number}` : jobs.length > 1 ? `take ${number}` : '';
    const real = (at: number) => realTimeOf(clock.marks, at, began);
    return takeSteps(job, { track: { id: job.id, label }, now: clock.now, real });
  });
}

interface Take {
  track: Pick<TrackName, 'id' | 'label'>;
  now: number;
  /** The machine's time of a stamp. */
  real: (at: number) => number;
}

/** One that was never seen to begin has its end only. */
function takeSteps(job: Job, { track, now, real }: Take): OrderStep[] {
  const name = capital(track.label || 'the work');
  const created = real(job.created);
  const started = job.started === null ? null : real(job.started);
  const ended = job.completed === null ? null : Math.max(real(job.completed), started ?? 0);
  const end = ended === null ? [] : [endStep(job, name, { track, from: started ?? created, to: ended })];
  if (started === null && ended !== null) return end;
  const until = started ?? now;
  const queued = { to: until, text: until > created ? lengthText(until - created) : '' };
  const rendering = {
    to: null,
    look: 'rendering',
    tone: 'work',
    text: `rendering ${lengthText(now - until)}`,
  } as const;
  const isOpen = started !== null && ended === null;
  const began = made({
    id: `${job.id}-began`,
    kind: 'began',
    at: started ?? created,
    text: started === null ? `${name} is queued` : `${name} began to render`,
    refs: [job.id],
    track,
    bars: [{ ...queued, from: created }, ...(isOpen ? [rendering] : [])],
  });
  return [began, ...end];
}

function endStep(job: Job, name: string, { track, from, to }: Pick<Take, 'track'> & Record<'from' | 'to', number>) {
  const { result } = job;
  const failed = result && 'error' in result ? result.error : undefined;
  const library = result && 'library_id' in result ? [result.library_id] : [];
  return made({
    id: job.id,
    kind: failed ? 'failed' : 'succeeded',
    at: to,
    took: to - from,
    tone: failed ? 'bad' : 'good',
    text: failed ? `${name} failed: ${failed.code}` : `${name} done${fileText(job)}`,
    refs: [job.id, ...library],
    track,
    bars: [{ from, text: `rendering ${lengthText(to - from)}`, note: failed?.code ?? '' }],
    fact: { job },
  });
}

function fileText({ outcome }: Job): string {
  if (!outcome || 'error' in outcome) return '';
  const length = outcome.seconds === undefined ? '' : `${Number(outcome.seconds.toFixed(3))} s of `;
  return `: ${length}${outcome.contentType}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The event, and each attempt to deliver it. */
function deliverySteps({ events, deliveries, clock }: OrderRecords, began: number): OrderStep[] {
  const real = (at: number) => realTimeOf(clock.marks, at, began);
  const silent = events.filter(({ id }) => deliveries.every(({ eventId }) => eventId !== id));
  return [
    ...silent.map((event) => silentStep(event, real(event.created))),
    ...triesOf(deliveries).flatMap(({ first, tries }) => {
      const track = { id: first.id, label: shortType(first.type) };
      return tries.map((delivery) => deliveryStep(delivery, track, real(delivery.created)));
    }),
  ];
}

/** An event that no endpoint wanted. */
function silentStep({ id, type, jobId, runId }: StoredEvent, at: number): OrderStep {
  const refs = [id, ...[jobId, runId].flatMap((each) => each ?? [])];
  const text = `${type}: no endpoint of the workspace was subscribed`;
  const track = { id, label: shortType(type) };
  return made({ id, kind: 'published', at, text, refs, track, bars: [{ note: 'no subscriber' }] });
}

function deliveryStep(delivery: StoredDelivery, track: Pick<TrackName, 'id' | 'label'>, created: number): OrderStep {
  const { id, eventId, endpointId, attemptedAt, durationMs, fault, redeliveryOf } = delivery;
  const at = attemptedAt ?? created;
  const { text, note, tone } = wordsOf(delivery);
  return made({
    id,
    kind: 'delivered',
    at,
    took: durationMs,
    tone,
    text: `${redeliveryOf === null ? delivery.type : `Redelivered ${delivery.type}`} ${text}`,
    refs: [id, eventId, endpointId, ...(redeliveryOf ? [redeliveryOf] : [])],
    track,
    bars: [
      {
        to: at + (durationMs ?? 0),
        text: durationMs === null ? '' : lengthText(durationMs),
        note: fault ? `${note}, ${fault} by a fault` : note,
      },
    ],
    fact: { delivery },
  });
}

function wordsOf(delivery: StoredDelivery): { text: string; note: string; tone: LineTone } {
  const { status, responseStatus, durationMs } = delivery;
  const within = durationMs === null ? '' : ` in ${lengthText(durationMs)}`;
  if (status === 'delivered') {
    return { text: `delivered: ${responseStatus}${within}`, note: String(responseStatus), tone: 'good' };
  }
  const refusal = refusalOf(delivery);
  if (status === 'failed') return { text: `refused: ${refusal}${within}`, note: refusal, tone: 'bad' };
  return { text: status === 'due' ? 'is due' : 'is on its way', note: status, tone: 'work' };
}

/** `…failed`: the part of `music.generation.failed` that differs from others. */
function shortType(type: string): string {
  return `…${type.slice(type.lastIndexOf('.') + 1)}`;
}

/** Reads of its jobs: those that saw the same, one after another and with nothing between, are one step. */
function readSteps({ reads }: OrderRecords, moments: readonly number[]): OrderStep[] {
  const groups: JournalEntry[][] = [];
  for (const read of reads) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const parted = last && moments.some((moment) => moment > endOf(last) && moment <= endOf(read));
    if (group && last && !parted && seenIn(last) === seenIn(read)) group.push(read);
    else groups.push([read]);
  }
  return groups.map(readStep);
}

function endOf({ began, duration_ms }: JournalEntry): number {
  return began + duration_ms;
}

function readStep(group: readonly JournalEntry[]): OrderStep {
  const [first] = group as [JournalEntry];
  const last = group.at(-1) ?? first;
  const seen = seenIn(first);
  const isOne = group.length === 1;
  const note = isOne ? seen : `polled ${group.length} times, ${seen}`;
  return made({
    id: first.id,
    kind: 'read',
    // What a read saw is known when its answer is out.
    at: endOf(first),
    took: isOne ? first.duration_ms : last.began - first.began,
    tone: first.status === 0 || first.status >= 400 ? 'bad' : 'plain',
    text: isOne ? `Read the job: ${seen}` : `Polled ${group.length} times, “${seen}” each time`,
    refs: group.map(({ id }) => id),
    bars: group.map((read) => ({ from: endOf(read), to: endOf(read), note: read === last ? note : '' })),
  });
}

/** The status of the job as a read was answered it. */
function seenIn({ status, error, shown }: JournalEntry): string {
  return error ?? shown?.[0]?.status ?? String(status);
}

interface Span {
  from: number;
  to: number;
}

/** How the clock was moved or stopped while the order was under way: why its stamps are as they are. */
function clockSteps({ clock: { marks }, request }: OrderRecords, { from, to }: Span): OrderStep[] {
  const refs = request ? [request.id] : [];
  return marks.flatMap((mark, n): OrderStep[] => {
    const { real: at } = mark;
    const before = marks[n - 1];
    const note = before && at > from && at <= to ? changeOf(before, mark) : '';
    if (note === '') return [];
    return [
      made({ id: `clock-${at}`, kind: 'clock', at, tone: 'wait', text: `Clock ${note}`, refs, bars: [{ note }] }),
    ];
  });
}

/** `moved on 8 d, frozen`; empty where nothing is another. */
function changeOf(before: ClockMark, mark: ClockMark): string {
  const stood = before.runs ? before.now + (mark.real - before.real) : before.now;
  const by = mark.now - stood;
  const moved = Math.abs(by) < 1000 ? '' : `moved ${by < 0 ? 'back' : 'on'} ${lengthText(Math.abs(by))}`;
  const state = mark.runs ? 'runs again' : 'frozen';
  return [moved, before.runs === mark.runs ? '' : state].filter(Boolean).join(', ');
}

/** What was noted while the order was under way. */
function noteSteps({ notes, request }: OrderRecords, { from, to }: Span): OrderStep[] {
  const refs = request ? [request.id] : [];
  return notes.flatMap(({ at, text: note }, n) => {
    if (at < from || at > to) return [];
    return [made({ id: `note-${at}-${n}`, kind: 'note', at, text: `Note: ${note}`, refs, bars: [{ note }] })];
  });
}

/** A run of a flow that waits for a click. */
function waitSteps({ run }: OrderRecords, at: number): OrderStep[] {
  if (run?.run.status !== 'waiting') return [];
  const { id, step } = run.run;
  const text = `Waits at step ${step} for a click: approve or reject`;
  return [made({ id, kind: 'waits', at, tone: 'wait', text, refs: [id], bars: [{ note: 'waits' }] })];
}
