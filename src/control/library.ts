import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { positionOf } from '../base/database/setting-store.ts';
import { MEDIUMS } from '../engine/jobs/job.ts';
import { entryUrls, indexEntries, listEntries, removeEntry } from '../engine/library/library.ts';
import { findEntry, type ListedEntry } from '../engine/library/library-store.ts';
import { checkRender } from '../engine/library/render-again.ts';
import { weekSigner } from '../engine/storage/cdn-url.ts';
import { findObject, ownedObjectsBefore, type StorageObject } from '../engine/storage/object-store.ts';
import { objectFields, objectShape } from '../service/api/storage/objects.ts';
import type { Context } from '../service/http/context.ts';
import { optional } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { accountPageQuery, foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

/** A finished render and what it was made from: effective parameters, model and seed. `duration` is seconds, `created` unix seconds. */
const libraryRecord = z.strictObject({
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

const library = new Resource({
  what: 'library entry',
  path: '/_emulator/library',
  record: libraryRecord,
  find: ({ database }, id): ListedEntry | undefined => findEntry(database, id),
  view: ({ context, baseUrl }) => entryView(context, baseUrl),
  ownerOf: ({ accountId }) => accountId,
});

export const listLibrary = library.list({
  name: 'listLibrary',
  summary: 'Finished renders with their recipes, newest first.',
  query: accountPageQuery.extend({
    kind: optional(z.enum(MEDIUMS)).describe('image, video, speech or music.'),
    model: optional(z.string()).describe('the id of a model or engine.'),
    text: optional(z.string().max(200)).describe(
      'a text of at most 200 characters that stands in the title or the words it was made from.',
    ),
    since: moment.describe('an ISO 8601 date or time; entries made then or later.'),
    until: moment.describe('an ISO 8601 date or time; entries made before it.'),
  }),
  async rows({ database }, { since, until, ...page }) {
    if (page.text) await indexEntries(database);
    return listEntries(database, { ...page, since: millisecondsOf(since), until: millisecondsOf(until) });
  },
});

export const showEntry = library.get({ name: 'showEntry', summary: 'One finished render.' });

export const removeFromLibrary = library.remove({
  name: 'removeFromLibrary',
  summary: 'Takes a render out of the library; a permanent object made of it stays.',
  remove: ({ database, files }, { id }) => database.transact((tx) => removeEntry(tx, files, id)),
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
    const check = await checkRender({ db, files, render, read: served.read.bind(served) }, id);
    if (!check) throw library.missing(id);
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

/** A storage object with its owner. */
const objectRecord = z.strictObject({
  ...objectFields,
  account_id: z.string(),
  name: z.string(),
  created: z.int(),
});

export type ObjectRecord = z.infer<typeof objectRecord>;

const objects = new Resource({
  what: 'storage object',
  path: '/_emulator/objects',
  record: objectRecord,
  find: ({ database }, id) => findObject(database, id),
  view: ({ baseUrl }) => objectView(baseUrl),
});

export const listOwnedObjects = objects.list({
  name: 'listAllObjects',
  summary: 'Storage objects with their names and owners, newest first.',
  query: foundPageQuery,
  isDeletable: true,
  positionOf: ({ database }, id) => positionOf(database, 'objects', id),
  rows: ({ database }, page) => ownedObjectsBefore(database, page),
});

export const showOwnedObject = objects.get({ name: 'showObject', summary: 'One storage object.' });

function objectView(baseUrl: string) {
  return (object: StorageObject) => {
    const { accountId, name, created } = object;
    return { ...objectShape(object, baseUrl), account_id: accountId, name, created: unixSeconds(created) };
  };
}
