import { realTimeOf } from '../../base/clock/clock-marks.ts';
import { idBeside } from '../../base/database/id-store.ts';
import { grouped } from '../../base/grouped.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { StoredAuditEntry } from '../../engine/journal/audit-reader-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { OrderRecords, RunRecords } from '../orders/order-records.ts';
import type { Row, TraceFile } from './trace-file.ts';
import type { TraceOrders } from './trace-orders.ts';

/** The rows of each list as they were at a time: later ones are left out, ones deleted since are there again. */
export class RowsAt {
  readonly #trace: TraceFile;
  /** When each record began and ended to be there, in milliseconds of the machine's clock. */
  readonly #born = new Map<string, number>();
  readonly #gone = new Map<string, StoredAuditEntry>();
  readonly #deliveries: Map<string, TraceFile['tables']['deliveries'][number]>;
  readonly #jobs: Map<string, TraceFile['tables']['jobs'][number]>;
  readonly #orders: TraceOrders;
  /** All rows of a list that there ever were, newest first, with when they came. */
  readonly #ever = new Map<string, { row: Row; born: number }[]>();
  /** The requests to which each rule applied. */
  readonly #appliedFault: Map<string, JournalEntry[]>;

  constructor(trace: TraceFile, orders: TraceOrders) {
    this.#trace = trace;
    this.#orders = orders;
    const { requests, jobs, entries, events, deliveries, runs, acts } = trace.tables;
    this.#deliveries = new Map(deliveries.map((each) => [each.id, each]));
    this.#jobs = new Map(jobs.map((each) => [each.id, each]));
    this.#appliedFault = grouped(requests, ({ fault }) => fault ?? '');
    for (const { id, created } of [...jobs, ...entries, ...events, ...deliveries])
      this.#born.set(id, this.#real(created));
    for (const { run } of runs) this.#born.set(run.id, this.#real(run.started));
    for (const { id, completed } of jobs)
      if (completed !== null) this.#born.set(idBeside(id, 'library'), this.#real(completed));
    for (const act of acts) {
      if (act.ref === null) continue;
      if (act.kind === 'deletion') this.#gone.set(act.ref, act);
      else if (act.call?.method === 'POST' && !this.#born.has(act.ref)) this.#born.set(act.ref, act.at);
    }
  }

  /** Newest first; of an unknown path none. */
  list(path: string, moment: number): Row[] {
    const rows: Row[] = [];
    for (const { row, born } of this.#everOf(path)) {
      if (born <= moment && (this.#gone.get(row.id)?.at ?? Infinity) > moment)
        rows.push(this.#rowAt(path, row, moment));
    }
    return rows;
  }

  #everOf(path: string): { row: Row; born: number }[] {
    const known = this.#ever.get(path);
    if (known) return known;
    const { lists, tables } = this.#trace;
    const last = lists[path] ?? [];
    const ids = new Set(last.map(({ id }) => id));
    const deleted = tables.acts.flatMap(({ kind, detail }) =>
      kind === 'deletion' && detail.was ? [detail.was as Row] : [],
    );
    const back = deleted.filter(({ id }) => id.startsWith(PREFIXES[path] ?? ' ') && !ids.has(id)).toReversed();
    const ever = [...back, ...last].map((row) => ({ row, born: this.#bornAt(row) }));
    this.#ever.set(path, ever);
    return ever;
  }

  /** For records that no other dates: their own stamp, to the second. What is older than the run was there from its beginning. */
  #bornAt(row: Row): number {
    const known = this.#born.get(row.id);
    if (known !== undefined) return known;
    if (typeof row.createdAt === 'string') return this.#real(Date.parse(row.createdAt));
    return typeof row.created === 'number' ? this.#real(row.created * 1000) : 0;
  }

  #real(stamp: number): number {
    return this.#orders.real(stamp);
  }

  #rowAt(path: string, row: Row, moment: number): Row {
    if (path === '/jobs') return this.#jobAt(row, moment);
    if (path === '/deliveries') return this.#deliveryAt(row, moment);
    if (path === '/accounts') return { ...row, credits: this.balanceAt(row.id, moment) };
    if (path === '/faults') return this.#faultAt(row, moment);
    if (path === '/runs') return this.#runAt(row, moment);
    return row;
  }

  /** Credits of an account after its last entry. */
  balanceAt(accountId: string, moment: number): number {
    return this.#orders.paidBy(moment).findLast((each) => each.accountId === accountId)?.balance ?? 0;
  }

  #jobAt(row: Row, moment: number): Row {
    const job = this.#jobs.get(row.id);
    if (!job) return row;
    if (job.completed !== null && this.#real(job.completed) <= moment) return row;
    const { completed: _, result_url: _url, library_id: _library, error: _error, duration: _duration, ...open } = row;
    const isBegun = job.started !== null && this.#real(job.started) <= moment;
    return { ...open, id: row.id, status: isBegun ? 'processing' : 'queued' };
  }

  #deliveryAt(row: Row, moment: number): Row {
    const delivery = this.#deliveries.get(row.id);
    if (!delivery) return row;
    const then = deliveryAt(delivery, moment);
    if (then === delivery) return row;
    const { status, durationMs, responseStatus, responseBody, signature, error } = then;
    const answered = { duration_ms: durationMs, response_status: responseStatus, response_body: responseBody };
    return {
      ...row,
      ...answered,
      status,
      signature,
      error,
      ...(then.attemptedAt === null ? { attempted_at: null } : {}),
    };
  }

  #faultAt(row: Row, moment: number): Row {
    const later = this.#appliedFault.get(row.id)?.filter(({ began }) => began > moment).length ?? 0;
    const strikes = Math.max(0, Number(row.strikes) - later);
    const times = Number(row.times);
    return { ...row, strikes, remaining: times === 0 ? null : times - strikes };
  }

  #runAt(row: Row, moment: number): Row {
    const ended =
      typeof row.finishedAt === 'string' ? this.#real(Date.parse(row.finishedAt)) : Number.POSITIVE_INFINITY;
    if (ended <= moment || row.finishedAt === null) return row;
    const { failure: _, ...open } = row;
    return { ...open, id: row.id, status: 'running', finishedAt: null, outputs: [] };
  }
}

/** What ids of a list begin with, of which deleted ones come back. */
const PREFIXES: Record<string, string> = {
  '/faults': 'flt_',
  '/endpoints': 'we_',
  '/objects': 'obj_',
  '/library': 'lib_',
  '/elements': 'el_',
  '/flows': 'flow_',
};

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
    isInFlight: request !== undefined && !answered,
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
function deliveryAt(delivery: StoredDelivery, moment: number): StoredDelivery {
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
