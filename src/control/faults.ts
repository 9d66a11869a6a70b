import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { findDeletedRecord } from '../base/database/list-queries.ts';
import { type EmulatorError, invalidRequestError, quoted } from '../base/errors.ts';
import { HTTP_METHODS } from '../base/http-methods.ts';
import { integerBetween, optional, text, textWithoutNul, withDefault } from '../base/schemas.ts';
import { findAccount } from '../engine/accounts/account-store.ts';
import { paidOperationTraits } from '../engine/catalogue/catalogue.ts';
import { withoutNullishFields } from '../engine/faults/effects/effect-definition.ts';
import { effectDefinition, effectKind, effectSchema } from '../engine/faults/effects/effect-table.ts';
import { type FaultableRoute, isPerTake } from '../engine/faults/fault-rule.ts';
import { type FaultRule, findFaultRule, listFaultRules, type MatchConditions } from '../engine/faults/fault-store.ts';
import { listFaultableRoutes } from '../service/faults/fault-target.ts';
import type { Context } from '../service/http/context.ts';
import { SERVICE_AND_HOOK_OPERATIONS } from '../service/router.ts';
import { formatPathTemplate } from '../service/unknown-path.ts';
import { defineDelete, definePost } from './control-operation.ts';
import { accountPageQuerySchema, accountQuerySchema, Resource } from './resource.ts';

const FAULT_POINTS = listFaultableRoutes(SERVICE_AND_HOOK_OPERATIONS);

/** The longest lifetime of a rule: ten years, in seconds. */
const MAX_LIFE = 315_360_000;
/** The length of the longest file and name that createAccount accepts, joined by ` > `. */
const MAX_TEST = 4003;
const MAX_TIMES = 1_000_000;

const matchFields = z.strictObject({
  path: optional(text({ min: 1, max: 500 })).describe('a path prefix, such as /v1/images.'),
  method: optional(z.enum(HTTP_METHODS)).describe(`one of ${HTTP_METHODS.join(', ')}.`),
  model: optional(z.string()).describe('the id of a model, as in GET /v1/models.'),
  contains: optional(textWithoutNul({ min: 1, max: 10_000 })).describe(
    'a text that the request contains, 1 to 10,000 characters.',
  ),
  account_id: optional(z.string()).describe('the id of an account.'),
  test: optional(text({ min: 1, max: MAX_TEST })).describe(
    'the name of a test that fixtures report, alone or after its file, as in test/pay.test.ts > pays once.',
  ),
  take: optional(integerBetween(1, 2)).describe('the take of a song, 1 or 2 (default: both).'),
  nth: optional(integerBetween(1, MAX_TIMES)).describe(
    'the number of the matching request or event, counted from 1 over all accounts that match.',
  ),
});

/** Rejects unknown fields, because a match with a misspelled field would match too many requests. */
export const holdMatchSchema = matchFields.transform(withoutNullishFields);

export const MATCH_DESCRIPTION =
  'an object with the optional fields path, method, model, contains, account_id, test, take and nth.';
export const faultRuleInputSchema = z.strictObject({
  match: withDefault<z.ZodType<MatchConditions, z.input<typeof matchFields>>>(matchFields, {}).describe(
    MATCH_DESCRIPTION,
  ),
  times: optional(integerBetween(0, MAX_TIMES)).describe(
    'how many times the rule applies (default: 1); 0 means until the rule is deleted.',
  ),
  probability: withDefault(
    z.number().refine((value) => value > 0 && value <= 1, {
      error: 'must be above 0 and at most 1; leave it out to apply the rule always.',
    }),
    1,
  ).describe('a number above 0 and at most 1 (default: 1).'),
  ttl_seconds: optional(
    z.number().refine((seconds) => seconds >= 0.001 && seconds <= MAX_LIFE, {
      error: 'must be from 0.001 to 315360000 seconds; leave it out for no limit.',
    }),
  ).describe(
    "the lifetime of the rule in seconds of the emulator's clock, from 0.001 to 315360000 (default: no limit).",
  ),
  effect: effectSchema,
});

/** `remaining` is null if `times` is 0. `created` and `expires` are in unix seconds; `expires` is null without an end. */
const faultRecord = z.strictObject({
  id: z.string(),
  match: faultRuleInputSchema.shape.match,
  effect: faultRuleInputSchema.shape.effect,
  /** The effect in words, without a period at the end. */
  text: z.string(),
  times: z.int(),
  applied: z.int(),
  remaining: z.int().nullable(),
  probability: z.number(),
  ttl_seconds: z.number().nullable(),
  created: z.int(),
  expires: z.int().nullable(),
});

function viewOf({ id, match, effect, times, applied, ...rule }: FaultRule) {
  return {
    id,
    match,
    effect,
    text: effectDefinition(effectKind(effect)).words(effect),
    times,
    applied,
    remaining: times === 0 ? null : times - applied,
    probability: rule.probability,
    ttl_seconds: rule.expires === null ? null : (rule.expires - rule.created) / 1000,
    created: unixSeconds(rule.created),
    expires: rule.expires === null ? null : unixSeconds(rule.expires),
  };
}

const MAX_NOTED = 1000;

const rules = new Resource({
  what: 'fault rule',
  path: '/_emulator/faults',
  record: faultRecord,
  find: ({ database }, id) => findFaultRule(database, id),
  view: () => viewOf,
});

const createFault = definePost('createFault', '/_emulator/faults', {
  summary: 'Creates a fault rule. If matching rules conflict, the oldest applies.',
  body: faultRuleInputSchema,
  status: 201,
  answer: faultRecord,
  handle: async ({ context, body }) => viewOf(await addFaultRule(context, body)),
});

