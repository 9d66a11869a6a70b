import { realTimeOf } from '../clock/clock-marks.ts';
import type { Job } from '../jobs/job.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { type OrderLine, orderLine } from '../orders/order-line.ts';
import {
  type BothClocks,
  noteOf,
  type OrderNote,
  type OrderRecords,
  type PaidEntry,
  type RunRecords,
  readJobOf,
} from '../orders/order-records.ts';
import { findRoot, type OrderRoot, type OrderSource, readOrder, rootOf } from '../orders/read-order.ts';
import { timelineOf } from '../orders/timeline.ts';
import type { OrderTimeline } from '../orders/timeline-event.ts';
import type { StoredDelivery, StoredEvent } from '../webhooks/delivery-store.ts';
import type { TraceFile } from './trace-file.ts';

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
    fate: { ...line.fate, answer: null, says: 'under way', tone: 'work' },
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
    rails: timeline.rails.map((rail) => ({ ...rail, steps: rail.steps.filter((at) => at !== answered).map(moved) })),
    lanes: timeline.lanes.map((lane) => ({
      ...lane,
      tracks: lane.tracks.map((track) => ({ ...track, bars: track.bars.filter(({ step }) => step !== 'answered') })),
    })),
  };
}

type TracedRun = TraceFile['tables']['runs'][number];

/** The orders of a trace as they were at its end. */
export class TraceOrders implements OrderSource {
  readonly clock: BothClocks;
  readonly #trace: TraceFile;
  readonly #requests: Map<string, JournalEntry>;
  readonly #jobs: Map<string, Job>;
  readonly #runs: Map<string, TracedRun>;
  readonly #runOfJob: Map<string, string>;
  readonly #eventById: Map<string, StoredEvent>;
  readonly #events: Map<string, StoredEvent[]>;
  readonly #deliveryById: Map<string, StoredDelivery>;
  readonly #deliveries: Map<string, StoredDelivery[]>;
  readonly #reads: Map<string, JournalEntry[]>;
  readonly #starters = new Map<string, JournalEntry[]>();
  readonly #entryById: Map<string, PaidEntry>;
  readonly #entryByNumber: Map<string, PaidEntry>;
  readonly #refunds: Map<string, PaidEntry[]>;
  readonly #whole = new Map<string, OrderRecords | undefined>();
  /** The machine's time of each ledger entry, in the order of the table. */
  readonly #paidAt: Float64Array;

  constructor(trace: TraceFile) {
    this.#trace = trace;
    this.clock = { marks: trace.head.marks, now: trace.head.span.ended };
    const { requests, jobs, runs, events, deliveries, entries } = trace.tables;
    this.#requests = byId(requests);
    this.#jobs = byId(jobs);
    this.#runs = new Map(runs.map((each) => [each.run.id, each]));
    this.#runOfJob = new Map(runs.flatMap(({ run, steps }) => steps.map(({ jobId }) => [jobId ?? '', run.id])));
    this.#eventById = byId(events);
    this.#events = grouped(events, ({ jobId, runId }) => jobId ?? runId ?? '');
    this.#deliveryById = byId(deliveries);
    this.#deliveries = grouped(deliveries, ({ eventId }) => eventId);
    this.#reads = grouped(requests, (each) => (each.discarded ? '' : (readJobOf(each) ?? '')));
    this.#entryById = byId(entries);
    this.#entryByNumber = new Map(entries.map((each) => [numberKey(each.accountId, each.n), each]));
    this.#refunds = grouped(entries, ({ refundOf }) => refundOf ?? '');
    this.#paidAt = Float64Array.from(entries, ({ created }) => this.real(created));
    for (const request of requests) this.#addStarter(request);
  }

  request(id: string): JournalEntry | undefined {
    return this.#requests.get(id);
  }

  job(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  run(id: string): TracedRun | undefined {
    return this.#runs.get(id);
  }

  runOfJob(jobId: string): string | undefined {
    return this.#runOfJob.get(jobId);
  }

  event(id: string): StoredEvent | undefined {
    return this.#eventById.get(id);
  }

  delivery(id: string): StoredDelivery | undefined {
    return this.#deliveryById.get(id);
  }

  entry(id: string): PaidEntry | undefined {
    return this.#entryById.get(id);
  }

  eventsOf({ jobIds, runIds }: { jobIds: readonly string[]; runIds: readonly string[] }): StoredEvent[] {
    return [...jobIds, ...runIds].flatMap((id) => this.#events.get(id) ?? []);
  }

  deliveriesOf(eventIds: readonly string[]): StoredDelivery[] {
    return eventIds.flatMap((id) => this.#deliveries.get(id) ?? []);
  }

  paymentsOf(accountId: string, { ids, numbers }: { ids: readonly string[]; numbers: readonly number[] }): PaidEntry[] {
    const named = ids.flatMap((id) => this.#entryById.get(id) ?? []);
    const paid = numbers.flatMap((n) => this.#entryByNumber.get(numberKey(accountId, n)) ?? []);
    return [...new Set([...named, ...paid])].flatMap((entry) => [entry, ...(this.#refunds.get(entry.id) ?? [])]);
  }

  startersOf(id: string): JournalEntry[] {
    return this.#starters.get(id) ?? [];
  }

  readsOf(jobIds: readonly string[]): JournalEntry[] {
    return jobIds.flatMap((id) => this.#reads.get(id) ?? []).sort((a, b) => a.began - b.began);
  }

  notesOf(accountId: string, since: number): OrderNote[] {
    return this.#trace.tables.acts.flatMap((act) => (act.at < since ? [] : (noteOf(act, accountId) ?? [])));
  }

  /** The id of the order to which something belongs. */
  orderOf(id: string): string | undefined {
    const { request, runId, job, event } = findRoot(this, id) ?? {};
    return request?.id ?? runId ?? job?.id ?? event?.id;
  }

  /** Everything of an order, by its id. */
  whole(id: string): OrderRecords | undefined {
    if (!this.#whole.has(id)) this.#whole.set(id, this.#read(findRoot(this, id)));
    return this.#whole.get(id);
  }

  /** What a request itself led to, also where it reads the job of another. */
  ledTo(request: JournalEntry): OrderRecords {
    return readOrder(this, rootOf(request), { reads: false });
  }

  /** The machine's time of a stamp of the emulator's, in milliseconds. */
  real(stamp: number, notBefore = 0): number {
    return realTimeOf(this.clock.marks, stamp, notBefore);
  }

  /** Ledger entries that were made by then, oldest first. */
  paidBy(moment: number): PaidEntry[] {
    return this.#trace.tables.entries.filter((_, at) => (this.#paidAt[at] ?? 0) <= moment);
  }

  #read(root: OrderRoot | undefined): OrderRecords | undefined {
    return root && readOrder(this, root, { reads: true });
  }

  #addStarter(request: JournalEntry): void {
    const { run_id, job_ids, charges } = request;
    for (const id of [...(run_id === undefined ? [] : [run_id]), ...job_ids, ...charges]) {
      const known = this.#starters.get(id);
      if (known) known.push(request);
      else this.#starters.set(id, [request]);
    }
  }
}

function numberKey(accountId: string, n: number): string {
  return `${accountId} ${n}`;
}

function byId<T extends { id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((each) => [each.id, each]));
}

/** Items by a name of each, in their order. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
