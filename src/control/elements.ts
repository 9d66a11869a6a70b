import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { listFlows } from '../engine/flows/flow-store.ts';
import { type Element, elementFile, type GivenFile, usesOf } from '../engine/library/element-store.ts';
import { handlesIn, normalizeHandle } from '../engine/library/elements.ts';
import { elementPath } from '../engine/storage/cdn-path.ts';
import { weekSigner } from '../engine/storage/cdn-url.ts';
import type { Context } from '../service/http/context.ts';
import { optional, text } from '../service/http/input.ts';
import { operation } from '../service/http/operation.ts';
import { requireAccount } from './accounts.ts';
import { foundPageQuery } from './list-page.ts';
import { Resource } from './resource.ts';

/** How many of its users an element names. */
const MOST_USERS = 100;

const handle = z.string().describe('1 to 32 letters, digits, dashes or underscores.');
const kind = text({ min: 1, max: 64 }).describe('a word such as character or object.');
const name = text({ min: 1, max: 200 }).describe('the name it shows, at most 200 characters.');
const image = z.string().describe('a data URL or URL of its picture.');
const voice = z.string().describe('a data URL or URL of a WAV or MP3 in which it speaks.');

/** A character or thing that prompts mention. */
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

export type ElementRecord = z.infer<typeof elementRecord>;

/** One by itself: ids of the renders that show it, and of the flows that mention it. */
const usedElement = elementRecord.extend({
  used_by: z.strictObject({ library: z.array(z.string()), flows: z.array(z.string()) }),
});

export type UsedElement = z.infer<typeof usedElement>;

const elements = new Resource({
  what: 'element',
  path: '/_emulator/elements',
  record: elementRecord,
  find: (context, id) => context.elements.require(context.database, id),
  view: ({ context, baseUrl }) => elementView(context, baseUrl),
  ownerOf: ({ accountId }) => accountId,
});

export const createElement = operation({
  name: 'createElement',
  method: 'POST',
  path: '/_emulator/elements',
  summary: 'Saves a character or a thing that prompts mention by its handle.',
  access: 'local',
  body: z.object({
    account_id: z.string().describe('the id of the account it belongs to.'),
    handle,
    kind,
    name,
    image: optional(image).describe('a data URL or URL of its picture.'),
    voice: optional(voice).describe('a data URL or URL of a WAV or MP3 in which it speaks.'),
  }),
  status: 201,
  answer: elementRecord,
  async handle({ context, body, baseUrl }) {
    const { account_id, ...order } = body;
    const { id } = requireAccount(context, account_id);
    return elementView(context, baseUrl)(await context.elements.create(id, order));
  },
});

export const listElements = elements.list({
  name: 'listElements',
  summary: 'Saved elements, newest first.',
  query: foundPageQuery,
  rows: (context, page) => context.elements.list(context.database, page),
});

export const showElement = elements.get({
  name: 'showElement',
  summary: 'One element, with the renders that show it and the flows that mention it.',
  answer: usedElement,
  view:
    ({ context, baseUrl }) =>
    (element) => ({ ...elementView(context, baseUrl)(element), used_by: usersOf(context, element) }),
});

export const changeElement = operation({
  name: 'changeElement',
  method: 'PATCH',
  path: '/_emulator/elements/:id',
  summary: 'Changes an element; what was rendered of it stays.',
  access: 'local',
  body: z.object({
    handle: optional(handle).describe('1 to 32 letters, digits, dashes or underscores.'),
    kind: optional(kind).describe('a word such as character or object.'),
    name: optional(name).describe('the name it shows, at most 200 characters.'),
    image: image.nullish().describe('a data URL or URL of its picture; null takes it away.'),
    voice: voice.nullish().describe('a data URL or URL of a WAV or MP3; null takes it away.'),
  }),
  answer: elementRecord,
  handle: async (call) =>
    elementView(call.context, call.baseUrl)(await call.context.elements.change(call.param('id'), call.body)),
});

export const removeElement = elements.remove({
  name: 'removeElement',
  summary: 'Removes an element; what was rendered of it stays.',
  remove: (context, { id }) => context.elements.remove(id),
});

function elementView({ database, clock }: Context, baseUrl: string) {
  const sign = weekSigner(database, clock.now());
  const urlOf = (id: string, given: GivenFile | null, what: string) => {
    const file = given && elementFile(database, given, what);
    return file ? baseUrl + sign(elementPath({ id, name: file.name })) : null;
  };
  return (element: Element) => {
    const { id, accountId, kind, name, picture, voice, created } = element;
    return {
      id,
      account_id: accountId,
      handle: element.handle,
      kind,
      name,
      picture_url: urlOf(id, picture, 'picture'),
      voice_url: urlOf(id, voice, 'voice'),
      created: unixSeconds(created),
    };
  };
}

/** Newest first: library entries whose clip shows it, and flows of its account that name it by handle or id. */
function usersOf({ database }: Context, element: Element) {
  const { id, accountId } = element;
  const page = { accountId, limit: MOST_USERS, before: Number.MAX_SAFE_INTEGER };
  const flows = listFlows(database, page).filter(({ steps }) => steps.some(({ params }) => mentions(params, element)));
  return { library: usesOf(database, id, MOST_USERS), flows: flows.map((flow) => flow.id) };
}

/** Whether the texts of a step mention the handle, or its list of elements has handle or id. */
function mentions(params: Record<string, unknown>, { id, handle: own }: Element): boolean {
  const listed = Array.isArray(params.elements) ? params.elements.map(String) : [];
  return (
    listed.some((entry) => entry === id || normalizeHandle(entry) === own) ||
    textsIn(params).some((words) => handlesIn(words).includes(own))
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.values(Object(value)).flatMap(textsIn);
}
