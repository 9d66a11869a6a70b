import { listAccountIds } from '../accounts/account-store.ts';
import { EmulatorError } from '../errors.ts';
import { findRunOfJob, readRunSteps } from '../flows/run-step-store.ts';
import { findRun } from '../flows/run-store.ts';
import type { Context } from '../http/context.ts';
import { idBeside, makeId, numberOf } from '../ids.ts';
import type { Job } from '../jobs/job.ts';
import { findJob } from '../jobs/job-store.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { findEntry, findRefund, type StoredEntry } from '../ledger/ledger-store.ts';
import { discardedRecords, type OrderRecords, type PaidEntry } from './order-records.ts';
import { readDelivery } from '../webhooks/delivery-store.ts';
import { readEvent, type StoredEvent } from '../webhooks/event-store.ts';
import { deliveriesOf, eventsOf } from '../webhooks/trail-store.ts';

/** What an order is known by: its request, its run, its job or its event, whichever there is first. */
export interface OrderRoot {
  request?: JournalEntry | undefined;
  runId?: string | undefined;
  job?: Job | undefined;
  event?: StoredEvent | undefined;
}

/** How many reads of one job a trail tells of. */
const MOST_READS = 500;

/** The order to which something belongs, by the id of a request, charge, job, render, event, delivery or run. Throws `not_found`. */
export async function findRoot(context: OrderParts, id: string): Promise<OrderRoot> {
  await context.search.ready();
  const root = FINDERS[id.slice(0, id.indexOf('_') + 1)]?.(context, id) ?? discardedStart(context, id);
  if (root) return root;
  throw new EmulatorError(
    'not_found',
    `There is no order to which "${id.slice(0, 80)}" belongs. Give the id of a request, charge, job, render, event, delivery or run that is on record; GET /_emulator/search finds them.`,
  );
}

/** What an order is found and read by. */
export type OrderParts = Context;

type Finder = (context: OrderParts, id: string) => OrderRoot | undefined;

const FINDERS: Record<string, Finder> = {
  req_: ofRequest,
  job_: ofJob,
  lib_: (context, id) => ofJob(context, idBeside(id, 'job')),
  run_: ofRun,
  le_: ofEntry,
  evt_: ofEvent,
  dlv_: (context, id) => {
    const delivery = readDelivery(context.database, id);
    return delivery && ofEvent(context, delivery.eventId);
  },
};

/** A poll belongs to the order whose job it read. */
function ofRequest(context: OrderParts, id: string): OrderRoot | undefined {
  const request = context.journal.find(id);
  if (request?.method !== 'GET' || request.discarded) return request && rootOf(request);
  const read = /\bjob_[0-9a-f]{12,40}\b/.exec(request.path)?.[0];
  return (read === undefined ? undefined : ofJob(context, read)) ?? rootOf(request);
}

function ofJob(context: OrderParts, id: string): OrderRoot | undefined {
  const job = findJob(context.database, id);
  if (!job) return undefined;
  const runId = job.ofRun ? findRunOfJob(context.database, id) : undefined;
  return startOf(context, job) ?? (runId === undefined ? { job } : ofRun(context, runId));
}

function ofRun(context: OrderParts, id: string): OrderRoot | undefined {
  const run = findRun(context.database, id);
  return run && (startOf(context, run) ?? { runId: id });
}

/** A refund belongs to the order of its charge. */
function ofEntry(context: OrderParts, id: string): OrderRoot | undefined {
  const { database, random } = context;
  const known = starterOf(context, id);
  if (known) return rootOf(known);
  for (const accountId of listAccountIds(database)) {
    const n = numberOf(random, 'entry', accountId, id);
    const entry = n === undefined ? undefined : findEntry(database, accountId, n);
    if (!entry) continue;
    if (entry.jobId !== null) return ofJob(context, entry.jobId);
    return entry.refundOf === null ? undefined : ofEntry(context, makeId(random, 'entry', accountId, entry.refundOf));
  }
  return undefined;
}

function ofEvent(context: OrderParts, id: string): OrderRoot | undefined {
  const event = readEvent(context.database, id);
  if (!event) return undefined;
  const of = event.jobId ? ofJob(context, event.jobId) : event.runId ? ofRun(context, event.runId) : undefined;
  return of ?? { event };
}

