import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('lists the keys of an account without their texts, newest first and by pages', async () => {
  const account = await emulator.account();
  const path = `/accounts/${account.id}/keys`;
  const made = [];
  for (let n = 0; n < 3; n += 1) made.push((await emulator.control('POST', path)).body);
  await emulator.control('DELETE', `/keys/${made[1].id}`);
  const all = await emulator.control('GET', path);
  expect(all.body.data).toHaveLength(4);
  expect(all.bytes.toString()).not.toContain('svc_sk_');
  const revoked = all.body.data.filter((key: { revoked: number | null }) => key.revoked !== null);
  expect(revoked).toEqual([
    {
      ...{ id: made[1].id, account_id: account.id },
      ...{ created: expect.any(Number), revoked: expect.any(Number) },
    },
  ]);
  expect((await emulator.control('GET', `/keys/${made[1].id}`)).body).toEqual(revoked[0]);
  const ids = ({ body }: typeof all) => body.data.map(({ id }: { id: string }) => id);
  const first = await emulator.control('GET', `${path}?limit=2`);
  const second = await emulator.control('GET', `${path}?after=${ids(first)[1]}`);
  expect([...ids(first), ...ids(second)]).toEqual(ids(all));
  expectError(await emulator.control('GET', `${path}?after=key_none`), 400, 'invalid_request', 'after');
  expectError(await emulator.control('GET', '/keys/key_none'), 404, 'not_found');
});

it('changes name and role of an account, and its keys at once', async () => {
  const owner = await emulator.account({ credits: 100 });
  const member = await emulator.account({ workspace_id: owner.workspaceId, credits: 10 });
  const denied = await member.get('/webhooks');
  expect(denied.status).toBe(403);
  const path = `/accounts/${member.id}`;
  const changed = await emulator.control('PATCH', path, { role: 'admin', name: 'Ben' });
  expect(changed.body).toMatchObject({ id: member.id, role: 'admin', name: 'Ben', credits: 10 });
  expect((await member.get('/webhooks')).status).toBe(200);
  expect((await member.post('/chat/completions', CHAT)).status).toBe(200);
  expect(await member.ledger()).toEqual(['grant 10', 'charge -1']);
});

it('leaves a workspace its only owner', async () => {
  const owner = await emulator.account();
  const role = (id: string, wanted: string) => emulator.control('PATCH', `/accounts/${id}`, { role: wanted });
  const refused = expectError(await role(owner.id, 'member'), 400, 'invalid_request');
  expect([refused.param, refused.message]).toEqual(['role', expect.stringContaining('only owner')]);
  const second = await emulator.account({ workspace_id: owner.workspaceId, role: 'owner' });
  expect((await role(owner.id, 'member')).body.role).toBe('member');
  expect((await role(second.id, 'admin')).status).toBe(400);
  expectError(await role('acct_none', 'admin'), 404, 'not_found');
});
