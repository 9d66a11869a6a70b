import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { TestAccount, world } from '../support/world.ts';

const emulator = await world();

it('starts with a studio workspace and its owner with 50 credits and a top-up to 100,000 [I021 R008]', async () => {
  const { body } = await emulator.control('GET', '/accounts?limit=1000');
  expect(body.data.at(-1)).toMatchObject({ plan: 'studio', role: 'owner', credits: 100_000 });
  const local = await emulator.first();
  expect(await local.balance()).toBe(100_000);
  expect(await local.ledger()).toEqual(['grant 50', 'top_up 99950']);
});

it('creates an account with 50 credits, which owns a new workspace on the plan payg [I022 I087 R008]', async () => {
  const { status, body } = await emulator.control('POST', '/accounts', {});
  expect(status).toBe(201);
  expect(body).toMatchObject({ plan: 'payg', role: 'owner', credits: 50 });
  expect(body.api_key).toMatch(/^svc_sk_[0-9A-Za-z]{32}$/);
  const shown = await emulator.control('GET', `/accounts/${body.id}`);
  const key = { id: expect.stringMatching(/^key_/), created: expect.any(Number), revoked: null };
  expect(shown.body).toEqual({ ...body, api_key: undefined, keys: [key] });
});

it.each<[object, object, string[]]>([
  [{ credits: 7 }, { credits: 7 }, ['grant 7']],
  [{ credits: 80 }, { credits: 80 }, ['grant 50', 'top_up 30']],
  [{ credits: 0 }, { credits: 0 }, []],
  [{ plan: 'creator', role: 'admin' }, { plan: 'creator', role: 'admin' }, ['grant 50']],
  [{ name: 'Ann' }, { name: 'Ann' }, ['grant 50']],
])('creates an account from %j [I022 I087]', async (order, made, ledger) => {
  const { body } = await emulator.control('POST', '/accounts', order);
  expect(body).toMatchObject(made);
  expect(await new TestAccount(emulator, body).ledger()).toEqual(ledger);
});

it('creates an account in an existing workspace as a member with its own balance [I022 I087]', async () => {
  const { workspaceId } = await emulator.account({ plan: 'hobby' });
  const { body } = await emulator.control('POST', '/accounts', { workspace_id: workspaceId });
  expect(body).toMatchObject({ workspace_id: workspaceId, plan: 'hobby', role: 'member', credits: 50 });
  const unknown = await emulator.control('POST', '/accounts', { workspace_id: 'ws_none' });
  expectError(unknown, 404, 'not_found', 'workspace_id');
});

it.each<[object, string]>([
  [{ credits: -1 }, 'credits'],
  [{ credits: 1.5 }, 'credits'],
  [{ credits: '50' }, 'credits'],
  [{ plan: 'free' }, 'plan'],
  [{ role: 'guest' }, 'role'],
  [{ name: 'x'.repeat(201) }, 'name'],
  [{ workspace_id: 5 }, 'workspace_id'],
])('rejects an account such as %j, and names %s [I006 I087]', async (order, param) => {
  expectError(await emulator.control('POST', '/accounts', order), 400, 'invalid_request', param);
});

it('stores only the hash of a key [I020]', async () => {
  const folder = emptyFolder();
  const { key } = await (await world({ ephemeral: false, dataDir: folder })).account();
  const kept = ['emulator.db', 'emulator.db-wal', 'journal.db', 'journal.db-wal']
    .map((name) => path.join(folder, name))
    .map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : ''))
    .join('');
  expect(key).toMatch(/^svc_sk_[0-9A-Za-z]{32}$/);
  expect(kept).toContain(hash('sha256', key, 'hex'));
  expect(kept).not.toContain(key.slice('svc_sk_'.length));
});

it('adds several different keys to an account, and rejects a revoked key without a charge [I023 R206]', async () => {
  const account = await emulator.account();
  const made = await Promise.all(
    Array.from({ length: 5 }, () => emulator.control('POST', `/accounts/${account.id}/keys`)),
  );
  const keys: { id: string; api_key: string }[] = made.map(({ body }) => body);
  expect(new Set([account.key, ...keys.map(({ api_key }) => api_key)]).size).toBe(6);
  const [first, second] = keys.map(({ api_key }) => ({ authorization: `Bearer ${api_key}` }));
  const ask = async (headers = {}) => (await emulator.call('POST', '/v1/chat/completions', CHAT, headers)).status;
  expect([await ask(first), await ask(second)]).toEqual([200, 200]);
  expect((await emulator.control('DELETE', `/keys/${keys[0]?.id}`)).status).toBe(204);
  expect([await ask(first), await ask(second)]).toEqual([401, 200]);
  expectError(await emulator.control('DELETE', `/keys/${keys[0]?.id}`), 404, 'not_found');
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1', 'charge -1']);
});

