import { deriveRelatedId, parseIdNumber } from '../../base/database/id-store.ts';
import { findEntry } from '../../base/database/ledger-store.ts';
import { findRun } from '../../engine/flows/flow-store.ts';
import { findJob, jobsOfOrder } from '../../engine/jobs/job-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { findRefund, readPriceLines } from '../../engine/ledger/entry-store.ts';
import {
  findOrderOfEntry,
  type Order,
  ordersOfFlowRun,
  storedOrdersOfRequest,
} from '../../engine/orders/order-store.ts';
import { readRunSteps } from '../../engine/orders/run-step-store.ts';
import { readDelivery, readEvent, type StoredEvent } from '../../engine/webhooks/delivery-store.ts';
import { findDeliveryIdsByEvent, findEventOrigins } from '../../engine/webhooks/webhook-list-store.ts';
import type { Context } from '../../service/http/context.ts';
import { findLedgerEntryById, type LedgerEntryWithIds, toLedgerEntryWithIds } from '../ledger.ts';
import { findDeliberateCauses } from './order-causes.ts';
import { jobIdOfGetRequest } from './order-records.ts';

/** Where the records of an order begin: its request, its flow run, its row in the table of orders, or an event. */
export interface OrderRoot {
  request?: JournalEntry | undefined;
  runId?: string | undefined;
  order?: Order | undefined;
  event?: StoredEvent | undefined;
}

export function orderRootOfRequest(request: JournalEntry): OrderRoot {
  return { request, runId: request.run_id };
}

const FINDERS: Record<string, typeof findOrderRoot> = {
  req_: ofRequest,
  job_: ofJob,
  lib_: (context, id) => ofJob(context, deriveRelatedId(id, 'job')),
  run_: ofRun,
  le_: ofEntry,
  evt_: ofEvent,
  dlv_: (context, id) => {
    const delivery = readDelivery(context.database, id);
    return delivery && ofEvent(context, delivery.eventId);
  },
};

export function findOrderRoot(context: Context, id: string): OrderRoot | undefined {
  return FINDERS[id.slice(0, id.indexOf('_') + 1)]?.(context, id);
}

/** For a request that only reads a job, the root is the order of that job. */
function ofRequest(context: Context, id: string): OrderRoot | undefined {
  const request = context.records.journal.find(id);
  if (!request) return undefined;
  const jobId = jobIdOfGetRequest(request);
  return (jobId === undefined ? undefined : ofJob(context, jobId)) ?? orderRootOfRequest(request);
}

function ofJob(context: Context, id: string): OrderRoot | undefined {
  const job = findJob(context.database, id);
  if (!job) return undefined;
  return ofOrder(context, findOrderOfEntry(context.database, job.accountId, job.charge));
}

function ofOrder(context: Context, order: Order | undefined): OrderRoot | undefined {
  if (!order) return undefined;
  return ofStarter(context, order) ?? (order.runId === null ? { order } : ofRun(context, order.runId));
}

function ofRun(context: Context, id: string): OrderRoot | undefined {
  const run = findRun(context.database, id);
  return run && (ofStarter(context, run) ?? { runId: id });
}

function ofEntry(context: Context, id: string): OrderRoot | undefined {
  const entry = findLedgerEntryById(context, id);
  return entry && ofOrder(context, findOrderOfEntry(context.database, entry.accountId, entry.n));
}

function ofEvent(context: Context, id: string): OrderRoot | undefined {
  const event = readEvent(context.database, id);
  if (!event) return undefined;
  const { jobId, runId } = event;
  return (jobId ? ofJob(context, jobId) : runId ? ofRun(context, runId) : undefined) ?? { event };
}

function ofStarter({ records: { journal } }: Context, row: { requestId?: string | null }): OrderRoot | undefined {
  const request = row.requestId ? journal.find(row.requestId) : undefined;
  return request && orderRootOfRequest(request);
}

type KnownReads = ReadonlyMap<string, readonly string[]>;

export type OrderRecords = ReturnType<typeof readOrderRecords>;

