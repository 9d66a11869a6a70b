import { jobRecord } from '../generation/job-record.ts';
import { operation } from '../http/operation.ts';
import { findJob, listJobs } from '../jobs/job-store.ts';
import {
  accountPageQuery,
  listAnswer,
  listOf,
  positionAfter,
  STANDARD_LIMIT,
} from './list-page.ts';

export const listEngines = operation({
  name: 'listEngines',
  method: 'GET',
  path: '/_emulator/engines',
  summary: 'The video engine catalogue as data.',
  access: 'local',
  answer: listAnswer,
  handle: ({ emulator }) => listOf(emulator.catalogue.file.engines),
});

export const listAllJobs = operation({
  name: 'listJobs',
  method: 'GET',
  path: '/_emulator/jobs',
  summary: 'All renders, newest first; looking settles nothing.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query }) {
    const { database } = emulator;
    const { limit = STANDARD_LIMIT, account_id: accountId } = query;
    const before = positionAfter(query.after, (id) => findJob(database, id)?.position);
    const jobs = listJobs(database, { accountId, limit, before });
    return listOf(jobs.map((job) => ({ ...jobRecord(job), account_id: job.accountId })));
  },
});
