import { isoTime } from '../clock/clock.ts';
import { findRun } from '../flows/run-store.ts';
import { lookAt } from '../generation/job-record.ts';
import { isFinal, type Job } from '../jobs/job.ts';
import { counted } from '../log/counted.ts';
import type { Step, Story } from './story.ts';

/** What a restore has discarded of what the request led to. */
export function discardedStep({ entry }: Story): Step | undefined {
  if (!entry.discarded) return undefined;
  const gone = [...entry.job_ids, ...(entry.run_id === undefined ? [] : [entry.run_id])];
  const what = gone.length === 0 ? 'What it led to' : `What it led to (${gone.join(', ')})`;
  const text = `A restore went back behind this request. ${what} is gone; this is what its record says.`;
  return { step: 'discarded', text, job_ids: entry.job_ids, run_id: entry.run_id ?? null };
}

export function jobSteps({ context, jobs }: Story): Step[] {
  return jobs.map((job) => {
    const { id, polls, readyAt, doomed, released, faults } = job;
    const { status } = lookAt(context, job);
    const parts = [
      `${id} was ordered at ${isoTime(job.created)} and is ${status}.`,
      job.started === null ? '' : `Its work began at ${isoTime(job.started)}.`,
      readyAt === null ? '' : `It may not be final before ${isoTime(readyAt)}.`,
      doomed === null ? '' : `It was to fail with ${doomed}.`,
      released ? 'Somebody asked for its end.' : '',
      `It was polled ${counted(polls, 'time')} before its end.`,
    ].filter(Boolean);
    return { step: 'job', text: parts.join(' '), job_id: id, status, polls, doomed, faults };
  });
}

export function renderSteps({ jobs }: Story): Step[] {
  return jobs.flatMap((job): Step[] => {
    const { id, outcome } = job;
    if (!outcome) return [];
    const job_id = id;
    if ('error' in outcome) {
      const text = `The work of ${id} came to ${outcome.error.code}: ${outcome.error.message}`;
      return [{ step: 'render', text, job_id, error: outcome.error }];
    }
    const { bytes, contentType, seconds, file } = outcome;
    const length = seconds === undefined ? '' : `, ${seconds} s long`;
    const text = `${id} is a file of ${contentType}, ${counted(bytes, 'byte')}${length}.`;
    return [{ step: 'render', text, job_id, file, bytes, content_type: contentType }];
  });
}

export function settledSteps({ jobs }: Story): Step[] {
  return jobs.flatMap((job): Step[] => {
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
  return 'error' in result ? ', and its charge was given back' : `, and ${result.library_id} is in the library`;
}

export function runStep({ context, entry }: Story): Step | undefined {
  const run = entry.run_id === undefined || entry.discarded ? undefined : findRun(context.database, entry.run_id);
  if (!run) return undefined;
  const { id, flowId, status, step } = run;
  const text = `${id} of ${flowId} began and is ${status}, at step ${step}. GET /_emulator/runs/${id} tells more.`;
  return { step: 'run', text, run_id: id, flow_id: flowId, status };
}
