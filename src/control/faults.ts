import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';
import { effectKind, rowOf } from '../faults/effects/effect-table.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { findFault, listFaults } from '../faults/fault-store.ts';
import { operation } from '../http/operation.ts';
import { faultRequest, requireReach } from './fault-match.ts';
import { accountPageQuery, accountQuery } from './list-page.ts';
import { deletion, Resource } from './resource.ts';

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
  missing: (id) =>
    new EmulatorError('not_found', `There is no fault rule "${id.slice(0, 80)}". GET /_emulator/faults lists them.`),
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
    requireReach(context, match, effect);
    const order = { match, effect, times, probability };
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
