import { realTimeOf } from '../clock/clock-marks.ts';
import type { Job } from '../jobs/job.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { discardedRecords, type OrderRecords, type PaidEntry } from '../orders/order-records.ts';
import type { StoredDelivery } from '../webhooks/delivery-store.ts';
import type { StoredEvent } from '../webhooks/event-store.ts';
import { polledJob, rootsOf } from './order-roots.ts';
import type { TraceFile } from './trace-file.ts';

type TracedRun = TraceFile['tables']['runs'][number];

/** What is on record of each order of a trace, whole and as it stood at a moment (milliseconds of the machine's clock). */
export class OrderBook {
  readonly #trace: TraceFile;
  readonly #requests: Map<string, JournalEntry>;
  readonly #jobs: Map<string, Job>;
  readonly #runs: Map<string, TracedRun>;
  readonly #events: Map<string, StoredEvent[]>;
  readonly #deliveries: Map<string, StoredDelivery[]>;
  readonly #reads: Map<string, JournalEntry[]>;
  readonly #roots: ReadonlyMap<string, string>;
  readonly #entryById: Map<string, PaidEntry>;
  readonly #entryByNumber: Map<string, PaidEntry>;
  readonly #refunds: Map<string, PaidEntry[]>;
  readonly #whole = new Map<string, OrderRecords | undefined>();
  /** The machine's time of each ledger entry, in the order of the table. */
  readonly #paidAt: Float64Array;

  constructor(trace: TraceFile) {
    this.#trace = trace;
    const { requests, jobs, runs, events, deliveries, entries } = trace.tables;
    this.#requests = new Map(requests.map((each) => [each.id, each]));
    this.#jobs = new Map(jobs.map((each) => [each.id, each]));
    this.#runs = new Map(runs.map((each) => [each.run.id, each]));
    this.#events = grouped(events, ({ jobId, runId }) => jobId ?? runId ?? '');
    this.#deliveries = grouped(deliveries, ({ eventId }) => eventId);
    this.#reads = grouped(requests, (each) => (each.discarded ? '' : (polledJob(each) ?? '')));
    this.#roots = rootsOf(trace.tables);
    this.#entryById = new Map(entries.map((each) => [each.id, each]));
    this.#entryByNumber = new Map(entries.map((each) => [`${each.accountId} ${each.n}`, each]));
    this.#refunds = grouped(entries, ({ refundOf }) => refundOf ?? '');
    this.#paidAt = Float64Array.from(entries, ({ created }) => this.real(created));
  }

  /** The id of the order to which something belongs. */
  rootOf(id: string): string | undefined {
    return this.#roots.get(id);
  }

  request(id: string): JournalEntry | undefined {
    return this.#requests.get(id);
  }

