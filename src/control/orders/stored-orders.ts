import { numberOf } from '../../base/database/id-store.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { findRun, findRunOfJob, readRunSteps } from '../../engine/flows/flow-store.ts';
import type { Job } from '../../engine/jobs/job.ts';
import { findJob } from '../../engine/jobs/job-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { findEntry, findRefund, readPriceLines } from '../../engine/ledger/entry-store.ts';
import type { StoredEntry } from '../../engine/ledger/ledger-store.ts';
import { deliveriesOf, eventsOf, readDelivery, type StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import { readEvent, type StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import type { Context } from '../../service/http/context.ts';
import { findPaidEntry, type PaidEntry, paidEntry } from '../paid-entry.ts';
import {
  type BothClocks,
  findRoot,
  noteOf,
  type OrderNote,
  type OrderRoot,
  type OrderSource,
  type RunRecords,
  readJobOf,
} from './order-records.ts';

/** After restores of the same snapshot, several requests may have created something with the same id. */
const MOST_STARTERS = 20;
const MOST_READS = 500;
const MOST_NOTES = 200;

export class StoredOrders implements OrderSource {
  readonly #context: Context;
  readonly #reads: ReadonlyMap<string, readonly string[]> | undefined;

  /** `reads`: known requests that read each job. */
  constructor(context: Context, reads?: ReadonlyMap<string, readonly string[]>) {
    this.#context = context;
    this.#reads = reads;
  }

  get clock(): BothClocks {
    const { clock } = this.#context;
    return { marks: clock.marks, now: clock.real() };
  }

  request(id: string): JournalEntry | undefined {
    return this.#context.records.journal.find(id);
  }

  job(id: string): Job | undefined {
    return findJob(this.#context.database, id);
  }

  run(id: string): RunRecords | undefined {
    const run = findRun(this.#context.database, id);
    return run && { run, steps: readRunSteps(this.#context.database, id) };
  }

  runOfJob(jobId: string): string | undefined {
    return findRunOfJob(this.#context.database, jobId);
  }

  event(id: string): StoredEvent | undefined {
    return readEvent(this.#context.database, id);
  }

  delivery(id: string): StoredDelivery | undefined {
    return readDelivery(this.#context.database, id);
  }

  entry(id: string): PaidEntry | undefined {
    return findPaidEntry(this.#context, id);
  }

  eventsOf(of: { jobIds: readonly string[]; runIds: readonly string[] }): StoredEvent[] {
    return eventsOf(this.#context.database, of).flatMap(({ id }) => this.event(id) ?? []);
  }

  deliveriesOf(eventIds: readonly string[]): StoredDelivery[] {
    return deliveriesOf(this.#context.database, eventIds).flatMap(({ id }) => this.delivery(id) ?? []);
  }

  paymentsOf(accountId: string, { ids, numbers }: { ids: readonly string[]; numbers: readonly number[] }): PaidEntry[] {
    const { database, random } = this.#context;
    const named = ids.flatMap((id) => numberOf(random, 'entry', accountId, id) ?? []);
    return [...new Set([...named, ...numbers])].flatMap((n) => {
      const both = [findEntry(database, accountId, n), findRefund(database, accountId, n)];
      return both.flatMap((entry) => (entry ? [this.#paid(entry)] : []));
    });
  }

  startersOf(id: string): JournalEntry[] {
    const named = this.#context.records.journal.naming(id, MOST_STARTERS);
    return named.filter(({ job_ids, charges, run_id }) => [...job_ids, ...charges, run_id].includes(id));
  }

  readsOf(jobIds: readonly string[]): JournalEntry[] {
    const reads = this.#reads;
    const { journal } = this.#context.records;
    const known = jobIds.flatMap((id) => reads?.get(id)?.flatMap((read) => this.request(read) ?? []) ?? []);
    const found = reads ? known : jobIds.flatMap((id) => journal.naming(`/${id}`, MOST_READS));
    const requests = found.filter((each) => !each.discarded && jobIds.includes(readJobOf(each) ?? ''));
    return [...new Map(requests.map((each) => [each.id, each])).values()].sort((a, b) => a.began - b.began);
  }

  notesOf(accountId: string, since: number): OrderNote[] {
    const page = { before: Number.MAX_SAFE_INTEGER, limit: MOST_NOTES, kind: 'note', since } as const;
    const notes = this.#context.records.audit.list(page);
    return notes.flatMap((each) => noteOf(each, accountId) ?? []).reverse();
  }

  #paid(entry: StoredEntry): PaidEntry {
    const { database, random } = this.#context;
    const paid = paidEntry(random, entry);
    if (entry.type !== 'charge') return paid;
    return { ...paid, lines: readPriceLines(database, entry.accountId, entry.n) };
  }
}

/** As {@link findRoot}. Throws `not_found`. */
export function requireRoot(source: OrderSource, id: string): OrderRoot {
  const root = findRoot(source, id);
  if (root) return root;
  throw new EmulatorError(
    'not_found',
    `There is no order to which ${quoted(id)} belongs. Give the id of a request, charge, job, render, event, delivery or run that is on record; GET /_emulator/search finds them.`,
  );
}
