import { z } from 'zod';
import { SECRET_PREFIX } from '../../base/database/id-store.ts';
import { PLANS } from '../../engine/accounts/plans.ts';
import { ROLES } from '../../engine/accounts/roles.ts';
import { EVENT_TYPES, eventTypes } from '../../engine/webhooks/event-schemas.ts';
import { optional, text, whole } from '../../service/http/input.ts';
import { MOST_CREDITS } from '../accounts.ts';
import { faultRequest } from '../faults.ts';
import { flowDefinition } from '../flow-schemas.ts';

/** How many of a kind one file declares. */
const MOST = 1000;
const MOST_KEYS = 20;

const secret = (prefix: string) => z.string().regex(new RegExp(`^${prefix}[A-Za-z0-9_]{4,100}$`));
const account = optional(z.string()).describe('the name of an account of this file; the first account without it.');
const given = (what: string) => `${what}: a path from this file, a data URL or a URL.`;

const accountOrder = z.strictObject({
  name: text({ min: 1, max: 200 }).describe('a text of 1 to 200 characters; the rest of the file names it so.'),
  workspace: optional(z.string()).describe('the name of an account before it, whose workspace it joins.'),
  plan: optional(z.enum(PLANS)).describe('payg (the default), hobby, creator or studio.'),
  role: optional(z.enum(ROLES)).describe('owner, admin or member.'),
  credits: optional(whole(0, MOST_CREDITS)).describe('a whole number of credits, by default 50.'),
  keys: optional(z.array(secret(SECRET_PREFIX.key)).min(1).max(MOST_KEYS)).describe(
    'keys of your own, svc_sk_ and 4 to 100 letters, digits or underscores; one is made without them.',
  ),
});

const elementOrder = z.strictObject({
  account,
  handle: z.string().describe('1 to 32 letters, digits, dashes or underscores.'),
  kind: text({ min: 1, max: 64 }).describe('a word such as character or object.'),
  name: text({ min: 1, max: 200 }).describe('the name it shows, at most 200 characters.'),
  image: optional(z.string()).describe(given('its picture')),
  voice: optional(z.string()).describe(given('a WAV or MP3 in which it speaks')),
});

const objectOrder = z.strictObject({
  account,
  file: z.string().min(1).describe('the path of a file, from this one.'),
  name: optional(text({ min: 1 })).describe("the name in its URL; the file's own without it."),
  content_type: optional(z.string().regex(/^[\w.+-]+\/[\w.+-]+$/)).describe('a media type, such as image/png.'),
});

const flowOrder = flowDefinition.extend({
  account,
  enabled: optional(z.boolean()).describe('false to have no run begin; true by default.'),
});

const endpointOrder = z.strictObject({
  account,
  url: optional(text({ min: 1 })).describe('an https URL of a public host, or a URL of this machine.'),
  inbox: optional(z.string()).describe('the name of a built-in inbox, in place of url.'),
  events: optional(eventTypes).describe(`one or more of ${EVENT_TYPES.join(', ')}; all of them without it.`),
  flow: optional(z.string()).describe('the name of a flow of this file, to hear of its runs alone.'),
  secret: optional(secret(SECRET_PREFIX.signing)).describe(
    'a signing secret of your own, whsec_ and 4 to 100 letters, digits or underscores; one is made without it.',
  ),
});

const ruleOrder = faultRequest.extend({ account });

const many = <Item extends z.ZodType>(item: Item, what: string) => optional(z.array(item).max(MOST)).describe(what);

/** What a world file declares, in the order in which it is made. */
export const worldFile = z.strictObject({
  $schema: optional(z.string()).describe('the address of this schema, for editors.'),
  accounts: many(accountOrder, 'accounts beside the first one, which every emulator has.'),
  elements: many(elementOrder, 'characters and things that prompts mention.'),
  objects: many(objectOrder, 'files in storage, free of charge.'),
  flows: many(flowOrder, 'flows.'),
  endpoints: many(endpointOrder, 'webhook endpoints.'),
  rules: many(ruleOrder, 'fault rules.'),
});

export type WorldInput = z.output<typeof worldFile>;

/** The orders of one section. */
export type Orders<Section extends keyof WorldInput> =
  NonNullable<WorldInput[Section]> extends (infer Order)[] ? Order : never;

/** The schema of a world file for editors. */
export function publishedWorldSchema(): object {
  const schema = z.toJSONSchema(worldFile, { io: 'input', unrepresentable: 'any' });
  return { ...schema, title: 'A world of svc-emulator' };
}
