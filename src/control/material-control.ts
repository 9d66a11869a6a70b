import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import { jobRecord } from '../generation/job-record.ts';
import { optional, text } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { findJob, listJobs } from '../jobs/job-store.ts';
import type { Element } from '../library/elements.ts';
import { type LibraryEntry, listEntries } from '../library/library.ts';
import { requireAccount } from './account-control.ts';
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

export const listLibrary = operation({
  name: 'listLibrary',
  method: 'GET',
  path: '/_emulator/library',
  summary: 'Finished renders with their recipes, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query }) {
    const { account_id: accountId, ...page } = query;
    return listOf(listEntries(emulator.database, { ...page, accountId }).map(libraryView));
  },
});

function libraryView(entry: LibraryEntry) {
  const { id, medium, model, bytes, seed, credits, recipe } = entry;
  return {
    ...{ id, account_id: entry.accountId, kind: medium, model, job_id: entry.jobId },
    ...{
      object_id: entry.object?.id ?? null,
      bytes,
      content_type: entry.contentType,
      duration: entry.seconds,
    },
    ...{ credits, recipe: { ...recipe, model, seed }, created: unixSeconds(entry.created) },
  };
}

export const createElement = operation({
  name: 'createElement',
  method: 'POST',
  path: '/_emulator/elements',
  summary: 'Saves a character or a thing that prompts mention by its handle.',
  access: 'local',
  body: z.object({
    account_id: z.string().describe('the id of the account it belongs to.'),
    handle: z.string().describe('1 to 32 letters, digits, dashes or underscores.'),
    kind: text({ min: 1, max: 64 }).describe('a word such as character or object.'),
    name: text({ min: 1, max: 200 }).describe('the name it shows, at most 200 characters.'),
    image: optional(z.string()).describe('a data URL or URL of its picture.'),
  }),
  status: 201,
  answer: z.looseObject({ id: z.string(), handle: z.string() }),
  async handle({ emulator, body }) {
    const { account_id, ...order } = body;
    const { id } = requireAccount(emulator, account_id);
    return elementView(await emulator.elements.create(id, order));
  },
});

export const listElements = operation({
  name: 'listElements',
  method: 'GET',
  path: '/_emulator/elements',
  summary: 'Saved elements, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer,
  handle({ emulator, query }) {
    const { account_id: accountId, ...page } = query;
    return listOf(
      emulator.elements.list(emulator.database, { ...page, accountId }).map(elementView),
    );
  },
});

function elementView({ id, accountId, handle, kind, name, created }: Element) {
  return { id, account_id: accountId, handle, kind, name, created: unixSeconds(created) };
}
