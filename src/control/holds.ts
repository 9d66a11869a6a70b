import { z } from 'zod';
import { isoTime } from '../base/clock/clock.ts';
import type { Reader } from '../base/database/reader.ts';
import { invalidRequestError } from '../base/errors.ts';
import { integerBetween, optional, withDefault } from '../base/schemas.ts';
import { withoutNullishFields } from '../engine/faults/effects/effect-definition.ts';
import { EFFECT_KINDS, type Effect, effectKind, effectSchema } from '../engine/faults/effects/effect-table.ts';
import {
  canReleaseWithEffect,
  type HeldMessage,
  HOLD_POINTS,
  type Hold,
  type HoldPoint,
} from '../engine/faults/holds.ts';
import { readDelivery } from '../engine/webhooks/delivery-store.ts';
import type { Context } from '../service/http/context.ts';
import { defineDelete, definePost } from './control-operation.ts';
import { createFaultPointNarrower, holdMatchSchema, MATCH_DESCRIPTION } from './faults.ts';
import { accountQuerySchema, notFoundError, Resource } from './resource.ts';

const PATH = '/_emulator/holds';
const MAX_TIMES = 1_000_000;

const heldMessage = z.strictObject({
  id: z.string(),
  /** The message in words: `POST /v1/music/generations`, or `delivery of music.generation.succeeded to http://…`. */
  what: z.string(),
  account_id: z.string().nullable(),
  request_id: z.string().nullable(),
  delivery_id: z.string().nullable(),
  since: z.string(),
});

const holdView = z.strictObject({
  id: z.string(),
  match: holdMatchSchema,
  at: z.enum(HOLD_POINTS),
  times: z.int(),
  caught: z.int(),
  held: z.array(heldMessage),
  created: z.string(),
});

function viewOf({ failures: { rules }, database }: Context, { id, match, at, times, caught, created }: Hold) {
  const held = rules.holds.heldBy(id).map((message) => messageView(database, message));
  return { id, match: { ...match }, at, times, caught, held, created: isoTime(created) };
}

function messageView(db: Reader, { id, what, accountId, requestId, deliveryId, since }: HeldMessage) {
  const delivery = deliveryId === undefined ? undefined : readDelivery(db, deliveryId);
  return {
    id,
    what: delivery ? `${what} of ${delivery.type} to ${delivery.url}` : what,
    account_id: accountId === '' ? null : accountId,
    request_id: requestId ?? null,
    delivery_id: deliveryId ?? null,
    since: isoTime(since),
  };
}

const createHold = definePost('createHold', PATH, {
  summary: 'Creates a hold, which stops matching requests, responses or deliveries.',
  body: z.strictObject({
    match: withDefault(holdMatchSchema, {}).describe(MATCH_DESCRIPTION),
    at: z.enum(HOLD_POINTS).describe(`one of ${HOLD_POINTS.join(', ')}.`),
    times: withDefault(integerBetween(0, MAX_TIMES), 1).describe(
      'the number of messages to hold (default: 1); 0 means until the hold is deleted.',
    ),
  }),
  status: 201,
  answer: holdView,
  handle({ context, body }) {
    const { match, at, times } = body;
    const narrow = createFaultPointNarrower(context, match);
    if (at === 'delivery') {
      narrow(({ announces }) => announces, 'at', 'only announced work has deliveries');
    } else if (match.take !== undefined) {
      throw invalidRequestError(
        'match.take',
        'match.take works only with at: delivery, because a take has only a delivery of its own.',
      );
    }
    return viewOf(context, context.failures.rules.holds.add({ match, at, times }));
  },
});

const holds = new Resource({
  what: 'hold',
  path: PATH,
  record: holdView,
  find: ({ failures: { rules } }, id) => rules.holds.find(id),
  view: (call) => (hold: Hold) => viewOf(call.context, hold),
});

const listHolds = holds.list({
  name: 'listHolds',
  summary: 'Lists holds, newest first, each with the messages that it stops.',
  query: accountQuerySchema,
  rows: ({ failures: { rules } }, { accountId }) =>
    rules.holds.list().filter(({ match }) => !accountId || match.account_id === accountId),
});

const releaseHold = definePost('releaseHold', '/_emulator/holds/:id/release', {
  summary: 'Releases one message or all messages of a hold, optionally with a fault effect.',
  body: z.strictObject({
    message: optional(z.string()).describe('the id of a held message (default: all messages of the hold).'),
    effect: optional(effectSchema.transform(withoutNullishFields)),
  }),
  answer: z.strictObject({ released: z.int() }),
  handle(call) {
    const { context, body } = call;
    const { message, effect } = body;
    const hold = holds.require(context, call.param('id'));
    const { rules } = context.failures;
    if (effect) requireFit(hold.at, effect);
    const isThere = message === undefined || rules.holds.heldBy(hold.id).some(({ id }) => id === message);
    if (!isThere) throw notFoundError(`message held by ${hold.id}`, PATH, message);
    return { released: rules.holds.release(hold.id, { message, effect }) };
  },
});

const removeHold = defineDelete('deleteHold', `${PATH}/:id`, {
  summary: 'Removes a hold and releases its messages.',
  act: (call) => call.context.failures.rules.holds.remove(holds.require(call.context, call.param('id')).id),
});

const removeHolds = defineDelete('deleteHolds', PATH, {
  summary: 'Removes all holds, or those of one account, and releases their messages.',
  query: accountQuerySchema,
  act({ context, query }) {
    for (const { id, match } of context.failures.rules.holds.list()) {
      if (query.account_id === undefined || match.account_id === query.account_id)
        context.failures.rules.holds.remove(id);
    }
  },
});

function requireFit(at: HoldPoint, effect: Effect): void {
  const kind = effectKind(effect);
  const fitting = EFFECT_KINDS.filter((each) => canReleaseWithEffect(each, at));
  if (canReleaseWithEffect(kind, at)) return;
  throw invalidRequestError(
    `effect.${kind}`,
    `${kind} has no effect on a held ${at}; use one of ${fitting.join(', ')}.`,
  );
}

export const HOLD_OPERATIONS = [createHold, listHolds, removeHolds, removeHold, releaseHold] as const;
