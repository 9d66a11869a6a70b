import { z } from 'zod';
import { noKey } from '../accounts/accounts.ts';
import { findKey, listKeys, type StoredKey } from '../accounts/key-store.ts';
import { unixSeconds } from '../clock/clock.ts';
import { invalid } from '../errors.ts';
import type { Context } from '../http/context.ts';
import { operation } from '../http/operation.ts';
import { NoContent } from '../http/reply.ts';
import { requireAccount } from './account-control.ts';
import { listAnswer, listOf, pageQuery, STANDARD_LIMIT } from './list-page.ts';

/** A key without its text, which is kept nowhere. Stamps are unix seconds. */
export const keyRecord = z.strictObject({
  id: z.string(),
  account_id: z.string(),
  created: z.int(),
  revoked: z.int().nullable(),
});

export type KeyRecord = z.infer<typeof keyRecord>;

function viewOf({ id, accountId, created, revoked }: StoredKey) {
  return {
    id,
    account_id: accountId,
    created: unixSeconds(created),
    revoked: revoked === null ? null : unixSeconds(revoked),
  };
}

export const listAccountKeys = operation({
  name: 'listKeys',
  method: 'GET',
  path: '/_emulator/accounts/:id/keys',
  summary: 'The keys of an account, newest first, revoked ones too; never their texts.',
  access: 'local',
  query: pageQuery,
  answer: listAnswer(keyRecord),
  handle(call) {
    const { id } = requireAccount(call.context, call.param('id'));
    const { limit = STANDARD_LIMIT, after } = call.query;
    const before = after === undefined ? undefined : requirePlace(call.context, id, after);
    return listOf(listKeys(call.context.database, id, { limit, before }).map(viewOf));
  },
});

export const showKey = operation({
  name: 'getKey',
  method: 'GET',
  path: '/_emulator/keys/:id',
  summary: 'Whose key it is, and whether it works.',
  access: 'local',
  answer: keyRecord,
  handle(call) {
    const key = findKey(call.context.database, call.param('id'));
    if (key) return viewOf(key);
    throw noKey(call.param('id'));
  },
});

export const addKey = operation({
  name: 'addKey',
  method: 'POST',
  path: '/_emulator/accounts/:id/keys',
  summary: 'One more key of an account, shown once.',
  access: 'local',
  status: 201,
  answer: z.strictObject({ id: z.string(), api_key: z.string() }),
  async handle(call) {
    const { id, apiKey } = await call.context.accounts.addKey(call.param('id'));
    return { id, api_key: apiKey };
  },
});

export const revokeKey = operation({
  name: 'revokeKey',
  method: 'DELETE',
  path: '/_emulator/keys/:id',
  summary: 'Revokes a key at once.',
  access: 'local',
  status: 204,
  answer: 'nothing',
  async handle(call) {
    await call.context.accounts.revokeKey(call.param('id'));
    return new NoContent();
  },
});

/** Where a page of keys begins. */
function requirePlace({ database }: Context, accountId: string, after: string): StoredKey {
  const key = findKey(database, after);
  if (key?.accountId === accountId) return key;
  throw invalid('after', `after must be an id of this list; "${after.slice(0, 80)}" is none. Begin anew without it.`);
}
