import { isoTime } from '../../base/clock/clock.ts';
import { counted } from '../../base/counted.ts';
import { shownRecord } from '../../engine/generation/job-record.ts';
import { isFinal, type Job } from '../../engine/jobs/job.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import type { ExplainedOrder, ExplainedStep } from './explained-order.ts';

/** What a restore has discarded of what the request led to. */
export function discardedStep({ entry }: ExplainedOrder): ExplainedStep | undefined {
  if (!entry.discarded) return undefined;
  const gone = [...entry.job_ids, ...(entry.run_id === undefined ? [] : [entry.run_id])];
  const what = gone.length === 0 ? 'What it led to' : `What it led to (${gone.join(', ')})`;
  const text = `A restore went back behind this request. ${what} is gone; this is what its record says.`;
  return { step: 'discarded', text, job_ids: entry.job_ids, run_id: entry.run_id ?? null };
}

export function jobSteps({ parts, jobs }: ExplainedOrder): ExplainedStep[] {
  return jobs.map((job) => {
    const { id, polls, readyAt, doomed, released, faults } = job;
    const { status } = shownRecord(parts, job);
    const sentences = [
      `${id} was ordered at ${isoTime(job.created)} and is ${status}.`,
      job.started === null ? '' : `Its work began at ${isoTime(job.started)}.`,
      readyAt === null ? '' : `It may not be final before ${isoTime(readyAt)}.`,
      doomed === null ? '' : `It was to fail with ${doomed}.`,
      released ? 'Somebody asked for its end.' : '',
      `It was polled ${counted(polls, 'time')} before its end.`,
    ].filter(Boolean);
    return { step: 'job', text: sentences.join(' '), job_id: id, status, polls, doomed, faults };
  });
}

export function renderSteps({ jobs }: ExplainedOrder): ExplainedStep[] {
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

export function settledSteps({ jobs }: ExplainedOrder): ExplainedStep[] {
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

export function runStep({ run }: ExplainedOrder): ExplainedStep | undefined {
  if (!run) return undefined;
  const { id, flowId, status, step } = run.run;
  const text = `${id} of ${flowId} began and is ${status}, at step ${step}. GET /_emulator/runs/${id} tells more.`;
  return { step: 'run', text, run_id: id, flow_id: flowId, status };
}

/** The events of its jobs and its run, and their deliveries. */
export function deliverySteps({ entry, operation, events, deliveries }: ExplainedOrder): ExplainedStep[] {
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
    responseStatus === null ? '' : `answered ${responseStatus}`,
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

export function summaryOf({ entry, charges }: ExplainedOrder): string {
  const { method, path, status, duration_ms, account_id, discarded, credits } = entry;
  const spent = discarded ? (credits ?? 0) : charges.reduce((sum, { charge }) => sum - charge.amount, 0);
  const back = charges.reduce((sum, { refund }) => sum + (refund?.amount ?? 0), 0);
  const refunds = back === 0 ? '' : `, ${back === spent ? 'all' : back} of it given back`;
  const cost = spent === 0 ? 'nothing was charged' : `${counted(spent, 'credit')} charged${refunds}`;
  const who = account_id === null ? '' : ` of ${account_id}`;
  const past = discarded ? ' A restore has discarded it.' : '';
  return `${method} ${path}${who}: ${status} after ${duration_ms} ms, ${cost}.${past}`;
}
