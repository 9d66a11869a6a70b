import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';
import { effectKind, rowOf } from '../faults/effects/effect-table.ts';
import type { FaultRule } from '../faults/fault-rule.ts';
import { findFault, listFaults } from '../faults/fault-store.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import { requireReach } from './fault-reach.ts';
import { faultRequest } from './fault-schemas.ts';
import { accountPageQuery, accountQuery, listAnswer, listOf, rowAfter, STANDARD_LIMIT } from './list-page.ts';

/** A rule as it stands: how often it struck, and still may (null: until it is deleted). Stamps are unix seconds. */
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

/** How often it struck and still may. Stamps are unix seconds. */
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

/** Of how many rules that are deleted at once the record tells. */
const MOST_CONSIDERED = 1000;

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

export const listAllFaults = operation({
  name: 'listFaults',
  method: 'GET',
  path: '/_emulator/faults',
  summary: 'Fault rules and how often each struck, newest first.',
  access: 'local',
  query: accountPageQuery,
  answer: listAnswer(faultRecord),
  handle({ context, query }) {
    const { database } = context;
    const before = rowAfter(database, query.after, (id) => findFault(database, id)?.position);
    const page = { accountId: query.account_id, limit: query.limit ?? STANDARD_LIMIT, before };
    return listOf(listFaults(database, page).map(viewOf));
  },
});

export const removeFaults = operation({
  name: 'deleteFaults',
  method: 'DELETE',
  path: '/_emulator/faults',
  summary: 'Removes all fault rules, or those of one account.',
  access: 'local',
  query: accountQuery,
  status: 204,
  answer: 'nothing',
  async handle({ context, query }) {
    const { database, faults, record } = context;
    const { account_id: accountId } = query;
    const were = listFaults(database, { accountId, limit: MOST_CONSIDERED, before: Number.MAX_SAFE_INTEGER });
    await faults.removeAll(accountId);
    for (const was of were) record.deleted(was.id, viewOf(was), was.match.account_id ?? null);
    return new NoContent();
  },
});

export const removeFault = operation({
  name: 'deleteFault',
  method: 'DELETE',
  path: '/_emulator/faults/:id',
  summary: 'Removes a fault rule.',
  access: 'local',
  status: 204,
  answer: 'nothing',
  async handle(call) {
    const id = call.param('id');
    const { database, faults, record } = call.context;
    const was = findFault(database, id);
    if (was && (await faults.remove(id))) {
      record.deleted(id, viewOf(was), was.match.account_id ?? null);
      return new NoContent();
    }
    throw new EmulatorError(
      'not_found',
      `There is no fault rule "${id.slice(0, 80)}". GET /_emulator/faults lists them.`,
    );
  },
});
