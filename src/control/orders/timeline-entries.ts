import { isoTime } from '../../base/clock/clock.ts';
import { type ClockSyncPoint, toRealTime } from '../../base/clock/virtual-clock.ts';
import { capitalized, countWithNoun } from '../../base/text.ts';
import { isFinal, type Job } from '../../engine/jobs/job-store.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery, StoredEvent } from '../../engine/webhooks/delivery-store.ts';
import type { LedgerEntryWithIds } from '../ledger.ts';
import { type DeliberateCauses, describeSelectedCauses, ruleTitle } from './order-causes.ts';
import { choiceReferenceText, groupAttemptsByDelivery } from './order-records.ts';
import type { OrderRecords } from './stored-orders.ts';
import { byteSizeText, durationText, RANK_AND_LANE_OF_KIND, type TimelineEntry } from './timeline-entry.ts';

type Track = Pick<TimelineEntry['track'], 'id' | 'label'>;

type NewStep = Pick<TimelineEntry, 'id' | 'kind' | 'at' | 'text' | 'refs'> &
  Partial<Pick<TimelineEntry, 'took' | 'tone' | 'details' | 'data'>> & { track?: Track };

export function newTimelineEntry({ track, ...step }: NewStep): TimelineEntry {
  const { took = null, tone = 'plain', details = [], data = {} } = step;
  const [, lane] = RANK_AND_LANE_OF_KIND[step.kind];
  const own = track ?? { id: lane ?? '', label: '' };
  return { ...step, took, tone, details: details.filter(Boolean), track: { lane, ...own }, data };
}

interface Span {
  from: number;
  to: number;
}

export function timelineEntries(records: OrderRecords): TimelineEntry[] {
  const { began, took } = timeSpanOfOrder(records);
  const span = { from: began, to: began + took };
  const steps = [
    ...requestSteps(records),
    ...moneySteps(records, began),
    ...jobSteps(records, began),
    ...deliverySteps(records, began),
    ...clockSteps(records, span),
    ...noteSteps(records, span),
    ...runSteps(records, span),
  ];
  const moments = steps.filter(({ kind }) => kind !== 'delivered').map(({ at }) => at);
  return sortedTimelineEntries([...steps, ...readSteps(records, moments)]);
}

export function sortedTimelineEntries(steps: readonly TimelineEntry[]): TimelineEntry[] {
  return steps.toSorted((a, b) => a.at - b.at || RANK_AND_LANE_OF_KIND[a.kind][0] - RANK_AND_LANE_OF_KIND[b.kind][0]);
}

/** `began` and `took` are by the machine's clock, in milliseconds. For an open order, `took` lasts until now. */
export function timeSpanOfOrder(records: OrderRecords) {
  const { request, jobs, entries, events, deliveries, run } = records;
  const { marks, now } = records.clock;
  const first = run?.run.started ?? jobs[0]?.created ?? entries[0]?.created ?? events[0]?.created ?? now;
  const began = request?.began ?? toRealTime(marks, first, 0);
  const ends = [
    request ? endOf(request) : began,
    ...[...jobs.map(({ completed }) => completed), run?.run.finished].flatMap((end) =>
      end == null ? [] : [toRealTime(marks, end, began)],
    ),
    ...deliveries.flatMap(({ attemptedAt, durationMs }) =>
      attemptedAt === null ? [] : [attemptedAt + (durationMs ?? 0)],
    ),
  ];
  const isOpen = jobs.some(({ status }) => !isFinal(status)) || run?.run.status === 'running';
  return { began, took: (isOpen ? now : Math.max(...ends)) - began, is_open: isOpen };
}

function endOf({ began, duration_ms }: JournalEntry): number {
  return began + duration_ms;
}

function requestSteps({ request, causes }: OrderRecords): TimelineEntry[] {
  if (!request) return [];
  const { id, began: at, duration_ms: took, method, path, account_id: account, retry_count } = request;
  const received = newTimelineEntry({
    ...{ id: 'received', kind: 'received', at, took, refs: [id] },
    text: `Received ${method} ${path.split('?')[0]?.slice(0, 200)}`,
    details: [
      account === null ? 'The request had no valid key.' : `Sent by ${account}.`,
      retry_count === 0 ? '' : `The client says that this is retry ${retry_count}.`,
    ],
    data: { method, retry_count },
  });
  const applied = causes.rules.map((rule) => {
    const { id: ref, match, effect, times } = rule;
    const text = `Fault rule “${ruleTitle(rule)}” applied`;
    const data = { rule: { match, effect, times } };
    return newTimelineEntry({ id: ref, kind: 'fault', at, tone: 'wait', text, refs: [ref], data });
  });
  return [received, ...applied, returnedStep(request, causes)];
}

