import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { shownRecord } from '../engine/generation/job-record.ts';
import { FINAL_STATUSES, isFinal, JOB_STATUSES, type Job } from '../engine/jobs/job.ts';
import { listJobs } from '../engine/jobs/job-list-store.ts';
import { findJob } from '../engine/jobs/job-store.ts';
import {
  MODES,
  type Mode,
  type Moving,
  type Progression,
  readinessOf,
  readProgression,
} from '../engine/jobs/progression-store.ts';
import { finishJob } from '../engine/jobs/wait.ts';
import type { Context } from '../service/http/context.ts';
import { withReason } from '../service/http/field-list.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

/** A render with the parameters of its order; `result_url` when it succeeded, `error` when it failed. */
const jobRecord = z
  .object({
    id: z.string(),
    object: z.string(),
    status: z.enum(JOB_STATUSES),
    model: z.string(),
    created: z.int(),
    account_id: z.string(),
    credits: z.int(),
    completed: z.int().optional(),
    result_url: z.string().optional(),
    content_type: z.string().optional(),
    library_id: z.string().optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    /** Of an open one: when it is due (unix seconds), or what share of its polls there were. */
    progress: z.strictObject({ mode: z.enum(MODES), due: z.int().nullable(), share: z.number().nullable() }).optional(),
  })
  .catchall(z.unknown());

export type JobRecord = z.infer<typeof jobRecord>;

const jobs = new Resource({
  what: 'job',
  path: '/_emulator/jobs',
  record: jobRecord,
  find: ({ database }, id) => findJob(database, id),
  view:
    ({ context }) =>
    (job: Job) =>
      viewWithProgress(context, job),
});

const STANDARD_CODE = 'render_failed';

export const listAllJobs = jobs.list({
  name: 'listJobs',
  summary: 'All renders, newest first; looking settles nothing.',
  query: foundPageQuery.extend({
    status: optional(z.enum(['open', ...JOB_STATUSES])).describe(
      `${JOB_STATUSES.join(', ')}, or open: queued or processing.`,
    ),
  }),
  search: 'job',
  keeps: isOfStatus,
  positionOf: ({ database }, id) => findJob(database, id)?.position,
  rows: ({ database }, page) => listJobs(database, page),
});

export const showJob = jobs.get({
  name: 'getJob',
  summary: 'One render of whichever kind; looking settles nothing.',
});

export const finish = operation({
  name: 'finishJob',
  method: 'POST',
  path: '/_emulator/jobs/:id/finish',
  summary: 'Ends a job now, whatever its progression says.',
  access: 'local',
  body: z.object({
    outcome: z.enum(FINAL_STATUSES).describe(`${FINAL_STATUSES.join(' or ')}.`),
    code: optional(
      z.string().regex(/^[a-z0-9_]{1,64}$/, {
        error: 'must be 1 to 64 lower-case letters, digits or underscores.',
      }),
    ).describe('the error code of a failure, by default render_failed.'),
  }),
  answer: jobRecord,
  async handle(call) {
    const { context, body } = call;
    const { outcome, code = STANDARD_CODE } = body;
    if (outcome === 'succeeded' && body.code !== undefined) {
      call.warn(withReason('code', 'outcome=succeeded'));
    }
    const end = outcome === 'failed' ? { outcome, code } : { outcome };
    const job = await finishJob(context, call.param('id'), { end, gone: call.gone });
    return jobView(context, job);
  },
});

function isOfStatus(job: Job, { status }: { status?: string | undefined }): boolean {
  return status === undefined || (status === 'open' ? !isFinal(job.status) : job.status === status);
}

/** An open job with its progress. */
function viewWithProgress(context: Context, job: Job): JobRecord {
  const view = jobView(context, job);
  if (isFinal(job.status)) return view;
  const progression = readProgression(context.database, job.accountId);
  const { mode, due, share } = progressOf(job, progression);
  return { ...view, progress: { mode, due: due === null ? null : unixSeconds(due), share } };
}

/** A job as the control surface shows it. */
export function jobView(context: Context, job: Job): JobRecord {
  return { ...shownRecord(context, job), account_id: job.accountId };
}

/** The progress of an open job: its due time (milliseconds) or the share of its polls so far; null where unknown. */
export interface Progress {
  mode: Mode;
  due: number | null;
  share: number | null;
}

function progressOf(job: Moving, progression: Progression): Progress {
  const { at, polls } = readinessOf(job, progression);
  const isTimed = at > 0 && Number.isFinite(at);
  return {
    mode: progression.mode,
    due: isTimed ? at : null,
    share: polls > 0 ? Math.min(1, job.polls / polls) : null,
  };
}
