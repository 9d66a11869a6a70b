import { z } from 'zod';
import { unixSeconds } from '../base/clock/clock.ts';
import { findKey, listKeys, type StoredKey } from '../engine/accounts/account-store.ts';
import { noKey } from '../engine/accounts/keys.ts';
import type { Context } from '../service/http/context.ts';
import { operation } from '../service/http/operation.ts';
import { requireAccount } from './accounts.ts';
import { listAnswer, listOf, noneOfList, pageQuery, STANDARD_LIMIT } from './list-page.ts';
import { deletion, Resource } from './resource.ts';

/** A key without its text, which is kept nowhere. Stamps are unix seconds. */
const keyRecord = z.strictObject({
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

const keys = new Resource({
  what: 'key',
  path: '/_emulator/keys',
  record: keyRecord,
  find: ({ database }, id) => findKey(database, id),
  view: () => viewOf,
  missing: noKey,
});

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
    const before = after === undefined ? undefined : requireKeyOf(call.context, id, after);
    return listOf(listKeys(call.context.database, id, { limit, before }).map(viewOf));
  },
});

export const showKey = keys.get({ name: 'getKey', summary: 'Whose key it is, and whether it works.' });

export const addKey = operation({
  name: 'addKey',
  method: 'POST',
  path: '/_emulator/accounts/:id/keys',
  summary: 'One more key of an account, shown once.',
  access: 'local',
  status: 201,
  answer: z.strictObject({ id: z.string(), api_key: z.string() }),
  async handle(call) {
    const { id, apiKey } = await call.context.accounts.keys.add(requireAccount(call.context, call.param('id')).id);
    return { id, api_key: apiKey };
  },
});

export const revokeKey = deletion({
  name: 'revokeKey',
  path: '/_emulator/keys/:id',
  summary: 'Revokes a key at once.',
  act: (call) => call.context.accounts.keys.revoke(call.param('id')),
});

/** The key that a page of keys begins after. */
function requireKeyOf({ database }: Context, accountId: string, after: string): StoredKey {
  const key = findKey(database, after);
  if (key?.accountId === accountId) return key;
  throw noneOfList(after);
}