const CAUSES_OF_ERROR = ['status', 'block', 'drop', 'lost_response', 'swap', 'stream', 'fail_job', 'fail'];
const CAUSES_OF_FAILURE = ['fail_job', 'fail'];

function returnedStep(request: JournalEntry, causes: DeliberateCauses): TimelineEntry {
  const { id, duration_ms: took, status, error: code, error_message: message = '', choice, retry_after } = request;
  const { cut = false, fixture = null, job_ids, asked, left } = request;
  const isBad = status === 0 || status >= 400;
  const error = isBad && code !== undefined ? { code, message } : undefined;
  const parts = [
    status === 0 ? 'Connection reset' : `Returned ${status}`,
    error?.code,
    cut && status !== 0 ? 'cut before its end' : '',
    status === 202 ? `${countWithNoun(job_ids.length, 'job')} queued` : '',
  ];
  return newTimelineEntry({
    ...{ id: 'returned', kind: 'returned', at: endOf(request), took, tone: isBad || cut ? 'bad' : 'good' },
    text: parts.filter(Boolean).join(', '),
    details: [
      error ? `${error.message}${choiceReferenceText(choice)}` : '',
      ...(asked || status === 0 || cut ? describeSelectedCauses(causes, CAUSES_OF_ERROR) : []),
      retry_after === undefined ? '' : `Retry-After: ${countWithNoun(retry_after, 'second')}.`,
    ],
    refs: [id],
    data: { status, cut, fixture, asked, left, retry_after: retry_after ?? null, ...(error && { error }) },
  });
}

function moneySteps({ entries, jobs, clock, request }: OrderRecords, began: number): TimelineEntry[] {
  // Under a frozen clock, times show no order, so a charge is never placed after the response.
  const latest = request && entries.length > 0 ? endOf(request) : Number.POSITIVE_INFINITY;
  return entries.map((entry) => {
    const found = toRealTime(clock.marks, entry.created, began);
    const at = entry.type === 'charge' ? Math.min(found, latest) : found;
    const jobId = entry.jobId ?? entries.find(({ id }) => id === entry.refundOf)?.jobId;
    const take = jobs.length > 1 ? jobs.findIndex(({ id }) => id === jobId) + 1 : 0;
    return moneyStep(entry, at, take > 0 ? ` for take ${jobs[take - 1]?.take ?? take}` : '');
  });
}

function moneyStep(entry: LedgerEntryWithIds, at: number, of: string): TimelineEntry {
  const { id, amount, balance, refundOf, jobId } = entry;
  const isCharge = amount < 0;
  const { lines = [] } = entry;
  const sum = lines.map((line) => `${line.times} × ${line.credits} (${line.for})`).join(' + ');
  return newTimelineEntry({
    ...{ id, kind: isCharge ? 'charged' : 'refunded', at, tone: isCharge ? 'plain' : 'good' },
    text: `${isCharge ? 'Charged' : 'Refunded'} ${credits(Math.abs(amount))}${of}, ${balance.toLocaleString('en')} left`,
    details: [sum && `${sum} = ${-amount}.`],
    refs: [id, refundOf, jobId].filter((ref) => ref !== null),
    data: { amount, balance, job_id: jobId, ...(isCharge && { price_lines: lines }) },
  });
}

function credits(n: number): string {
  return `${n.toLocaleString('en')} credit${n === 1 ? '' : 's'}`;
}

interface Take {
  track: Track;
  name: string;
  now: number;
  real: (at: number) => number;
  causes: DeliberateCauses;
}

function jobSteps({ jobs, clock, run, causes }: OrderRecords, began: number): TimelineEntry[] {
  const real = (at: number) => toRealTime(clock.marks, at, began);
  return jobs.flatMap((job, position) => {
    const number = run ? (run.steps.find(({ jobId }) => jobId === job.id)?.step ?? 0) : (job.take ?? position + 1);
    const label = run ? `step ${number}` : jobs.length > 1 ? `take ${number}` : '';
    const name = capitalized(label || 'the job');
    const take = { track: { id: job.id, label }, name, now: clock.now, real, causes };
    const end = job.completed === null ? [] : [endStep(job, take)];
    return job.started === null && end.length > 0 ? end : [firstStep(job, take), ...end];
  });
}

