import { expect, it } from 'vitest';
import { expectScenario, playScenario } from '../../support/scenario.ts';
import { CHAT } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const DAY = 24 * 60 * 60;
const UNUSED = { requests: 0, credits: 0 };

async function usage(account: TestAccount) {
  return (await account.get('/account')).body.usage_30d;
}

it('returns exactly the documented fields of an account, free of charge [R035 R131 R008 I001]', async () => {
  const { body } = await playScenario(emulator, { send: 'GET /account' });
  expect(body).toEqual({ object: 'account', credits: 50, usage_30d: UNUSED });
});

it('counts one request in usage_30d for each take of a song [I024 I028]', async () => {
  const account = await emulator.account();
  const order = { style: 'slow piano [[fail:take=2]]', instrumental: true, seconds: 30 };
  const { body } = await account.post('/music/generations', order);
  expect(await usage(account)).toEqual({ requests: 2, credits: 6 });
  await account.finished(`/music/generations/${body.data[1].id}`);
  expect(await usage(account)).toEqual({ requests: 2, credits: 3 });
});

it('shows only the account of the key, no other account of the workspace [R037 R207]', async () => {
  const owner = await emulator.account();
  await expectScenario(emulator, {
    ...{ as: { workspace_id: owner.workspaceId }, send: 'POST /chat/completions', body: CHAT, ledger: ['charge -1'] },
    answer: { usage: { credits_spent: 1, credits_remaining: 49 } },
  });
  expect(await usage(owner)).toEqual(UNUSED);
  expect(await owner.ledger()).toEqual(['grant 50']);
});

it('shows the same account for all its keys [I023 I104]', async () => {
  const account = await emulator.account();
  const { body } = await emulator.control('POST', `/accounts/${account.id}/keys`);
  const headers = { authorization: `Bearer ${body.api_key}` };
  await emulator.call('POST', '/v1/chat/completions', CHAT, headers);
  const other = await emulator.call('GET', '/v1/account', undefined, headers);
  expect(other.body).toEqual((await account.get('/account')).body);
  expect(other.body).toMatchObject({ credits: 49, usage_30d: { requests: 1, credits: 1 } });
});

it('omits charges from usage_30d that are more than 30 days old, to the second [R246]', async () => {
  const clocked = await world();
  await clocked.control('PUT', '/clock', { frozen: true });
  const account = await clocked.account();
  await account.post('/chat/completions', CHAT);
  await clocked.advance(30 * DAY);
  expect(await usage(account)).toEqual({ requests: 1, credits: 1 });
  await clocked.advance(1);
  expect(await usage(account)).toEqual(UNUSED);
  expect(await account.balance()).toBe(49);
});