  /** The machine's time of a stamp of the emulator's, in milliseconds. */
  real(stamp: number, notBefore = 0): number {
    return realTimeOf(this.#trace.head.marks, stamp, notBefore);
  }

  /** Ledger entries that were made by then, oldest first. */
  paidBy(moment: number): PaidEntry[] {
    return this.#trace.tables.entries.filter((_, at) => (this.#paidAt[at] ?? 0) <= moment);
  }

  /** Everything of an order, as it stood in the end. */
  whole(root: string): OrderRecords | undefined {
    if (!this.#whole.has(root)) this.#whole.set(root, this.#gather(root));
    return this.#whole.get(root);
  }

  #gather(root: string): OrderRecords | undefined {
    const request = this.#requests.get(root);
    const clock = { marks: this.#trace.head.marks, now: this.#trace.head.span.ended };
    if (request?.discarded) return discardedRecords(request, clock);
    const run = this.#runs.get(request?.run_id ?? root);
    const lone = this.#jobs.get(root);
    if (!request && !run && !lone && !this.#isLoneEvent(root)) return undefined;
    const ids = [...(request?.job_ids ?? []), ...(run?.steps.flatMap(({ jobId }) => jobId ?? []) ?? [])];
    const jobs = lone ? [lone] : ids.flatMap((id) => this.#jobs.get(id) ?? []);
    const told = [...jobs.map(({ id }) => id), ...(run ? [run.run.id] : [])];
    const found = told.flatMap((id) => this.#events.get(id) ?? []);
    const events = this.#isLoneEvent(root) ? this.#trace.tables.events.filter(({ id }) => id === root) : found;
    return {
      id: root,
      request,
      run,
      jobs,
      reads: jobs.flatMap(({ id }) => this.#reads.get(id) ?? []).sort((a, b) => a.began - b.began),
      entries: this.#entriesOf(request, jobs, run),
      told: { events, deliveries: events.flatMap(({ id }) => this.#deliveries.get(id) ?? []) },
      clock,
    };
  }

  #isLoneEvent(id: string): boolean {
    return id.startsWith('evt_') && this.#roots.get(id) === id;
  }

  #entriesOf(request: JournalEntry | undefined, jobs: readonly Job[], run: TracedRun | undefined) {
    const account = request?.account_id ?? jobs[0]?.accountId ?? run?.run.accountId;
    const numbers = new Set([
      ...jobs.map(({ charge }) => charge),
      ...(run?.steps.flatMap(({ charge }) => charge ?? []) ?? []),
    ]);
    const own = (request?.charges ?? []).flatMap((id) => this.#entryById.get(id) ?? []);
    const paid = [...numbers].flatMap((n) => this.#entryByNumber.get(`${account} ${n}`) ?? []);
    const charges = [...new Map([...own, ...paid].map((entry) => [entry.id, entry])).values()];
    return charges.flatMap((entry) => [entry, ...(this.#refunds.get(entry.id) ?? [])]);
  }
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

/** From when on nothing of an order changed any more, in milliseconds of the machine's clock; never, for one left open. */
export function settledAt({ request, reads, jobs, entries, told, run, clock }: OrderRecords): number {
  const real = (stamp: number) => realTimeOf(clock.marks, stamp, request?.began ?? 0);
  const stamps = [...jobs.map(({ completed }) => completed), ...(run ? [run.run.finished] : [])];
  const tries = told.deliveries.map(({ attemptedAt, durationMs }) => attemptedAt && attemptedAt + (durationMs ?? 0));
  if ([...stamps, ...tries].includes(null)) return Number.POSITIVE_INFINITY;
  return Math.max(
    ...[...(request ? [request] : []), ...reads].map(({ began, duration_ms }) => began + duration_ms),
    ...[...entries, ...told.events, ...told.deliveries].map(({ created }) => real(created)),
    ...stamps.map((stamp) => real(stamp ?? 0)),
    ...tries.map(Number),
  );
}

/** What was on record of an order at a moment; undefined where it had not begun. */
export function recordsAt(whole: OrderRecords, moment: number): OrderRecords | undefined {
  const { request, jobs, entries, told, run, clock } = whole;
  const real = (stamp: number) => realTimeOf(clock.marks, stamp, request?.began ?? 0);
  const isPast = (stamp: number) => real(stamp) <= moment;
  const answered = request && request.began + request.duration_ms <= moment;
  if (request && request.began > moment) return undefined;
  const past = jobs.filter(({ created }) => isPast(created)).map((job) => jobAt(job, isPast));
  const known = run && isPast(run.run.started) ? runAt(run, { isPast, jobs: past }) : undefined;
  const events = told.events.filter(({ created }) => isPast(created));
  if (!request && !known && past.length === 0 && events.length === 0) return undefined;
  return {
    ...whole,
    request: request && (answered ? request : { ...request, duration_ms: moment - request.began, answer: null }),
    jobs: past,
    run: known,
    reads: whole.reads.filter(({ began, duration_ms }) => began + duration_ms <= moment),
    entries: entries.filter(({ created }) => isPast(created)),
    told: {
      events,
      deliveries: told.deliveries
        .filter(({ eventId, created }) => isPast(created) && events.some(({ id }) => id === eventId))
        .map((each) => deliveryAt(each, moment)),
    },
    clock: { marks: clock.marks.filter(({ real: at }, n) => n === 0 || at <= moment), now: moment },
  };
}

export function jobAt(job: Job, isPast: (stamp: number) => boolean): Job {
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
  { run, steps }: TracedRun,
  { isPast, jobs }: { isPast: (stamp: number) => boolean; jobs: readonly Job[] },
): TracedRun {
  if (run.finished !== null && isPast(run.finished)) return { run, steps };
  const begun = steps.filter(({ jobId }, at) => (jobId ? jobs.some(({ id }) => id === jobId) : at < jobs.length + 1));
  const isWaiting = run.finished === null && run.status === 'waiting' && begun.length === steps.length;
  const status = isWaiting ? 'waiting' : 'running';
  return { run: { ...run, status, finished: null, failure: null, step: Math.max(1, begun.length) }, steps: begun };
}