function firstStep(job: Job, { track, name, now, real }: Take): TimelineEntry {
  const { id, polls, started } = job;
  const isOver = job.completed !== null;
  const created = real(job.created);
  const at = started === null ? created : real(started);
  const state = started === null ? 'is queued' : isOver ? 'started' : 'is rendering';
  return newTimelineEntry({
    ...{ id: `${id}-started`, kind: started === null ? 'queued' : 'started', at, track, refs: [id] },
    took: (started === null ? now : at) - created,
    tone: isOver ? 'plain' : 'work',
    text: `${name} ${state}`,
    details: jobDetails(job),
    data: { job_id: id, polls },
  });
}

function jobDetails({ id, polls, readyAt, failWith, released, outcome, created, completed }: Job): string[] {
  return [
    `${id} was ordered at ${isoTime(created)}.`,
    readyAt === null ? '' : `It cannot end before ${isoTime(readyAt)}.`,
    failWith === null ? '' : `It is set to fail with ${failWith}.`,
    released ? 'A test requested its end.' : '',
    outcome && completed === null ? 'Its result is stored, and it ends when its progression allows.' : '',
    `It was polled ${countWithNoun(polls, 'time')} before its end.`,
  ];
}

function endStep(job: Job, { track, name, real, causes }: Take): TimelineEntry {
  const { id, result, started, created, completed } = job;
  const from = real(started ?? created);
  const at = Math.max(real(completed ?? created), started === null ? 0 : from);
  const step = { id, at, took: at - from, track };
  if (result && 'error' in result) {
    const { code, message } = result.error;
    const data = { job_id: id, error: { code, message } };
    const text = `${name} failed: ${code}`;
    const details = [message, ...(job.failWith === code ? describeSelectedCauses(causes, CAUSES_OF_FAILURE) : [])];
    return newTimelineEntry({ ...step, kind: 'failed', tone: 'bad', text, details, refs: [id], data });
  }
  const { text, ...file } = madeOf(job);
  return newTimelineEntry({
    ...{ ...step, kind: 'succeeded', tone: 'good', text: `${name} succeeded${text}` },
    details: [result ? `Its file is ${result.library_id} in the library.` : ''],
    refs: result ? [id, result.library_id] : [id],
    data: { job_id: id, ...file, ...(result && { library_id: result.library_id }) },
  });
}

function madeOf({ outcome }: Job): { text: string; content_type?: string; bytes?: number } {
  if (!outcome || 'error' in outcome) return { text: '' };
  const { contentType, bytes, seconds } = outcome.file;
  const length = seconds == null ? '' : `${Number(seconds.toFixed(3))} s of `;
  return { text: `: ${length}${contentType}, ${byteSizeText(bytes)}`, content_type: contentType, bytes };
}

function deliverySteps({ events, deliveries, clock }: OrderRecords, began: number): TimelineEntry[] {
  const real = (at: number) => toRealTime(clock.marks, at, began);
  const silent = events.filter(({ id }) => deliveries.every(({ eventId }) => eventId !== id));
  return [
    ...silent.map((event) => silentStep(event, real(event.created))),
    ...groupAttemptsByDelivery(deliveries).flatMap(({ first, tries }) => {
      const track = { id: first.id, label: shortType(first.type) };
      return tries.map((delivery) => deliveryStep(delivery, track, real(delivery.created)));
    }),
  ];
}

function silentStep({ id, type, jobId, runId }: StoredEvent, at: number): TimelineEntry {
  return newTimelineEntry({
    ...{ id, kind: 'published', at, track: { id, label: shortType(type) } },
    text: `${type}: no endpoint of the workspace is subscribed`,
    refs: [id, jobId, runId].filter((ref) => ref !== null),
    data: { event_id: id, type },
  });
}

function deliveryStep(delivery: StoredDelivery, track: Track, created: number): TimelineEntry {
  const { id, type, eventId, endpointId, url, status, responseStatus, attemptedAt, durationMs, error } = delivery;
  const { fault, redeliveryOf } = delivery;
  const again = redeliveryOf === null ? 'delivered' : 'redelivered';
  const within = durationMs === null ? '' : ` in ${durationText(durationMs)}`;
  const [outcome, tone] = (
    {
      delivered: [`${again}: ${responseStatus}${within}`, 'good'],
      failed: [`not ${again}: ${responseStatus ?? failureText(error)}${within}`, 'bad'],
      due: ['due', 'work'],
      attempted: ['on its way', 'work'],
    } as const
  )[status];
  return newTimelineEntry({
    ...{ id, kind: 'delivered', at: attemptedAt ?? created, took: durationMs, tone, track },
    text: `${capitalized(outcome)} (${type})`,
    details: [
      `${id} of ${eventId} to ${url}.`,
      error ?? '',
      fault === null ? '' : `A fault rule changed it: ${fault}.`,
      redeliveryOf === null ? '' : `It repeats ${redeliveryOf}.`,
    ],
    refs: [id, eventId, endpointId, ...(redeliveryOf ? [redeliveryOf] : [])],
    data: { status: responseStatus, fault, url, type, event_id: eventId, redelivery_of: redeliveryOf },
  });
}

