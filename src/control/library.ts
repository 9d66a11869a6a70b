import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { findDeletedRecord, findPosition } from '../base/database/list-queries.ts';
import { optional, textWithoutNul } from '../base/schemas.ts';
import { MEDIA_KINDS } from '../engine/jobs/job-store.ts';
import {
  addElement,
  deleteStoredElement,
  type Element,
  type ElementMedia,
  findElementFile,
  listElementsPage,
  requireElement,
} from '../engine/library/element-store.ts';
import {
  findLibraryEntry,
  type ListedLibraryEntry,
  listLibraryEntries,
  relativeFileAndThumbnailUrls,
} from '../engine/library/library-store.ts';
import { createUrlSigner, elementPath } from '../engine/storage/cdn-url.ts';
import { findObject, listObjectsBefore } from '../engine/storage/object-store.ts';
import { storageObjectFields, toStorageObjectRecord } from '../service/api/storage.ts';
import { privateUrlWarnings } from '../service/http/reachable-urls.ts';
import { accounts } from './accounts.ts';
import { definePost } from './control-operation.ts';
import { accountPageQuerySchema, Resource, searchPageQuerySchema } from './resource.ts';

/** `duration` is in seconds, `created` in unix seconds. */
const libraryRecord = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  kind: z.enum(MEDIA_KINDS),
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

const moment = optional(z.union([z.iso.datetime({ offset: true }), z.iso.date()]));

const library = new Resource({
  what: 'library entry',
  path: '/_emulator/library',
  record: libraryRecord,
  find: ({ database }, id): ListedLibraryEntry | undefined => findLibraryEntry(database, id),
  view({ context: { database, clock }, baseUrl }) {
    const sign = createUrlSigner(database, clock.now());
    return (entry) => {
      const { id, medium, model, bytes, seed, credits, recipe } = entry;
      const { file, thumbnail } = relativeFileAndThumbnailUrls(entry, sign);
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
  },
});

export const listLibrary = library.list({
  name: 'listLibrary',
  summary: 'Lists finished renders with their recipes, newest first.',
  query: accountPageQuerySchema.extend({
    kind: optional(z.enum(MEDIA_KINDS)).describe('image, video, speech or music.'),
    model: optional(z.string()).describe('the id of a model or engine.'),
    text: optional(z.string().max(200)).describe(
      'a text in the title or the recipe, at most 200 characters; case is ignored.',
    ),
    since: moment.describe('an ISO 8601 date or time; earlier entries are omitted.'),
    until: moment.describe('an ISO 8601 date or time; entries from then on are omitted.'),
  }),
  rows({ database }, { since, until, ...page }) {
    return listLibraryEntries(database, { ...page, since: millisecondsOf(since), until: millisecondsOf(until) });
  },
});

const showEntry = library.get({ name: 'showEntry', summary: 'Shows a finished render.' });

function millisecondsOf(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}

const objectRecord = z.strictObject({
  ...storageObjectFields,
  account_id: z.string(),
  name: z.string(),
  created: z.int(),
});

const objects = new Resource({
  what: 'storage object',
  path: '/_emulator/objects',
  record: objectRecord,
  find: ({ database }, id) => findObject(database, id),
  view:
    ({ baseUrl }) =>
    (object) => {
      const { accountId, name, created } = object;
      const record = toStorageObjectRecord(object, baseUrl);
      return { ...record, account_id: accountId, name, created: unixSeconds(created) };
    },
});

export const listAllObjects = objects.list({
  name: 'listAllObjects',
  summary: 'Lists storage objects with their names and owners, newest first.',
  query: searchPageQuerySchema,
  positionOf: ({ database }, id) => findPosition(database, 'objects', id) ?? findDeletedRecord(database, id)?.position,
  rows: ({ database }, page) => listObjectsBefore(database, page),
});

const file = (what: string) => optional(z.string().describe(what)).describe(what);

export const elementFields = {
  handle: z.string().describe('1 to 32 letters, digits, dashes or underscores.'),
  kind: textWithoutNul({ min: 1, max: 64 }).describe('the kind of element, such as character or object.'),
  name: textWithoutNul({ min: 1, max: 200 }).describe('the displayed name, at most 200 characters.'),
};

const elementRecord = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  handle: z.string(),
  kind: z.string(),
  name: z.string(),
  picture_url: z.string().nullable(),
  voice_url: z.string().nullable(),
  created: z.int(),
});

const elements = new Resource({
  what: 'element',
  path: '/_emulator/elements',
  record: elementRecord,
  find: ({ database }, id) => requireElement(database, id),
  view({ context: { database, clock }, baseUrl }) {
    const sign = createUrlSigner(database, clock.now());
    const urlOf = (id: string, given: ElementMedia | null, what: string) => {
      const file = given && findElementFile(database, given, what);
      return file ? baseUrl + sign(elementPath({ id, name: file.name })) : null;
    };
    return ({ id, accountId, handle, kind, name, picture, voice, created }: Element) => ({
      id,
      account_id: accountId,
      handle,
      kind,
      name,
      picture_url: urlOf(id, picture, 'picture'),
      voice_url: urlOf(id, voice, 'voice'),
      created: unixSeconds(created),
    });
  },
});

const createElement = definePost('createElement', '/_emulator/elements', {
  summary: 'Saves a character or thing that prompts can mention by its handle.',
  body: z.object({
    account_id: z.string().describe('the id of the account that owns the element.'),
    ...elementFields,
    image: file('an image: a data URL or a URL.'),
    voice: file('a recording of the voice, WAV or MP3: a data URL or a URL.'),
  }),
  status: 201,
  answer: elementRecord,
  async handle(call) {
    const { context, body } = call;
    const { account_id, ...order } = body;
    const { id } = accounts.require(context, account_id);
    const files = (['image', 'voice'] as const).map((field) => ({ field, url: order[field] ?? '' }));
    call.warnAll(privateUrlWarnings(context, files));
    return elements.view(call)(await addElement(context, id, order));
  },
});

export const listElements = elements.list({
  name: 'listElements',
  summary: 'Lists saved elements, newest first.',
  query: searchPageQuerySchema,
  rows: ({ database }, page) => listElementsPage(database, page),
});

const removeElement = elements.remove({
  name: 'removeElement',
  summary: 'Removes an element. Renders that use it are kept.',
  remove: (context, { id }) => deleteStoredElement(context, id),
});

export const LIBRARY_AND_STORAGE_OPERATIONS = [
  listLibrary,
  showEntry,
  listAllObjects,
  createElement,
  listElements,
  removeElement,
] as const;
