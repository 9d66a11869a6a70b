import { realTimeOf } from '../../base/clock/clock-marks.ts';
import { grouped } from '../../base/grouped.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import {
  type BothClocks,
  findRoot,
  noteOf,
  type OrderNote,
  type OrderRecords,
  type OrderRoot,
  type OrderSource,
  type RunRecords,
  readJobOf,
  readOrder,
  rootOf,
} from '../orders/order-records.ts';
import type { PaidEntry } from '../paid-entry.ts';
import type { TraceFile } from './trace-file.ts';

/** The orders of a trace as they were at its end. */
export class TraceOrders implements OrderSource {
  readonly clock: BothClocks;
  readonly #trace: TraceFile;
  readonly request: Find<JournalEntry>;
  readonly job: Find<Job>;
  readonly run: Find<RunRecords>;
  readonly runOfJob: Find<string>;
  readonly event: Find<StoredEvent>;
  readonly delivery: Find<StoredDelivery>;
  readonly entry: Find<PaidEntry>;
  readonly #events: Map<string, StoredEvent[]>;
  /** Of one moment they come as they were published. */
  readonly #places: Map<string, number>;
  readonly #deliveries: Map<string, StoredDelivery[]>;
  readonly #reads: Map<string, JournalEntry[]>;
  readonly #starters = new Map<string, JournalEntry[]>();
  readonly #entryByNumber: Find<PaidEntry>;
  readonly #refunds: Map<string, PaidEntry[]>;
  readonly #whole = new Map<string, OrderRecords | undefined>();
  /** The machine's time of each ledger entry, in the order of the table. */
  readonly #paidAt: Float64Array;

  constructor(trace: TraceFile) {
    this.#trace = trace;
    this.clock = { marks: trace.head.marks, now: trace.head.span.ended };
    const { requests, jobs, runs, events, deliveries, entries } = trace.tables;
    this.request = byId(requests);
    this.job = byId(jobs);
    this.run = found(runs.map((each) => [each.run.id, each]));
    this.runOfJob = found(runs.flatMap(({ run, steps }) => steps.map(({ jobId }) => [jobId ?? '', run.id])));
    this.event = byId(events);
    this.#places = new Map(events.map(({ id }, place) => [id, place]));
    this.#events = grouped(events, ({ jobId, runId }) => jobId ?? runId ?? '');
    this.delivery = byId(deliveries);
    this.#deliveries = grouped(deliveries, ({ eventId }) => eventId);
    this.#reads = grouped(requests, (each) => (each.discarded ? '' : (readJobOf(each) ?? '')));
    this.entry = byId(entries);
    this.#entryByNumber = found(entries.map((each) => [numberKey(each.accountId, each.n), each]));
    this.#refunds = grouped(entries, ({ refundOf }) => refundOf ?? '');
    this.#paidAt = Float64Array.from(entries, ({ created }) => this.real(created));
    for (const request of requests) this.#addStarter(request);
  }

  eventsOf({ jobIds, runIds }: { jobIds: readonly string[]; runIds: readonly string[] }): StoredEvent[] {
    const found = [...jobIds, ...runIds].flatMap((id) => this.#events.get(id) ?? []);
    return found.toSorted((a, b) => (this.#places.get(a.id) ?? 0) - (this.#places.get(b.id) ?? 0));
  }

  deliveriesOf(eventIds: readonly string[]): StoredDelivery[] {
    return eventIds.flatMap((id) => this.#deliveries.get(id) ?? []);
  }

  paymentsOf(accountId: string, { ids, numbers }: { ids: readonly string[]; numbers: readonly number[] }): PaidEntry[] {
    const named = ids.flatMap((id) => this.entry(id) ?? []);
    const paid = numbers.flatMap((n) => this.#entryByNumber(numberKey(accountId, n)) ?? []);
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

  /** All orders; a request that reads a job is of the order of that job. */
  all(): OrderRecords[] {
    const { requests, jobs, deliveries } = this.#trace.tables;
    const ids = [...requests, ...jobs, ...deliveries].map(({ id }) => this.orderOf(id) ?? id);
    return [...new Set(ids)].flatMap((id) => this.whole(id) ?? []);
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

/** Finds an item by its key. */
type Find<T> = (key: string) => T | undefined;

function found<T>(items: readonly (readonly [string, T])[]): Find<T> {
  const byKey = new Map(items);
  return (key) => byKey.get(key);
}

function byId<T extends { id: string }>(items: readonly T[]): Find<T> {
  return found(items.map((each) => [each.id, each]));
}