/** Throws `invalid_request` if no operation fits the rule, because a test would not notice that it never applies. */
export function addFaultRule(
  context: Context,
  { match, effect, times, probability, ttl_seconds: ttlSeconds }: z.output<typeof faultRuleInputSchema>,
): Promise<FaultRule> {
  const kind = effectKind(effect);
  const row = effectDefinition(kind);
  const narrow = createFaultPointNarrower(context, match);
  narrow((point) => row.reaches(point, effect), `effect.${kind}`, `${kind} acts on ${row.domain} only`);
  if (match.take !== undefined) narrow(({ paid }) => paid === SONG, 'match.take', 'only songs have takes');
  if (match.take !== undefined && !isPerTake({ kind })) {
    throw invalidRequestError(
      'match.take',
      `match.take names a take, and ${kind} applies to the whole request. Leave match.take out, or use fail_job, job or webhook.`,
    );
  }
  return context.failures.rules.add({ match, effect, times, probability, ttlSeconds });
}

const listAllFaults = rules.list({
  name: 'listFaults',
  summary: 'Lists fault rules, newest first, with the number of times that each was applied.',
  query: accountPageQuerySchema,
  positionOf: ({ database }, id) => (findFaultRule(database, id) ?? findDeletedRecord(database, id))?.position,
  rows: ({ database }, page) => listFaultRules(database, page),
});

const removeFaults = defineDelete('deleteFaults', '/_emulator/faults', {
  summary: 'Removes all fault rules, or those of one account.',
  query: accountQuerySchema,
  async act({ context, query: { account_id: accountId } }) {
    const { database, failures, records } = context;
    const were = listFaultRules(database, { accountId, limit: MAX_NOTED, before: Number.MAX_SAFE_INTEGER });
    await failures.rules.removeAll(accountId);
    for (const was of were) records.audit.deleted(was.id, viewOf(was), was.accountId);
  },
});

const removeFault = rules.remove({
  name: 'deleteFault',
  summary: 'Removes a fault rule.',
  remove: ({ failures }, { id }) => failures.rules.remove(id),
});

const SONG = 'music.generation';

/**
 * Throws `invalid_request` for a match that fits no operation. Returns a function that narrows the matching routes
 * further, and throws if none is left.
 */
export function createFaultPointNarrower(context: Context, match: MatchConditions) {
  const { path, method, model, contains, account_id: accountId } = match;
  const kind = model === undefined ? undefined : context.generation.catalogue.kindOf(model);
  if (model !== undefined && !kind) throw unknown('model', model, 'a model', 'GET /v1/models');
  if (accountId !== undefined && !findAccount(context.database, accountId)) {
    throw unknown('account_id', accountId, 'an account', 'GET /_emulator/accounts');
  }

  let left = FAULT_POINTS.filter((point) => path === undefined || isUnder(path, point));
  if (path !== undefined && left.length === 0) throw unknownPath(path);
  const narrow = (keeps: (point: FaultableRoute) => boolean, param: string, fault: string): void => {
    left = left.filter(keeps);
    if (left.length > 0) return;
    const where = path === undefined ? 'no path' : `nothing under match.path ${quoted(path)}`;
    throw invalidRequestError(
      param,
      `This rule can never apply: ${fault}; ${where} fits it. Change ${param} or match.path.`,
    );
  };
  if (method !== undefined) {
    narrow(({ methods }) => methods.includes(method), 'match.method', `${method} is a method of other paths`);
  }
  if (model !== undefined) {
    const isOfModel = ({ paid }: FaultableRoute) => paid !== undefined && paidOperationTraits(paid).model === kind;
    narrow(isOfModel, 'match.model', `model "${model}" is of kind ${kind}`);
  }
  if (contains !== undefined) {
    const fault = 'contains looks at the texts of a body, and these have none';
    narrow(({ hasTexts }) => hasTexts, 'match.contains', fault);
  }
  for (const owner of ['account_id', 'test'] as const) {
    if (match[owner] === undefined) continue;
    narrow(({ hasAccount }) => hasAccount, `match.${owner}`, 'no account is known by a key there');
  }
  return narrow;
}

const NAMED = 8;

function unknownPath(path: string): EmulatorError {
  const known = [...new Set(FAULT_POINTS.map((point) => formatPathTemplate(point.path)))].slice(0, NAMED).join(', ');
  return invalidRequestError(
    'match.path',
    `match.path ${quoted(path)} matches no path that a fault can affect, so the rule would never apply. Use a prefix of a path of the service or its CDN: ${known}, …`,
  );
}

function unknown(field: string, value: string, what: string, list: string): EmulatorError {
  const param = `match.${field}`;
  return invalidRequestError(
    param,
    `${param} must be the id of ${what}, not ${quoted(value)}; the rule would never apply. ${list} lists them.`,
  );
}

function isUnder(prefix: string, { path }: Pick<FaultableRoute, 'path'>): boolean {
  const wanted = prefix.split('/');
  const segments = path.split('/');
  return wanted.every((step, at) => {
    const segment = segments[at];
    if (segment === undefined) return segments.at(-1) === '*';
    if (segment === '*') return true;
    const isLast = at === wanted.length - 1;
    if (segment.startsWith(':')) return isLast || step !== '';
    return isLast ? segment.startsWith(step) : segment === step;
  });
}

export const FAULT_OPERATIONS = [createFault, listAllFaults, removeFaults, removeFault] as const;