/**
 * If `reads` is false, leaves out the reads of the jobs and the notes. A map names the reads of each job, so that they are
 * not searched in the journal.
 */
export function readOrderRecords(context: Context, root: OrderRoot, { reads }: { reads: boolean | KnownReads }) {
  const { database } = context;
  const { request, runId } = root;
  const run = runId === undefined ? undefined : findRun(database, runId);
  const orders = ordersOf(context, root);
  const jobs = orders.flatMap((order) => jobsOfOrder(database, order));
  const jobIds = jobs.map(({ id }) => id);
  const origins = findEventOrigins(database, { jobIds, runIds: run ? [run.id] : [] });
  const events = root.event ? [root.event] : origins.flatMap(({ id }) => readEvent(database, id) ?? []);
  const eventIds = events.map(({ id }) => id);
  const accountId = request?.account_id ?? orders[0]?.accountId ?? run?.accountId ?? '';
  const entries = orders.flatMap((order) => paymentsOf(context, order));
  return {
    id: request?.id ?? run?.id ?? jobs[0]?.id ?? entries[0]?.id ?? events[0]?.id ?? '',
    request,
    jobs,
    run: run && { run, steps: readRunSteps(database, run.id) },
    reads: reads ? readsOf(context, jobIds, reads) : [],
    entries,
    events,
    deliveries: findDeliveryIdsByEvent(database, eventIds).flatMap(({ id }) => readDelivery(database, id) ?? []),
    causes: findDeliberateCauses(context, request),
    notes: reads && request ? notesOf(context, accountId, request.began) : [],
    /** With `marks`, `toRealTime` converts the emulator's time to the machine's. `now` is the machine's time in milliseconds. */
    clock: { marks: context.clock.marks, now: context.clock.real() },
  };
}

const MAX_READS = 500;

function readsOf({ records: { journal } }: Context, jobIds: readonly string[], reads: true | KnownReads) {
  const found = jobIds.flatMap((id) => {
    if (reads === true) return journal.naming(`/${id}`, MAX_READS);
    return reads.get(id)?.flatMap((read) => journal.find(read) ?? []) ?? [];
  });
  const requests = found.filter((each) => jobIds.includes(jobIdOfGetRequest(each) ?? ''));
  return [...new Map(requests.map((each) => [each.id, each])).values()].sort((a, b) => a.began - b.began);
}

function ordersOf({ database, random }: Context, { request, runId, order }: OrderRoot): Order[] {
  if (order) return [order];
  if (runId !== undefined) return ordersOfFlowRun(database, runId);
  if (!request) return [];
  const found = storedOrdersOfRequest(database, request.id);
  if (found.length > 0) return found;
  const accountId = request.account_id ?? '';
  return request.charges.flatMap((id) => {
    const n = parseIdNumber(random, 'entry', accountId, id);
    return n === undefined ? [] : (findOrderOfEntry(database, accountId, n) ?? []);
  });
}

function paymentsOf(context: Context, { accountId, charge, charges }: Order): LedgerEntryWithIds[] {
  const { database } = context;
  const numbers = Array.from({ length: charges }, (_, at) => charge + at);
  const entries = numbers.flatMap((n) => [
    findEntry(database, accountId, n) ?? [],
    findRefund(database, accountId, n) ?? [],
  ]);
  return entries.flat().map((entry) => {
    const paid = toLedgerEntryWithIds(context, entry);
    return entry.type === 'charge' ? { ...paid, lines: readPriceLines(database, accountId, entry.n) } : paid;
  });
}

const MAX_NOTES = 200;

function notesOf({ records: { audit } }: Context, about: string, since: number) {
  const page = { before: Number.MAX_SAFE_INTEGER, limit: MAX_NOTES, kind: 'note', since } as const;
  const notes = audit.list(page).filter(({ accountId }) => accountId === null || accountId === about);
  return notes.flatMap(({ at, detail: { text } }) => (text === undefined ? [] : [{ at, text }])).reverse();
}
