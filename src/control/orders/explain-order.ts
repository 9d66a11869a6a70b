import { z } from 'zod';
import { isoTime } from '../../base/clock/clock.ts';
import { counted } from '../../base/text.ts';
import { type PriceLine, price } from '../../engine/catalogue/catalogue.ts';
import { shownRecord } from '../../engine/generation/job-record.ts';
import { isFinal, type Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { readPriceLines } from '../../engine/ledger/entry-store.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { Context } from '../../service/http/context.ts';
import {
  answeredStep,
  directivesStep,
  type ExplainedOrder,
  type ExplainedStep,
  explainedOrder,
  faultsStep,
  fixturesStep,
  type RefundedCharge,
  receivedStep,
  validatedStep,
} from './explained-order.ts';
import { errorOf, type OrderRecords, type OrderSource, readOrder, rootOf } from './order-records.ts';

/** What became of one request: each step as a sentence, with the same as data beside it. */
export const explanation = z.strictObject({
  id: z.string(),
  account_id: z.string().nullable(),
  summary: z.string(),
  /** It belongs to a future that a restore has discarded. */
  discarded: z.literal(true).optional(),
  steps: z.array(z.object({ step: z.string(), text: z.string() }).catchall(z.unknown())),
});

export type RequestExplanation = z.infer<typeof explanation>;

/** The chapters in the order in which they happen. */
const CHAPTERS: readonly ((order: ExplainedOrder) => ExplainedStep | ExplainedStep[] | undefined)[] = [
  receivedStep,
  discardedStep,
  validatedStep,
  directivesStep,
  faultsStep,
  fixturesStep,
  priceStep,
  chargedStep,
  jobSteps,
  renderSteps,
  settledSteps,
  refundedStep,
  runStep,
  answeredStep,
  deliverySteps,
];

/** Explains a request from the records of its order. */
export function explainOrder(context: Context, records: OrderRecords & { request: JournalEntry }): RequestExplanation {
  const { request } = records;
  const order = explainedOrder(context, records);
  return {
    id: request.id,
    account_id: request.account_id,
    summary: summaryOf(order),
    discarded: request.discarded,
    steps: CHAPTERS.flatMap((chapter) => chapter(order) ?? []),
  };
}

/** The same of a request that may belong to the order of another, as a read of a job does. */
export function explainRequest(context: Context, source: OrderSource, request: JournalEntry): RequestExplanation {
  return explainOrder(context, { ...readOrder(source, rootOf(request), { reads: false }), request });
}

/** The price of each charge as the sum of its parts. */
function priceStep({ context, operation, charges, entry }: ExplainedOrder): ExplainedStep | undefined {
  if (!operation?.paid || entry.discarded) return undefined;
  const [first] = charges;
  if (!first) {
    const error = errorOf(entry);
    const why = error?.code === 'insufficient_credits' ? error.message : 'It came to no charge.';
    return { step: 'price', text: why, sums: [] };
  }
  const sums = charges.map((each) => sumOf(context, each));
  const shown = [...new Set(sums.map(({ text }) => text))].join('; ');
  const takes = charges.length > 1 ? `, for each of ${charges.length} takes` : '';
  return { step: 'price', text: `${shown}${takes}.`, sums };
}

/** A violation may charge another sum than that of the lines. */
function sumOf({ database }: Context, { charge: { id, accountId, n, amount } }: RefundedCharge) {
  const stored = readPriceLines(database, accountId, n);
  const lines = price(stored) === -amount ? stored : [];
  return { charge: id, credits: -amount, text: inWords(lines, -amount), lines };
}

/** The sum, written out. */
function inWords(lines: readonly PriceLine[], sum: number): string {
  const parts = lines.map((line) => `${line.times} × ${line.credits} (${line.for})`);
  return parts.length === 0 ? counted(sum, 'credit') : `${parts.join(' + ')} = ${sum}`;
}

function chargedStep({ charges, operation, entry }: ExplainedOrder): ExplainedStep | undefined {
  if (!operation?.paid) return undefined;
  if (entry.discarded) return recordedCharge(entry);
  if (charges.length === 0) return { step: 'charged', text: 'Nothing was charged.', charges: [] };
  const data = charges.map(({ charge: { id, amount, balance, jobId } }) => ({ id, amount, balance, job_id: jobId }));
  const lines = data.map(({ id, amount, balance }) => `${id} took ${counted(-amount, 'credit')} and left ${balance}`);
  return { step: 'charged', text: `${lines.join('; ')}.`, charges: data };
}

/** Of a discarded future, whose ledger is gone: what the answer said. */
function recordedCharge({ charges, credits }: JournalEntry): ExplainedStep {
  if (charges.length === 0) return { step: 'charged', text: 'Nothing was charged.', charges: [] };
  const sum = credits === null ? 'what is not on record' : counted(credits, 'credit');
  return { step: 'charged', text: `${charges.join(', ')} took ${sum} in all.`, credits, charges };
}

function refundedStep({ charges }: ExplainedOrder): ExplainedStep | undefined {
  const refunds = charges.flatMap(({ charge, refund }) =>
    refund ? [{ id: refund.id, amount: refund.amount, balance: refund.balance, refund_of: charge.id }] : [],
  );
  if (refunds.length === 0) return undefined;
  const lines = refunds.map(
    ({ id, amount, refund_of }) => `${id} refunded ${counted(amount, 'credit')} of ${refund_of}`,
  );
  return { step: 'refunded', text: `${lines.join('; ')}.`, refunds };
}

/** What a restore has discarded of what the request led to. */
function discardedStep({ entry }: ExplainedOrder): ExplainedStep | undefined {
  if (!entry.discarded) return undefined;
  const gone = [...entry.job_ids, ...(entry.run_id === undefined ? [] : [entry.run_id])];
  const what = gone.length === 0 ? 'What it led to' : `What it led to (${gone.join(', ')})`;
  const text = `A restore went back behind this request. ${what} is gone; this is what its record says.`;
  return { step: 'discarded', text, job_ids: entry.job_ids, run_id: entry.run_id ?? null };
}

function jobSteps({ context, jobs }: ExplainedOrder): ExplainedStep[] {
  return jobs.map((job) => {
    const { id, polls, readyAt, failWith, released, faults } = job;
    const { status } = shownRecord(context, job);
    const sentences = [
      `${id} was ordered at ${isoTime(job.created)} and is ${status}.`,
      job.started === null ? '' : `Its work began at ${isoTime(job.started)}.`,
      readyAt === null ? '' : `It may not be final before ${isoTime(readyAt)}.`,
      failWith === null ? '' : `It was to fail with ${failWith}.`,
      released ? 'Its end was requested.' : '',
      `It was polled ${counted(polls, 'time')} before its end.`,
    ].filter(Boolean);
    return { step: 'job', text: sentences.join(' '), job_id: id, status, polls, doomed: failWith, faults };
  });
}

function renderSteps({ jobs }: ExplainedOrder): ExplainedStep[] {
  return jobs.flatMap((job): ExplainedStep[] => {
    const { id, outcome } = job;
    if (!outcome) return [];
    const job_id = id;
    if ('error' in outcome) {
      const { code, message, asked } = outcome.error;
      const text = `Job ${id} failed${asked ? ' on purpose' : ''} with ${code}: ${message}`;
      return [{ step: 'render', text, job_id, error: { code, message } }];
    }
    const { bytes, contentType, seconds, file } = outcome;
    const length = seconds === undefined ? '' : `, ${seconds} s long`;
    const text = `${id} is a file of ${contentType}, ${counted(bytes, 'byte')}${length}.`;
    return [{ step: 'render', text, job_id, file, bytes, content_type: contentType }];
  });
}

function settledSteps({ jobs }: ExplainedOrder): ExplainedStep[] {
  return jobs.flatMap((job): ExplainedStep[] => {
    const { id, completed, result } = job;
    if (!isFinal(job.status) || completed === null || !result) return [];
    const facts = { job_id: id, completed_at: isoTime(completed) };
    const text = `${id} ${job.status} at ${isoTime(completed)}${ending(result)}.`;
    return [
      {
        step: 'settled',
        text,
        ...facts,
        ...('error' in result ? {} : { library_id: result.library_id }),
      },
    ];
  });
}

function ending(result: NonNullable<Job['result']>): string {
  return 'error' in result ? '; its charge was refunded' : `; ${result.library_id} is in the library`;
}

function runStep({ run }: ExplainedOrder): ExplainedStep | undefined {
  if (!run) return undefined;
  const { id, flowId, status, step } = run.run;
  const text = `${id} of ${flowId} began and is ${status}, at step ${step}. More: GET /_emulator/runs/${id}.`;
  return { step: 'run', text, run_id: id, flow_id: flowId, status };
}

/** The events of its jobs and its run, and their deliveries. */
function deliverySteps({ entry, operation, events, deliveries }: ExplainedOrder): ExplainedStep[] {
  if (entry.discarded) return [];
  if (events.length === 0) {
    const waits = (entry.job_ids.length > 0 || entry.run_id !== undefined) && operation?.paid !== 'audio.speech';
    return waits ? [{ step: 'events', text: 'Nothing is announced of it yet.', events: [] }] : [];
  }
  const announced = events.map(({ id, type, jobId, runId }) => ({ id, type, of: jobId ?? runId }));
  const lines = announced.map(({ id, type, of }) => `${type} of ${of} (${id})`);
  return [
    { step: 'events', text: `Announced: ${lines.join('; ')}.`, events: announced },
    ...(deliveries.length === 0 ? [unsubscribed(events.length)] : deliveries.map(deliveryStep)),
  ];
}

function unsubscribed(n: number): ExplainedStep {
  return {
    step: 'deliveries',
    text: `No endpoint of the workspace was subscribed to ${n === 1 ? 'it' : 'them'}.`,
  };
}

function deliveryStep(delivery: StoredDelivery): ExplainedStep {
  const { id, eventId, url, status, responseStatus, durationMs, error, fault } = delivery;
  const sentences = [
    `${id} of ${eventId} to ${url} is ${status}`,
    responseStatus === null ? '' : `returned ${responseStatus}`,
    durationMs === null ? '' : `after ${durationMs} ms`,
    error === null ? '' : error,
    fault === null ? '' : `spoilt by a fault rule: ${fault}`,
    delivery.redeliveryOf === null ? '' : `sent once more after ${delivery.redeliveryOf}`,
  ].filter(Boolean);
  return {
    step: 'delivery',
    text: `${sentences.join(', ')}.`,
    delivery_id: id,
    event_id: eventId,
    url,
    status,
    response_status: responseStatus,
    fault,
    error,
    redelivery_of: delivery.redeliveryOf,
  };
}

function summaryOf({ entry, charges }: ExplainedOrder): string {
  const { method, path, status, duration_ms, account_id, discarded, credits } = entry;
  const spent = discarded ? (credits ?? 0) : charges.reduce((sum, { charge }) => sum - charge.amount, 0);
  const back = charges.reduce((sum, { refund }) => sum + (refund?.amount ?? 0), 0);
  const refunds = back === 0 ? '' : `, ${back === spent ? 'all' : back} of it given back`;
  const cost = spent === 0 ? 'nothing was charged' : `${counted(spent, 'credit')} charged${refunds}`;
  const who = account_id === null ? '' : ` of ${account_id}`;
  const past = discarded ? ' A restore has discarded it.' : '';
  return `${method} ${path}${who}: ${status} after ${duration_ms} ms, ${cost}.${past}`;
}
