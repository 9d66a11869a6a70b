import type { ClockMark } from '../../base/clock/virtual-clock.ts';
import { relatedId } from '../../base/database/id-store.ts';
import type { RunStep, StoredRun } from '../../engine/flows/run.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { AuditEntry } from '../../engine/journal/audit-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import type { PaidEntry } from '../paid-entry.ts';

export interface RunRecords {
  run: StoredRun;
  steps: readonly RunStep[];
}

/** Converts the emulator's time to the machine's. `now` is the machine's time in milliseconds. */
export interface BothClocks {
  marks: readonly ClockMark[];
  now: number;
}

/** The time is the machine's, in milliseconds. */
export interface OrderNote {
  at: number;
  accountId: string | null;
  text: string;
}

/** The root is a request, a run of a flow, or an event without a request. Each list is oldest first. */
export interface OrderRecords {
  /** The id of the request, or else of the run, the job or the event. */
  id: string;
  request: JournalEntry | undefined;
  reads: readonly JournalEntry[];
  jobs: readonly Job[];
  entries: readonly PaidEntry[];
  events: readonly StoredEvent[];
  deliveries: readonly StoredDelivery[];
  run: RunRecords | undefined;
  /** Notes about the account or all accounts, since the order began. */
  notes: readonly OrderNote[];
  clock: BothClocks;
}

/** The results of a discarded request are known only from its own record. */
function discardedRecords(request: JournalEntry, clock: BothClocks): OrderRecords {
  const none = { reads: [], jobs: [], entries: [], events: [], deliveries: [], run: undefined, notes: [] };
  return { ...none, id: request.id, request, clock };
}

export function noteOf(
  { kind, at, accountId, detail }: Pick<AuditEntry, 'kind' | 'at' | 'accountId' | 'detail'>,
  about: string,
): OrderNote | undefined {
  const isAbout = kind === 'note' && (accountId === null || accountId === about);
  return isAbout && detail.text !== undefined ? { at, accountId, text: detail.text } : undefined;
}

/** `good`: succeeded; `bad`: failed; `wait`: needs a decision, or was caused on purpose; `work`: in progress. */
export const TONES = ['good', 'bad', 'wait', 'work', 'plain'] as const;
export type LineTone = (typeof TONES)[number];

export function readJobOf({ method, path }: Pick<JournalEntry, 'method' | 'path'>): string | undefined {
  if (method !== 'GET') return undefined;
  const [plain = ''] = path.split('?');
  return plain.split('/').find((segment) => segment.startsWith('job_'));
}

export function choiceText(id: string | undefined): string {
  return id === undefined ? '' : ` (choice ${id})`;
}

/** Signed credits. For a discarded request, as its response stated. */
export function moneyOf({ entries, request }: Pick<OrderRecords, 'entries' | 'request'>): {
  charged: number;
  back: number;
} {
  if (request?.discarded) return { charged: request.credits ?? 0, back: 0 };
  const sum = (type: string) => entries.reduce((total, each) => total + (each.type === type ? each.amount : 0), 0);
  return { charged: 0 - sum('charge'), back: sum('refund') };
}

/** First deliveries, each with its retries. */
export function triesOf(deliveries: readonly StoredDelivery[]): { first: StoredDelivery; tries: StoredDelivery[] }[] {
  const firsts = deliveries.filter(({ redeliveryOf }) => redeliveryOf === null);
  return firsts.map((first) => {
    const same = ({ eventId, endpointId }: StoredDelivery) =>
      eventId === first.eventId && endpointId === first.endpointId;
    return { first, tries: [first, ...deliveries.filter((each) => each.redeliveryOf !== null && same(each))] };
  });
}

/** The successful attempt for each event and endpoint, or else the last one. */
export function lastTries(deliveries: readonly StoredDelivery[]): StoredDelivery[] {
  return triesOf(deliveries).map(
    ({ first, tries }) => tries.find(({ status }) => status === 'delivered') ?? tries.at(-1) ?? first,
  );
}

/** The state of the emulator, or a trace. Lists are oldest first. */
export interface OrderSource {
  readonly clock: BothClocks;
  request(id: string): JournalEntry | undefined;
  job(id: string): Job | undefined;
  run(id: string): RunRecords | undefined;
  runOfJob(jobId: string): string | undefined;
  event(id: string): StoredEvent | undefined;
  delivery(id: string): StoredDelivery | undefined;
  entry(id: string): PaidEntry | undefined;
  eventsOf(of: { jobIds: readonly string[]; runIds: readonly string[] }): StoredEvent[];
  deliveriesOf(eventIds: readonly string[]): StoredDelivery[];
  paymentsOf(accountId: string, charges: { ids: readonly string[]; numbers: readonly number[] }): PaidEntry[];
  /** Requests whose record names a job, charge or run that they started. */
  startersOf(id: string): JournalEntry[];
  readsOf(jobIds: readonly string[]): JournalEntry[];
  /** Notes since this time of the machine's clock, in milliseconds. */
  notesOf(accountId: string, since: number): readonly OrderNote[];
}

/** The first of request, run, job and event that exists. */
export interface OrderRoot {
  request?: JournalEntry | undefined;
  runId?: string | undefined;
  job?: Job | undefined;
  event?: StoredEvent | undefined;
}

export function rootOf(request: JournalEntry): OrderRoot {
  return { request, runId: request.run_id };
}

type Finder = (source: OrderSource, id: string) => OrderRoot | undefined;

const FINDERS: Record<string, Finder> = {
  req_: ofRequest,
  job_: ofJob,
  lib_: (source, id) => ofJob(source, relatedId(id, 'job')),
  run_: ofRun,
  le_: ofEntry,
  evt_: ofEvent,
  dlv_: (source, id) => {
    const delivery = source.delivery(id);
    return delivery && ofEvent(source, delivery.eventId);
  },
};

/** Accepts the id of a request, charge, job, render, event, delivery or run. */
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

/** After a restore, only the record of a request names its results; events and renders name their job. */
function ofDiscarded(source: OrderSource, id: string): OrderRoot | undefined {
  const isRelatedToJob = id.startsWith('evt_') || id.startsWith('lib_');
  const request = source.startersOf(isRelatedToJob ? relatedId(id, 'job') : id).find(({ discarded }) => discarded);
  return request && rootOf(request);
}

/** Reads the requests that read its jobs only if `reads` is set. */
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