/** The request that led to a job or run, while it is on record. Rows of an earlier version do not name theirs. */
function startOf(context: Context, { id, requestId }: Pick<Job, 'id' | 'requestId'>): OrderRoot | undefined {
  const request = requestId === null ? starterOf(context, id) : context.journal.find(requestId);
  return request && !request.discarded ? rootOf(request) : undefined;
}

function starterOf(context: Context, ref: string): JournalEntry | undefined {
  return starters(context, ref).find(({ discarded }) => !discarded);
}

/** The same of what is there no more, since a restore went back behind it: an event and a render are known by their job. */
function discardedStart(context: Context, id: string): OrderRoot | undefined {
  const ref = /^(?:evt|lib)_/.test(id) ? idBeside(id, 'job') : id;
  const request = starters(context, ref).find(({ discarded }) => discarded);
  return request && rootOf(request);
}

/** Of states that were begun anew from a snapshot, several may have led to something of one name. */
const MOST_STARTERS = 20;

function starters({ search, journal }: Context, ref: string): JournalEntry[] {
  return search.docs.referring(ref, true, MOST_STARTERS).flatMap(({ id }) => journal.find(id) ?? []);
}

/** A request as the root of its order. */
export function rootOf(request: JournalEntry): OrderRoot {
  return { request, runId: request.run_id };
}

/** Everything on record of an order; the requests that read its jobs only where they are wanted. */
export function readOrder(context: OrderParts, root: OrderRoot, { reads }: { reads: boolean }): OrderRecords {
  const { database, clock } = context;
  const { request, runId } = root;
  const bothClocks = { marks: clock.marks, now: clock.real() };
  if (request?.discarded) return discardedRecords(request, bothClocks);
  const run = runId === undefined ? undefined : findRun(database, runId);
  const steps = run ? readRunSteps(database, run.id) : [];
  const jobIds = [...(request?.job_ids ?? []), ...steps.flatMap(({ jobId }) => jobId ?? [])];
  const jobs = root.job ? [root.job] : jobIds.flatMap((id) => findJob(database, id) ?? []);
  const runIds = run ? [run.id] : [];
  const trail = eventsOf(database, { jobIds: jobs.map(({ id }) => id), runIds });
  const found = trail.flatMap(({ id }) => readEvent(database, id) ?? []);
  const events = root.event ? [root.event] : found;
  const eventIds = events.map(({ id }) => id);
  const deliveries = deliveriesOf(database, eventIds).flatMap(({ id }) => readDelivery(database, id) ?? []);
  return {
    id: request?.id ?? run?.id ?? jobs[0]?.id ?? events[0]?.id ?? '',
    request,
    jobs,
    run: run && { run, steps },
    reads: reads ? readsOf(context, jobs) : [],
    entries: entriesOf(context, { request, jobs, charges: run ? steps.flatMap(({ charge }) => charge ?? []) : [] }),
    told: { events, deliveries },
    clock: bothClocks,
  };
}

function readsOf({ search, journal }: Context, jobs: readonly Job[]): JournalEntry[] {
  const docs = jobs.flatMap(({ id }) => search.docs.referring(id, false, MOST_READS));
  const ids = [...new Set(docs.flatMap(({ kind, id }) => (kind === 'request' ? [id] : [])))];
  const requests = ids.flatMap((id) => journal.find(id) ?? []).filter(({ discarded }) => !discarded);
  return requests.sort((a, b) => a.began - b.began);
}

interface Payers {
  request: JournalEntry | undefined;
  jobs: readonly Job[];
  /** Numbers of the entries that paid for the steps of a run. */
  charges: readonly number[];
}

/** Charges, each followed by what gave it back. */
function entriesOf({ database, random }: Context, { request, jobs, charges }: Payers): PaidEntry[] {
  const accountId = request?.account_id ?? jobs[0]?.accountId ?? '';
  const named = (request?.charges ?? []).flatMap((id) => numberOf(random, 'entry', accountId, id) ?? []);
  const wanted = [...new Set([...named, ...charges, ...jobs.map(({ charge }) => charge)])];
  return wanted.flatMap((n) => {
    const both = [findEntry(database, accountId, n), findRefund(database, accountId, n)];
    return both.flatMap((entry) => (entry ? [paidEntry(entry)] : []));
  });

  function paidEntry(entry: StoredEntry): PaidEntry {
    const id = makeId(random, 'entry', entry.accountId, entry.n);
    const refundOf = entry.refundOf === null ? null : makeId(random, 'entry', entry.accountId, entry.refundOf);
    return { ...entry, id, refundOf };
  }
}