const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'connection refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown host'],
  [/ECONNRESET|socket hang up|other side closed/, 'connection reset'],
];

function failureText(error: string | null): string {
  return FAILURES.find(([pattern]) => pattern.test(error ?? ''))?.[1] ?? 'no response';
}

function shortType(type: string): string {
  return `…${type.slice(type.lastIndexOf('.') + 1)}`;
}

/** Polls with the same result are one step, unless a step other than a delivery came in between. */
function readSteps({ reads }: OrderRecords, moments: readonly number[]): TimelineEntry[] {
  const groups: JournalEntry[][] = [];
  for (const read of reads) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isParted = last && moments.some((moment) => moment > endOf(last) && moment <= endOf(read));
    if (group && last && !isParted && seenIn(last) === seenIn(read)) group.push(read);
    else groups.push([read]);
  }
  return groups.map(readStep);
}

function readStep(group: readonly JournalEntry[]): TimelineEntry {
  const [first] = group as [JournalEntry];
  const last = group.at(-1) ?? first;
  const isOne = group.length === 1;
  return newTimelineEntry({
    // A poll has its result only at its end.
    ...{ id: first.id, kind: 'read', at: endOf(first), took: isOne ? first.duration_ms : last.began - first.began },
    tone: first.status === 0 || first.status >= 400 ? 'bad' : 'plain',
    text: isOne ? `Read the job: ${seenIn(first)}` : `Polled ${group.length} times, “${seenIn(first)}” each time`,
    refs: group.map(({ id }) => id),
    data: { reads: group.map((read) => endOf(read) - endOf(first)) },
  });
}

function seenIn({ status, error, shown }: JournalEntry): string {
  return error ?? shown?.[0]?.status ?? String(status);
}

function clockSteps({ clock: { marks }, request }: OrderRecords, { from, to }: Span): TimelineEntry[] {
  const refs = request ? [request.id] : [];
  return marks.flatMap((mark, n): TimelineEntry[] => {
    const { real: at } = mark;
    const before = marks[n - 1];
    const change = before && at > from && at <= to ? changeOf(before, mark) : '';
    if (change === '') return [];
    return [newTimelineEntry({ id: `clock-${at}`, kind: 'clock', at, tone: 'wait', text: `Clock ${change}`, refs })];
  });
}

/** Returns a text such as `advanced 8 d 0 h, frozen`. Leaves out a move by less than a second. */
function changeOf(before: ClockSyncPoint, mark: ClockSyncPoint): string {
  const expected = before.runs ? before.now + (mark.real - before.real) : before.now;
  const by = mark.now - expected;
  const moved = Math.abs(by) < 1000 ? '' : `${by < 0 ? 'set back' : 'advanced'} ${durationText(Math.abs(by))}`;
  const state = mark.runs ? 'resumed' : 'frozen';
  return [moved, before.runs === mark.runs ? '' : state].filter(Boolean).join(', ');
}

function noteSteps({ notes, request }: OrderRecords, { from, to }: Span): TimelineEntry[] {
  const refs = request ? [request.id] : [];
  return notes.flatMap(({ at, text }, n) => {
    if (at < from || at > to) return [];
    return [newTimelineEntry({ id: `note-${at}-${n}`, kind: 'note', at, text: `Note: ${text}`, refs })];
  });
}

/** The state of a flow run, at the time of its last event; if it is running, at the end of the span. */
function runSteps({ run, events, clock }: OrderRecords, { from, to }: Span): TimelineEntry[] {
  if (!run) return [];
  const { id, flowId, status, step, failure } = run.run;
  const last = status === 'running' ? undefined : events.findLast(({ runId, jobId }) => runId === id && jobId === null);
  const at = last ? toRealTime(clock.marks, last.created, from) : to;
  const [text, tone] = (
    {
      running: [`The run is at step ${step}`, 'work'],
      waiting: [`Waits at step ${step} for a click: approve or reject`, 'wait'],
      done: ['The run succeeded', 'good'],
      failed: [`The run failed at step ${failure?.step ?? step}`, 'bad'],
    } as const
  )[status];
  const details = [failure?.message ?? '', `${id} is a run of ${flowId}.`];
  return [
    newTimelineEntry({ id, kind: 'run', at, tone, text, details, refs: [id], data: { run_id: id, flow_id: flowId } }),
  ];
}
