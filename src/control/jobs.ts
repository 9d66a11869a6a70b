import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { invalidRequestError } from '../base/errors.ts';
import { ERROR_CODE_PATTERN, optional } from '../base/schemas.ts';
import { shownJobRecord } from '../engine/generation/job-record.ts';
import { completionThresholdOf } from '../engine/jobs/job-state-machine.ts';
import {
  FINAL_STATUSES,
  findJob,
  isFinal,
  JOB_STATUSES,
  type Job,
  listJobs,
  PROGRESSION_MODES,
  type ProgressionWithScope,
  readProgression,
  readProgressionWithScope,
  removeProgression,
  writeProgression,
} from '../engine/jobs/job-store.ts';
import type { Context } from '../service/http/context.ts';
import { packFieldWithReason } from '../service/http/field-list.ts';
import { accounts } from './accounts.ts';
import { defineGet, definePost, definePut } from './control-operation.ts';
import { requireProgression } from './progression-settings.ts';
import { accountQuerySchema, Resource, searchPageQuerySchema } from './resource.ts';

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
    /**
     * `due` is in unix seconds, null if the job waits for no time. `share` is the share of the needed polls that were
     * made, 0 to 1, null if none are needed.
     */
    progress: z
      .strictObject({ mode: z.enum(PROGRESSION_MODES), due: z.int().nullable(), share: z.number().nullable() })
      .optional(),
  })
  .catchall(z.unknown());

const jobs = new Resource({
  what: 'job',
  path: '/_emulator/jobs',
  record: jobRecord,
  find: ({ database }, id) => findJob(database, id),
  view:
    ({ context }) =>
    (job) => {
      const view = jobView(context, job);
      if (isFinal(job.status)) return view;
      const progression = readProgression(context.database, job.accountId);
      const { at, polls } = completionThresholdOf(job, progression);
      const due = at > 0 && Number.isFinite(at) ? unixSeconds(at) : null;
      const share = polls > 0 ? Math.min(1, job.polls / polls) : null;
      return { ...view, progress: { mode: progression.mode, due, share } };
    },
});

export const listAllJobs = jobs.list({
  name: 'listJobs',
  summary: 'Lists jobs, newest first, without changing their state.',
  query: searchPageQuerySchema.extend({
    status: optional(z.enum(['open', ...JOB_STATUSES])).describe(
      `one of ${JOB_STATUSES.join(', ')}, or open (queued or processing).`,
    ),
  }),
  search: 'job',
  keeps: (job, { status }) =>
    status === undefined || (status === 'open' ? !isFinal(job.status) : job.status === status),
  positionOf: ({ database }, id) => findJob(database, id)?.position,
  rows: ({ database }, page) => listJobs(database, page),
});

const showJob = jobs.get({
  name: 'getJob',
  summary: 'Shows a job without changing its state.',
});

const finish = definePost('finishJob', '/_emulator/jobs/:id/finish', {
  summary: 'Ends a job immediately, regardless of its progression.',
  body: z.object({
    outcome: z.enum(FINAL_STATUSES).describe(`${FINAL_STATUSES.join(' or ')}.`),
    code: optional(z.string().regex(ERROR_CODE_PATTERN)).describe(
      '1 to 64 lower-case letters, digits and underscores (default: render_failed).',
    ),
  }),
  answer: jobRecord,
  async handle(call) {
    const { context, body } = call;
    const { outcome, code = 'render_failed' } = body;
    if (outcome === 'succeeded' && body.code !== undefined) {
      call.warn(packFieldWithReason('code', 'outcome=succeeded'));
    }
    const failure = outcome === 'failed' ? code : undefined;
    const job = await context.generation.jobs.finish(call.param('id'), { failure, gone: call.gone });
    return jobView(context, job);
  },
});

export function jobView(context: Context, job: Job) {
  return { ...shownJobRecord(context, job), account_id: job.accountId };
}

/** `value` is in seconds or polls. `account_id` is set if the account has its own progression. */
const progressionRecord = z.strictObject({
  mode: z.enum(PROGRESSION_MODES),
  value: z.number().optional(),
  account_id: z.string().optional(),
});

const getProgression = defineGet('getProgression', '/_emulator/progression', {
  summary: "Shows the progression of one account's jobs, or of all jobs.",
  query: accountQuerySchema,
  answer: progressionRecord,
  handle({ context, query }) {
    const { account_id: accountId } = query;
    if (accountId !== undefined) accounts.require(context, accountId);
    return progressionView(readProgressionWithScope(context.database, accountId));
  },
});

const setProgression = definePut('setProgression', '/_emulator/progression', {
  summary: 'Sets how new and unfinished jobs progress.',
  body: z.object({
    mode: z
      .enum(PROGRESSION_MODES)
      .nullable()
      .describe('render, seconds, polls or manual; null removes the progression of the account.'),
    value: optional(z.number()).describe('the number of seconds or polls after which a job ends.'),
    account_id: optional(z.string()).describe(
      'the id of an account (default: all accounts without a progression of their own).',
    ),
  }),
  answer: progressionRecord,
  async handle(call) {
    const { context, body } = call;
    const { mode, account_id: accountId } = body;
    if (accountId !== undefined) accounts.require(context, accountId);
    if (mode === null && accountId === undefined) {
      throw invalidRequestError(
        'mode',
        'mode null removes the progression of an account: give its account_id, or set {"mode": "render"}, the default.',
      );
    }
    const wanted = requireProgression(call, body);
    await context.database.transact((tx) => {
      if (wanted) writeProgression(tx, wanted, accountId);
      else if (accountId !== undefined) removeProgression(tx, accountId);
    });
    await context.generation.jobs.replan(accountId);
    return progressionView(readProgressionWithScope(context.database, accountId));
  },
});

function progressionView({ mode, value, accountId }: ProgressionWithScope) {
  return { mode, value: value ?? undefined, account_id: accountId };
}

export const JOB_OPERATIONS = [getProgression, setProgression, listAllJobs, showJob, finish] as const;
