import { isoTime } from '../clock/clock.ts';
import { shownRecord } from '../generation/job-record.ts';
import type { Context } from '../http/context.ts';
import type { Job } from '../jobs/job.ts';
import { readinessOf } from '../jobs/progression.ts';
import { readProgression } from '../jobs/progression-store.ts';

/** Why a job is not final yet, and what would make it so. */
export function whyOpen(context: Context, job: Job): string {
  const { database, clock } = context;
  const { at, polls } = readinessOf(job, readProgression(database, job.accountId));
  const { status } = shownRecord(context, job);
  const why = () => {
    if (at === Number.POSITIVE_INFINITY) {
      return `its progression is manual, so that only POST /_emulator/jobs/${job.id}/finish ends it`;
    }
    if (at > clock.now()) {
      const how = clock.frozen ? 'stands at' : 'shows';
      return `it is due at ${isoTime(at)} and the emulator's clock ${how} ${isoTime(clock.now())}: POST /_emulator/clock/advance`;
    }
    if (polls > job.polls) return `it has been polled ${job.polls} of ${polls} times under /v1`;
    return job.outcome ? 'it is rendered and about to be settled' : 'it is being rendered';
  };
  return `the job is ${status}; ${why()}`;
}
