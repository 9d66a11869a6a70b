import { z } from 'zod';
import { readLastEntry } from '../../base/database/ledger-store.ts';
import { EmulatorError, quoted } from '../../base/errors.ts';
import { unixTime } from '../../base/schemas.ts';
import { type JobRecord, polledJobRecord } from '../../engine/generation/job-record.ts';
import { findJob, JOB_STATUSES, type Job, type MediaKind } from '../../engine/jobs/job-store.ts';
import { sumUsage } from '../../engine/ledger/usage.ts';
import { operation } from '../http/operation.ts';
import type { Call } from '../http/request.ts';
import { videoJob } from './videos/create-video.ts';

/** Polls a job, which may make it final. Throws `not_found` for a job of another account or medium. */
async function readJob(call: Call<unknown, unknown>, medium: MediaKind): Promise<{ job: Job; record: JobRecord }> {
  const { database } = call.context;
  const id = call.param('id');
  const job = findJob(database, id);
  if (job?.accountId !== call.caller.accountId || job.medium !== medium) throw noJob(id, medium);
  const polled = await call.context.generation.jobs.poll(job, call.gone);
  const record = polledJobRecord(call.context, polled);
  const seen = record.status;
  call.annotations.shown = [{ id, status: seen }];
  const { accountId } = job;
  const detail = { seen, request_id: call.requestId };
  if (!call.isPageRead) call.context.records.audit.note({ kind: 'poll', accountId, ref: id, detail });
  return { job: polled, record };
}

function noJob(id: string, medium: MediaKind): EmulatorError {
  const path = medium === 'music' ? '/v1/music/generations' : '/v1/videos/generations';
  return new EmulatorError(
    'not_found',
    `This account has no ${medium} job ${quoted(id)}. POST ${path} returns the ids of new ones.`,
    { choice: 'C024' },
  );
}

export const songJob = z.looseObject({
  id: z.string(),
  object: z.literal('music.generation'),
  status: z.enum(JOB_STATUSES),
  model: z.string(),
  created: unixTime,
  take: z.int(),
  seed: z.int(),
  credits: z.int(),
  completed: unixTime.optional(),
  result_url: z.string().optional(),
  content_type: z.string().optional(),
  library_id: z.string().optional(),
  /** The length of the media in seconds. */
  duration: z.number().optional(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
});

/** A song has a job per take, each with a seed. */
export function songRecord({ take, seed }: Job, record: JobRecord): z.input<typeof songJob> {
  return { ...record, object: 'music.generation', take: take ?? 1, seed: seed ?? 0 };
}

export const getSong = operation({
  name: 'getSong',
  method: 'GET',
  path: '/v1/music/generations/:id',
  summary: 'Returns the job of a take. Free of charge.',
  access: 'key',
  answer: songJob,
  async handle(call) {
    const { job, record } = await readJob(call, 'music');
    return songRecord(job, record);
  },
});

export const getVideo = operation({
  name: 'getVideo',
  method: 'GET',
  path: '/v1/videos/generations/:id',
  summary: 'Returns the job of a video. Free of charge.',
  access: 'key',
  answer: videoJob,
  async handle(call) {
    const { record } = await readJob(call, 'video');
    return { ...record, object: 'video.generation' as const };
  },
});

const WINDOW = 30 * 24 * 60 * 60 * 1000;

export const getAccount = operation({
  name: 'getAccount',
  method: 'GET',
  path: '/v1/account',
  summary: 'Returns the balance of the account, and the cost of the last 30 days.',
  access: 'key',
  answer: z.strictObject({
    object: z.literal('account'),
    credits: z.int(),
    usage_30d: z.strictObject({ requests: z.int(), credits: z.int() }),
  }),
  async handle({ context, caller }) {
    const { database, clock } = context;
    const { accountId } = caller;
    const usage = await sumUsage(database, accountId, clock.now() - WINDOW);
    return {
      object: 'account' as const,
      credits: readLastEntry(database, accountId).balance,
      usage_30d: usage,
    };
  },
});

const listedModel = z.strictObject({ id: z.string(), kind: z.string(), pricing: z.string() });

export const listModels = operation({
  name: 'listModels',
  method: 'GET',
  path: '/v1/models',
  summary: 'Lists every model and video engine with its price. Requires no key.',
  access: 'public',
  answer: z.strictObject({ object: z.literal('list'), data: z.array(listedModel) }),
  handle: ({ context }) => ({ object: 'list' as const, data: context.generation.catalogue.list() }),
});
