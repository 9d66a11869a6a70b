import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';
import type { Context } from '../http/context.ts';
import { optional } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import { MEDIUMS } from '../jobs/job.ts';
import { entryUrls, findEntry, indexEntries, type ListedEntry, listEntries, removeEntry } from '../library/library.ts';
import { checkRender } from '../library/render-again.ts';
import { weekSigner } from '../storage/signed-url.ts';
import { accountPageQuery, listAnswer, listOf } from './list-page.ts';

/** A finished render and what it was made from: effective parameters, model and seed. `duration` is seconds, `created` unix seconds. */
export const libraryRecord = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  kind: z.enum(MEDIUMS),
  model: z.string(),
  job_id: z.string(),
  object_id: z.string().nullable(),
  bytes: z.int(),
  content_type: z.string(),
  duration: z.number().nullable(),
  credits: z.int(),
  recipe: z.object({ model: z.string(), seed: z.int().nullable() }).catchall(z.unknown()),
  url: z.string(),
  thumbnail_url: z.string(),
  created: z.int(),
});

export type LibraryRecord = z.infer<typeof libraryRecord>;

const moment = optional(z.union([z.iso.datetime({ offset: true }), z.iso.date()]));

export const listLibrary = operation({
  name: 'listLibrary',
  method: 'GET',
  path: '/_emulator/library',
  summary: 'Finished renders with their recipes, newest first.',
  access: 'local',
  query: accountPageQuery.extend({
    kind: optional(z.enum(MEDIUMS)).describe('image, video, speech or music.'),
    model: optional(z.string()).describe('the id of a model or engine.'),
    text: optional(z.string().max(200)).describe(
      'a text of at most 200 characters that stands in the title or the words it was made from.',
    ),
    since: moment.describe('an ISO 8601 date or time; entries made then or later.'),
    until: moment.describe('an ISO 8601 date or time; entries made before it.'),
  }),
  answer: listAnswer(libraryRecord),
  async handle({ context, query, baseUrl }) {
    if (query.text) await indexEntries(context.database);
    const { account_id: accountId, since, until, ...rest } = query;
    const range = { since: millisecondsOf(since), until: millisecondsOf(until) };
    const entries = listEntries(context.database, { ...rest, accountId, ...range });
    const view = entryView(context, baseUrl);
    return listOf(entries.map(view));
  },
});

export const showEntry = operation({
  name: 'showEntry',
  method: 'GET',
  path: '/_emulator/library/:id',
  summary: 'One finished render.',
  access: 'local',
  answer: libraryRecord,
  handle(call) {
    const entry = findEntry(call.context.database, call.param('id'));
    if (!entry) throw noEntry(call.param('id'));
    return entryView(call.context, call.baseUrl)(entry);
  },
});

export const removeFromLibrary = operation({
  name: 'removeFromLibrary',
  method: 'DELETE',
  path: '/_emulator/library/:id',
  summary: 'Takes a render out of the library; a permanent object made of it stays.',
  access: 'local',
  status: 204,
  answer: 'nothing',
  async handle(call) {
    const { database, files, record } = call.context;
    const id = call.param('id');
    const was = findEntry(database, id);
    const removed = await database.transact((tx) => removeEntry(tx, files, id));
    if (!was || !removed) throw noEntry(id);
    record.deleted(id, entryView(call.context, call.baseUrl)(was), was.accountId);
    return new NoContent();
  },
});

export const renderAgain = operation({
  name: 'renderAgain',
  method: 'POST',
  path: '/_emulator/library/:id/render-again',
  summary: 'Renders a recipe once more, free of charge, and says whether the bytes are the same.',
  access: 'local',
  answer: z.strictObject({
    id: z.string(),
    same: z.boolean(),
    bytes: z.int(),
    sha256: z.string(),
    kept_sha256: z.string(),
  }),
  async handle(call) {
    const { database: db, files, served, renderer } = call.context;
    const id = call.param('id');
    const render = renderer.render.bind(renderer);
    const read = served.read.bind(served);
    const check = await checkRender({ db, files, render, read }, id);
    if (!check) throw noEntry(id);
    const { kept, made, bytes } = check;
    return { id, same: made === kept, bytes, sha256: made, kept_sha256: kept };
  },
});

/** Entries as the control surface shows them; `file` is one file with both its addresses. */
function entryView({ database, clock }: Context, baseUrl: string) {
  const sign = weekSigner(database, clock.now());
  return (entry: ListedEntry) => {
    const { id, medium, model, bytes, seed, credits, recipe } = entry;
    const { file, thumbnail } = entryUrls(entry, sign);
    return {
      id,
      account_id: entry.accountId,
      kind: medium,
      model,
      job_id: entry.jobId,
      object_id: entry.object?.id ?? null,
      bytes,
      content_type: entry.contentType,
      duration: entry.seconds,
      credits,
      recipe: { ...recipe, model, seed },
      url: baseUrl + file,
      thumbnail_url: baseUrl + thumbnail,
      created: unixSeconds(entry.created),
    };
  };
}

function millisecondsOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}

function noEntry(id: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no library entry "${id.slice(0, 80)}"; GET /_emulator/library lists those there are.`,
  );
}
