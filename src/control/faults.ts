import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import { presentFields } from '../faults/effects/effect-row.ts';
import { effectKind, effectSchema, rowOf } from '../faults/effects/effect-table.ts';
import { type FaultRule, METHODS } from '../faults/fault-rule.ts';
import { findFault, listFaults } from '../faults/fault-store.ts';
import { optional, text, whole, withDefault } from '../http/field-schemas.ts';
import { operation } from '../http/operation.ts';
import { requireReach } from './fault-reach.ts';
import { lieMatch } from './lies.ts';
import { accountPageQuery, accountQuery } from './list-page.ts';
import { deletion, Resource } from './resource.ts';

/** Seconds that a rule may live: ten years of the emulator's clock. */
const LONGEST_LIFE = 315_360_000;
const MOST_TIMES = 1_000_000;
const NUL = 'holds a NUL, which no text is searched for; leave it out.';

const matchFields = z.strictObject({
  path: optional(text({ min: 1, max: 500 })).describe('the beginning of a path, such as /v1/images.'),
  method: optional(z.enum(METHODS)).describe(`one of ${METHODS.join(', ')}.`),
  model: optional(z.string()).describe('an id of GET /v1/models.'),
  contains: optional(text({ min: 1, max: 10_000 }).refine(isPlain, { error: NUL })).describe(
    'a piece of a text of the request.',
  ),
  account_id: optional(z.string()).describe('the id of an account.'),
  take: optional(whole(1, 2)).describe('1 or 2: that take of a song alone.'),
  nth: optional(whole(1, MOST_TIMES)).describe('the nth request or event that fits, from 1, of each account.'),
});

/** Which requests a hold means. Nothing unknown passes: a misspelt field would mean everybody's. */
export const requestMatch = matchFields.transform(presentFields);

/** Which requests, events and files a rule means. */
const ruleMatch = matchFields.extend(lieMatch).transform(presentFields);

export const MATCH_TEXT = 'an object of path, method, model, contains, account_id, take, nth, each optional.';
const RULE_MATCH_TEXT =
  'an object of path, method, model, contains, account_id, take, nth, and of a lie event, content_type, each optional.';

/** A fault rule as it is ordered. */
export const faultRequest = z.strictObject({
  match: withDefault(ruleMatch, {}).describe(RULE_MATCH_TEXT),
  times: optional(whole(0, MOST_TIMES)).describe(
    'how often it strikes, by default 1, of a lie 0; 0: until it is deleted.',
  ),
  probability: withDefault(z.number().refine(isShare, { error: 'is out of range.' }), 1).describe(
    'a number above 0 and at most 1, the default.',
  ),
  ttl_seconds: optional(z.number().refine(isLife, { error: 'is out of range.' })).describe(
    "seconds of the emulator's clock, above 0; without it the rule never ends.",
  ),
  effect: effectSchema,
});

function isPlain(piece: string): boolean {
  return !piece.includes('\u0000');
}

function isShare(value: number): boolean {
  return value > 0 && value <= 1;
}

/** Stamps are whole milliseconds. */
function isLife(seconds: number): boolean {
  return seconds >= 0.001 && seconds <= LONGEST_LIFE;
}

/** A rule: how often it has applied, and still may (null: until it is deleted). Times are unix seconds. */
export const faultRecord = z.strictObject({
  id: z.string(),
  match: faultRequest.shape.match,
  effect: faultRequest.shape.effect,
  /** What it does, as a sentence without its end. */
  says: z.string(),
  times: z.int(),
  strikes: z.int(),
  remaining: z.int().nullable(),
  probability: z.number(),
  ttl_seconds: z.number().nullable(),
  created: z.int(),
  expires: z.int().nullable(),
});

function viewOf({ id, match, effect, times, strikes, ...rule }: FaultRule) {
  return {
    id,
    match,
    effect,
    says: rowOf(effectKind(effect)).words(effect),
    times,
    strikes,
    remaining: times === 0 ? null : times - strikes,
    probability: rule.probability,
    ttl_seconds: rule.expires === null ? null : (rule.expires - rule.created) / 1000,
    created: unixSeconds(rule.created),
    expires: rule.expires === null ? null : unixSeconds(rule.expires),
  };
}

/** How many of the rules that are deleted at once the audit log names. */
const MOST_NOTED = 1000;

function ownerOf({ match }: FaultRule): string | null {
  return match.account_id ?? null;
}

const rules = new Resource({
  what: 'fault rule',
  path: '/_emulator/faults',
  record: faultRecord,
  find: ({ database }, id) => findFault(database, id),
  view: () => viewOf,
  ownerOf,
});

export const createFault = operation({
  name: 'createFault',
  method: 'POST',
  path: '/_emulator/faults',
  summary: 'A fault rule: the first one that fits a request strikes it.',
  access: 'local',
  body: faultRequest,
  status: 201,
  answer: faultRecord,
  async handle({ context, body }) {
    const { match, effect, times, probability, ttl_seconds: ttlSeconds } = body;
    const order = { match, effect, times, probability };
    requireReach(context, order);
    return viewOf(await context.faults.add(ttlSeconds === undefined ? order : { ...order, ttlSeconds }));
  },
});

export const listAllFaults = rules.list({
  name: 'listFaults',
  summary: 'Fault rules and how often each struck, newest first.',
  query: accountPageQuery,
  isDeletable: true,
  positionOf: ({ database }, id) => findFault(database, id)?.position,
  rows: ({ database }, page) => listFaults(database, page),
});

export const removeFaults = deletion({
  name: 'deleteFaults',
  path: '/_emulator/faults',
  summary: 'Removes all fault rules, or those of one account.',
  query: accountQuery,
  async act({ context: { database, faults, audit }, query: { account_id: accountId } }) {
    const were = listFaults(database, { accountId, limit: MOST_NOTED, before: Number.MAX_SAFE_INTEGER });
    await faults.removeAll(accountId);
    for (const was of were) audit.deleted(was.id, viewOf(was), ownerOf(was));
  },
});

export const removeFault = rules.remove({
  name: 'deleteFault',
  summary: 'Removes a fault rule.',
  remove: ({ faults }, { id }) => faults.remove(id),
});