it('adds credits, and returns the ledger entry with every field [I025 I087 I147]', async () => {
  const account = await emulator.account();
  const chat = await account.post('/chat/completions', CHAT);
  const { status, body } = await emulator.control('POST', `/accounts/${account.id}/credits`, { amount: 25 });
  expect([status, await account.balance()]).toEqual([201, 74]);
  const [grant, charge, topUp] = await account.entries();
  expect(topUp).toEqual(body);
  const none = { operation: null, model: null, job_id: null, refund_of: null, request_id: null };
  const id = expect.stringMatching(/^le_\w+$/);
  const created = expect.any(Number);
  expect(grant).toEqual({ id, type: 'grant', amount: 50, balance: 50, ...none, created });
  const request_id = chat.headers.get('x-request-id');
  const paid = { ...none, operation: 'chat.completion', model: CHAT.model, request_id };
  expect(charge).toEqual({ id, type: 'charge', amount: -1, balance: 49, ...paid, created });
  expect(topUp).toEqual({ id, type: 'top_up', amount: 25, balance: 74, ...none, created });
});

it.each([0, -5, 1.5, '5', null, 1e300])('rejects a top-up by %j [I087]', async (amount) => {
  const account = await emulator.account();
  const answer = await emulator.control('POST', `/accounts/${account.id}/credits`, { amount });
  expectError(answer, 400, 'invalid_request', 'amount');
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('finds accounts by part of a name or id, in pages, and treats % and _ literally', async () => {
  const made = async (name: string) => (await emulator.control('POST', '/accounts', { name })).body.id as string;
  const [first, second] = [await made('Quince 50%_a'), await made('quince pie')];
  await made('Quince 50 xa');
  const found = async (q: string, more = '') => {
    const { body } = await emulator.control('GET', `/accounts?q=${encodeURIComponent(q)}${more}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await found('QUINCE P')).toEqual([second]);
  expect(await found('50%_')).toEqual([first]);
  for (const part of [first, first.slice(8)]) expect(await found(part)).toEqual([first]);
  expect(await found('quince', `&limit=1&after=${second}`)).toEqual([first]);
  expect(await found('no such quince')).toEqual([]);
});

it('shows the keys of an account without their values, newest first, including revoked keys', async () => {
  const account = await emulator.account();
  const path = `/accounts/${account.id}`;
  const made = [];
  for (let n = 0; n < 3; n += 1) made.push((await emulator.control('POST', `${path}/keys`)).body);
  await emulator.control('DELETE', `/keys/${made[1].id}`);
  const shown = await emulator.control('GET', path);
  expect(shown.bytes.toString()).not.toContain('svc_sk_');
  const { keys } = shown.body;
  expect(keys).toHaveLength(4);
  const created: number[] = keys.map((key: { created: number }) => key.created);
  expect(created).toEqual(created.toSorted((a, b) => b - a));
  const revoked = keys.filter((key: { revoked: number | null }) => key.revoked !== null);
  expect(revoked).toEqual([{ id: made[1].id, created: expect.any(Number), revoked: expect.any(Number) }]);
  const [listed] = (await emulator.control('GET', `/accounts?q=${account.id}`)).body.data;
  expect(listed).not.toHaveProperty('keys');
});

it('changes the name and role of an account, and with it the rights of its key', async () => {
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

it('sums the charges and refunds of all accounts, or of one, by account and model (most expensive first) and by day (newest first)', async () => {
  const own = await world();
  // The clock is set to a morning, so that all first charges fall on one day.
  await own.control('PUT', '/clock', { now: '2031-05-01T06:00:00Z' });
  const [first, second] = [await own.account({ credits: 1000 }), await own.account({ credits: 1000 })];
  for (const model of ['svc-rp-mini', 'svc-rp-plus', 'svc-rp-mini']) {
    await first.post('/chat/completions', { ...CHAT, model });
  }
  await first.post('/images/generations', { prompt: 'a pier' });
  await first.post('/images/generations', { prompt: '[[fail]] a pier' });
  await own.control('POST', '/clock/advance', { seconds: 86_400 });
  await second.post('/images/generations', { prompt: 'a kite' });
  const spending = async (query: string) => (await own.control('GET', `/spending?${query}`)).body;
  const row = (charges: number, charged: number, refunds = 0, refunded = 0) => ({
    ...{ charges, charged, refunds, refunded, credits: charged - refunded },
  });
  const image = { operation: 'image.generation', model: expect.any(String) };
  const chats = [
    { operation: 'chat.completion', model: 'svc-rp-plus', ...row(1, 3) },
    { operation: 'chat.completion', model: 'svc-rp-mini', ...row(2, 2) },
  ];
  const { total, accounts, models, days } = await spending('');
  expect(total).toEqual({ accounts: 2, ...row(6, 35, 1, 10) });
  expect(accounts).toMatchObject([
    { account_id: first.id, credits: 15 },
    { account_id: second.id, credits: 10 },
  ]);
  expect(models).toMatchObject([{ ...image, ...row(3, 30, 1, 10) }, ...chats]);
  expect(days.map(({ credits }: { credits: number }) => credits)).toEqual([10, 15]);
  expect((await spending(`since=${days[0].day}T12:00:00Z`)).total).toMatchObject({ accounts: 1, credits: 10 });
  expect(await spending(`account_id=${first.id}`)).toMatchObject({
    models: [{ ...image, ...row(2, 20, 1, 10) }, ...chats],
    total: { accounts: 1, ...row(5, 25, 1, 10) },
  });
  expect(await spending('since=2999-01-01T00:00:00Z')).toMatchObject({ models: [], total: row(0, 0) });
});
