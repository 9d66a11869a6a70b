import type { ClockMark } from '../../base/clock/clock-marks.ts';
import { idBeside } from '../../base/database/id-store.ts';
import type { RunStep, StoredRun } from '../../engine/flows/run.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { AuditEntry } from '../../engine/journal/audit-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import type { PaidEntry } from '../paid-entry.ts';

/** A run of a flow with the steps that it has reached. */
export interface RunRecords {
  run: StoredRun;
  steps: readonly RunStep[];
}

/** Both clocks: with it the emulator's stamps become the machine's. `now` is the machine's time, in milliseconds. */
export interface BothClocks {
  marks: readonly ClockMark[];
  now: number;
}

/** A text that a test or a person put on record; the machine's time in milliseconds. */
export interface OrderNote {
  at: number;
  accountId: string | null;
  text: string;
}

/**
 * All that is on record of one order: a request and what it led to, a run of a flow, or an event that no request led to.
 * Each list is oldest first.
 */
export interface OrderRecords {
  /** Of the request; else of the run, the job or the event. */
  id: string;
  request: JournalEntry | undefined;
  /** Requests that read its jobs. */
  reads: readonly JournalEntry[];
  jobs: readonly Job[];
  entries: readonly PaidEntry[];
  events: readonly StoredEvent[];
  deliveries: readonly StoredDelivery[];
  run: RunRecords | undefined;
  /** What was noted of its account, or of all, since it began. */
  notes: readonly OrderNote[];
  clock: BothClocks;
}

/** A request of a future that a restore has discarded: what it led to is known from its own record alone. */
function discardedRecords(request: JournalEntry, clock: BothClocks): OrderRecords {
  const none = { reads: [], jobs: [], entries: [], events: [], deliveries: [], run: undefined, notes: [] };
  return { ...none, id: request.id, request, clock };
}

/** A note on record, where it is about the account or about all. */
export function noteOf(
  { kind, at, accountId, detail }: Pick<AuditEntry, 'kind' | 'at' | 'accountId' | 'detail'>,
  about: string,
): OrderNote | undefined {
  const isAbout = kind === 'note' && (accountId === null || accountId === about);
  return isAbout && detail.text !== undefined ? { at, accountId, text: detail.text } : undefined;
}

/** good: ended well; bad: went wrong; wait: needs a decision, or was made on purpose; work: under way. */
export const TONES = ['good', 'bad', 'wait', 'work', 'plain'] as const;
export type LineTone = (typeof TONES)[number];

/** The job that a request reads: the segment of its path that is the id of one. */
export function readJobOf({ method, path }: Pick<JournalEntry, 'method' | 'path'>): string | undefined {
  if (method !== 'GET') return undefined;
  const [plain = ''] = path.split('?');
  return plain.split('/').find((segment) => segment.startsWith('job_'));
}

/** The choice of the emulator that an outcome follows from. */
export function choiceText(id: string | undefined): string {
  return id === undefined ? '' : ` (choice ${id})`;
}

/** The credits that were charged and refunded; of a discarded request, those that its response stated. */
export function moneyOf({ entries, request }: Pick<OrderRecords, 'entries' | 'request'>): {
  charged: number;
  back: number;
} {
  if (request?.discarded) return { charged: request.credits ?? 0, back: 0 };
  const sum = (type: string) => entries.reduce((total, each) => total + (each.type === type ? each.amount : 0), 0);
  return { charged: 0 - sum('charge'), back: sum('refund') };
}

/** The first deliveries, each with all its tries. */
export function triesOf(deliveries: readonly StoredDelivery[]): { first: StoredDelivery; tries: StoredDelivery[] }[] {
  const firsts = deliveries.filter(({ redeliveryOf }) => redeliveryOf === null);
  return firsts.map((first) => {
    const same = ({ eventId, endpointId }: StoredDelivery) =>
      eventId === first.eventId && endpointId === first.endpointId;
    return { first, tries: [first, ...deliveries.filter((each) => each.redeliveryOf !== null && same(each))] };
  });
}

/** The try that succeeded for each event and endpoint, else the last one. */
export function lastTries(deliveries: readonly StoredDelivery[]): StoredDelivery[] {
  return triesOf(deliveries).map(
    ({ first, tries }) => tries.find(({ status }) => status === 'delivered') ?? tries.at(-1) ?? first,
  );
}

/** Where the records of orders are read: the emulator's state, or a trace of it. Lists are oldest first. */
export interface OrderSource {
  readonly clock: BothClocks;
  request(id: string): JournalEntry | undefined;
  job(id: string): Job | undefined;
  run(id: string): RunRecords | undefined;
  /** The id of the run of which a job is a step. */
  runOfJob(jobId: string): string | undefined;
  event(id: string): StoredEvent | undefined;
  delivery(id: string): StoredDelivery | undefined;
  entry(id: string): PaidEntry | undefined;
  eventsOf(of: { jobIds: readonly string[]; runIds: readonly string[] }): StoredEvent[];
  deliveriesOf(eventIds: readonly string[]): StoredDelivery[];
  /** Charges of an account, by their ids and numbers, each followed by its refund. */
  paymentsOf(accountId: string, charges: { ids: readonly string[]; numbers: readonly number[] }): PaidEntry[];
  /** Requests whose own record names a job, charge or run that they led to. */
  startersOf(id: string): JournalEntry[];
  /** Requests that read one of these jobs. */
  readsOf(jobIds: readonly string[]): JournalEntry[];
  /** Of the account, or of all accounts: since then, by the machine's clock in milliseconds. */
  notesOf(accountId: string, since: number): readonly OrderNote[];
}

