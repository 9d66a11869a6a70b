import { realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import { type OrderLine, orderLine } from '../orders/order-line.ts';
import type { OrderRecords, RunRecords } from '../orders/order-records.ts';
import { timelineOf } from '../orders/timeline.ts';
import type { OrderTimeline } from '../orders/timeline-event.ts';

/** From when on nothing of an order changed any more, in milliseconds of the machine's clock; never, for one left open. */
export function settledAt({ request, reads, jobs, entries, events, deliveries, run, clock }: OrderRecords): number {
  const real = (stamp: number) => realTimeOf(clock.marks, stamp, request?.began ?? 0);
  const stamps = [...jobs.map(({ completed }) => completed), ...(run ? [run.run.finished] : [])];
  const tries = deliveries.map(({ attemptedAt, durationMs }) => attemptedAt && attemptedAt + (durationMs ?? 0));
  if ([...stamps, ...tries].includes(null)) return Number.POSITIVE_INFINITY;
  return Math.max(
    ...[...(request ? [request] : []), ...reads].map(({ began, duration_ms }) => began + duration_ms),
    ...[...entries, ...events, ...deliveries].map(({ created }) => real(created)),
    ...stamps.map((stamp) => real(stamp ?? 0)),
    ...tries.map(Number),
  );
}

/** What was on record of an order at a moment; undefined where it had not reached. */
export function recordsAt(whole: OrderRecords, moment: number): OrderRecords | undefined {
  const { request, jobs, entries, run, clock } = whole;
  const real = (stamp: number) => realTimeOf(clock.marks, stamp, request?.began ?? 0);
  const isPast = (stamp: number) => real(stamp) <= moment;
  const answered = request && request.began + request.duration_ms <= moment;
  if (request && request.began > moment) return undefined;
  const past = jobs.filter(({ created }) => isPast(created)).map((job) => jobAt(job, isPast));
  const known = run && isPast(run.run.started) ? runAt(run, { isPast, jobs: past }) : undefined;
  const events = whole.events.filter(({ created }) => isPast(created));
  if (!request && !known && past.length === 0 && events.length === 0) return undefined;
  return {
    ...whole,
    request: request && (answered ? request : { ...request, duration_ms: moment - request.began, answer: null }),
    jobs: past,
    run: known,
    reads: whole.reads.filter(({ began, duration_ms }) => began + duration_ms <= moment),
    entries: entries.filter(({ created }) => isPast(created)),
    events,
    notes: whole.notes.filter(({ at }) => at <= moment),
    deliveries: whole.deliveries
      .filter(({ eventId, created }) => isPast(created) && events.some(({ id }) => id === eventId))
      .map((each) => deliveryAt(each, moment)),
    clock: { marks: clock.marks.filter(({ real: at }, n) => n === 0 || at <= moment), now: moment },
  };
}

function jobAt(job: Job, isPast: (stamp: number) => boolean): Job {
  if (job.completed !== null && isPast(job.completed)) return job;
  const open = { ...job, completed: null, result: null, outcome: null };
  if (job.started !== null && isPast(job.started)) return { ...open, status: 'processing' };
  return { ...open, started: null, status: 'queued' };
}

/** Due, under way, or as it was answered. */
export function deliveryAt(delivery: StoredDelivery, moment: number): StoredDelivery {
  const { attemptedAt, durationMs } = delivery;
  if (attemptedAt !== null && attemptedAt + (durationMs ?? 0) <= moment) return delivery;
  const open = { ...delivery, durationMs: null, responseStatus: null, responseBody: null, error: null };
  if (attemptedAt !== null && attemptedAt <= moment) return { ...open, status: 'attempted' };
  return { ...open, status: 'due', attemptedAt: null, signature: null };
}

function runAt(
  { run, steps }: RunRecords,
  { isPast, jobs }: { isPast: (stamp: number) => boolean; jobs: readonly Job[] },
): RunRecords {
  if (run.finished !== null && isPast(run.finished)) return { run, steps };
  const reached = steps.filter(({ jobId }, at) => (jobId ? jobs.some(({ id }) => id === jobId) : at < jobs.length + 1));
  const isWaiting = run.finished === null && run.status === 'waiting' && reached.length === steps.length;
  const status = isWaiting ? 'waiting' : 'running';
  return { run: { ...run, status, finished: null, failure: null, step: Math.max(1, reached.length) }, steps: reached };
}

/** Whether its request had come, and was not answered yet. */
function isInFlight(records: OrderRecords, whole: OrderRecords): boolean {
  return records.request !== undefined && records.request.duration_ms < (whole.request?.duration_ms ?? 0);
}

/** An order as a row shows it at that moment. */
export function lineAt(records: OrderRecords, whole: OrderRecords): OrderLine {
  // What is past can be neither approved nor sent again.
  const line = { ...orderLine(records, records.reads.length), todo: { redeliver: null, run: null } };
  if (!isInFlight(records, whole)) return line;
  const { began } = line.time;
  return {
    ...line,
    time: { began, took: records.clock.now - began, is_open: true },
    status: { ...line.status, answer: null, says: 'under way', tone: 'work' },
    error: null,
  };
}

/** The same as its drawing: what is still to come has no step. */
export function timelineAt(records: OrderRecords, whole: OrderRecords): OrderTimeline & { line: OrderLine } {
  const line = lineAt(records, whole);
  const timeline = timelineOf(records);
  if (!isInFlight(records, whole)) return { ...timeline, line };
  const answered = timeline.steps.findIndex(({ id }) => id === 'answered');
  const steps = timeline.steps.filter((_, at) => at !== answered);
  const moved = (at: number) => (at > answered ? at - 1 : at);
  return {
    ...timeline,
    line,
    steps,
    swimlanes: timeline.swimlanes.map((lane) => ({
      ...lane,
      steps: lane.steps.filter((at) => at !== answered).map(moved),
    })),
    lanes: timeline.lanes.map((lane) => ({
      ...lane,
      tracks: lane.tracks.map((track) => ({ ...track, bars: track.bars.filter(({ step }) => step !== 'answered') })),
    })),
  };
}
