import { EmulatorError, quoted } from '../../base/errors.ts';
import { type JobRecord, polledJobRecord } from '../../engine/generation/job-record.ts';
import { findJob, type Job, type MediaKind } from '../../engine/jobs/job-store.ts';
import type { Call } from '../http/request.ts';

/** The poll may make the job final. Throws `not_found` for an unknown job, or one of another account or medium. */
export async function pollJob(
  call: Call<unknown, unknown>,
  medium: MediaKind,
): Promise<{ job: Job; record: JobRecord }> {
  const { database } = call.context;
  const id = call.param('id');
  const job = findJob(database, id);
  if (job?.accountId !== call.caller.accountId || job.medium !== medium) throw noJob(id, medium);
  const polled = await call.context.generation.jobs.poll(job, call.gone);
  const record = polledJobRecord(call.context, polled);
  const seen = record.status;
  call.annotations.shownJobs = [{ id, status: seen }];
  const { accountId } = job;
  const detail = { seen, request_id: call.requestId };
  if (!call.isOwnPageRead) call.context.records.audit.note({ kind: 'poll', accountId, ref: id, detail });
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