/** What an order is known by: its request, its run, its job or its event, whichever there is first. */
export interface OrderRoot {
  request?: JournalEntry | undefined;
  runId?: string | undefined;
  job?: Job | undefined;
  event?: StoredEvent | undefined;
}

/** A request as the root of its order. */
export function rootOf(request: JournalEntry): OrderRoot {
  return { request, runId: request.run_id };
}

type Finder = (source: OrderSource, id: string) => OrderRoot | undefined;

const FINDERS: Record<string, Finder> = {
  req_: ofRequest,
  job_: ofJob,
  lib_: (source, id) => ofJob(source, idBeside(id, 'job')),
  run_: ofRun,
  le_: ofEntry,
  evt_: ofEvent,
  dlv_: (source, id) => {
    const delivery = source.delivery(id);
    return delivery && ofEvent(source, delivery.eventId);
  },
};

/** The order to which something belongs, by the id of a request, charge, job, render, event, delivery or run. */
export function findRoot(source: OrderSource, id: string): OrderRoot | undefined {
  return FINDERS[id.slice(0, id.indexOf('_') + 1)]?.(source, id) ?? ofDiscarded(source, id);
}

/** A request that reads a job belongs to the order of that job. */
function ofRequest(source: OrderSource, id: string): OrderRoot | undefined {
  const request = source.request(id);
  if (!request) return undefined;
  const jobId = request.discarded ? undefined : readJobOf(request);
  return (jobId === undefined ? undefined : ofJob(source, jobId)) ?? rootOf(request);
}

function ofJob(source: OrderSource, id: string): OrderRoot | undefined {
  const job = source.job(id);
  if (!job) return undefined;
  const runId = job.ofRun ? source.runOfJob(id) : undefined;
  return ofStarter(source, job) ?? (runId === undefined ? { job } : ofRun(source, runId));
}

function ofRun(source: OrderSource, id: string): OrderRoot | undefined {
  const known = source.run(id);
  return known && (ofStarter(source, known.run) ?? { runId: id });
}

/** A refund belongs to the order of its charge. */
function ofEntry(source: OrderSource, id: string): OrderRoot | undefined {
  const entry = source.entry(id);
  if (!entry) return undefined;
  const { jobId, refundOf } = entry;
  const started = ofStarter(source, entry) ?? (jobId === null ? undefined : ofJob(source, jobId));
  return started ?? (refundOf === null ? undefined : ofEntry(source, refundOf));
}

function ofEvent(source: OrderSource, id: string): OrderRoot | undefined {
  const event = source.event(id);
  if (!event) return undefined;
  const { jobId, runId } = event;
  return (jobId ? ofJob(source, jobId) : runId ? ofRun(source, runId) : undefined) ?? { event };
}

function ofStarter(source: OrderSource, row: { requestId?: string | null }): OrderRoot | undefined {
  const request = row.requestId ? source.request(row.requestId) : undefined;
  return request && !request.discarded ? rootOf(request) : undefined;
}

/** What is gone since a restore went back behind it is named by its request only; an event and a render by their job. */
function ofDiscarded(source: OrderSource, id: string): OrderRoot | undefined {
  const isBesideJob = id.startsWith('evt_') || id.startsWith('lib_');
  const request = source.startersOf(isBesideJob ? idBeside(id, 'job') : id).find(({ discarded }) => discarded);
  return request && rootOf(request);
}

/** Everything on record of an order; the requests that read its jobs only where they are wanted. */
export function readOrder(source: OrderSource, root: OrderRoot, { reads }: { reads: boolean }): OrderRecords {
  const { clock } = source;
  const { request, runId } = root;
  if (request?.discarded) return discardedRecords(request, clock);
  const run = runId === undefined ? undefined : source.run(runId);
  const steps = run?.steps ?? [];
  const ordered = [...(request?.job_ids ?? []), ...steps.flatMap(({ jobId }) => jobId ?? [])];
  const jobs = root.job ? [root.job] : ordered.flatMap((id) => source.job(id) ?? []);
  const jobIds = jobs.map(({ id }) => id);
  const events = root.event ? [root.event] : source.eventsOf({ jobIds, runIds: run ? [run.run.id] : [] });
  const accountId = request?.account_id ?? jobs[0]?.accountId ?? run?.run.accountId ?? '';
  const numbers = [...steps.flatMap(({ charge }) => charge ?? []), ...jobs.map(({ charge }) => charge)];
  return {
    id: request?.id ?? run?.run.id ?? jobs[0]?.id ?? events[0]?.id ?? '',
    request,
    jobs,
    run,
    reads: reads ? source.readsOf(jobIds) : [],
    entries: source.paymentsOf(accountId, { ids: request?.charges ?? [], numbers }),
    events,
    deliveries: source.deliveriesOf(events.map(({ id }) => id)),
    notes: reads && request ? source.notesOf(accountId, request.began) : [],
    clock,
  };
}
