import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { TestAccount, world } from '../support/world.ts';

const emulator = await world();

it('seeds a studio workspace and its owner with 50 credits and a top-up to 100,000 [I021 R008]', async () => {
  const { body } = await emulator.control('GET', '/accounts?limit=1000');
  expect(body.data.at(-1)).toMatchObject({ plan: 'studio', role: 'owner', credits: 100_000 });
  const local = await emulator.first();
  expect(await local.balance()).toBe(100_000);
  expect(await local.ledger()).toEqual(['grant 50', 'top_up 99950']);
});

it.each<[number, string[]]>([
  [0, []],
  [20, ['grant 20']],
  [50, ['grant 50']],
  [51, ['grant 50', 'top_up 1']],
])('seeds %i credits with --credits [I021]', async (credits, ledger) => {
  const other = await world({ credits });
  const local = await other.first();
  expect([await local.balance(), await local.ledger()]).toEqual([credits, ledger]);
});

it('makes an account with 50 credits, owner of a workspace of its own on payg [I022 I087 R008]', async () => {
  const { status, body } = await emulator.control('POST', '/accounts', {});
  expect(status).toBe(201);
  expect(body).toMatchObject({ plan: 'payg', role: 'owner', credits: 50 });
  expect(body.api_key).toMatch(/^svc_sk_[0-9A-Za-z]{32}$/);
  const shown = await emulator.control('GET', `/accounts/${body.id}`);
  expect(shown.body).toEqual({ ...body, api_key: undefined });
});

it.each<[object, object, string[]]>([
  [{ credits: 7 }, { credits: 7 }, ['grant 7']],
  [{ credits: 80 }, { credits: 80 }, ['grant 50', 'top_up 30']],
  [{ credits: 0 }, { credits: 0 }, []],
  [{ plan: 'creator', role: 'admin' }, { plan: 'creator', role: 'admin' }, ['grant 50']],
  [{ name: 'Ann' }, { name: 'Ann' }, ['grant 50']],
])('makes an account as %j says [I022 I087]', async (order, made, ledger) => {
  const { body } = await emulator.control('POST', '/accounts', order);
  expect(body).toMatchObject(made);
  expect(await new TestAccount(emulator, body).ledger()).toEqual(ledger);
});

it('makes a member, where a workspace is joined, with its own balance [I022 I087]', async () => {
  const { workspaceId } = await emulator.account({ plan: 'hobby' });
  const { body } = await emulator.control('POST', '/accounts', { workspace_id: workspaceId });
  expect(body).toMatchObject({ workspace_id: workspaceId, plan: 'hobby', role: 'member' });
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
])('refuses an account like %j, naming %s [I006 I087]', async (order, param) => {
  expectError(await emulator.control('POST', '/accounts', order), 400, 'invalid_request', param);
});

it('keeps the hash of a key only [I020]', async () => {
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

it('gives an account any number of keys, each shown once and revoked for itself [I023 R206]', async () => {
  const account = await emulator.account();
  const made = await Promise.all(
    Array.from({ length: 5 }, () => emulator.control('POST', `/accounts/${account.id}/keys`)),
  );
  const keys: { id: string; api_key: string }[] = made.map(({ body }) => body);
  expect(new Set([account.key, ...keys.map(({ api_key }) => api_key)]).size).toBe(6);
  const [first, second] = keys.map(({ api_key }) => ({ authorization: `Bearer ${api_key}` }));
  const ask = async (headers = {}) => (await emulator.call('GET', '/v1/account', undefined, headers)).status;
  expect([await ask(first), await ask(second)]).toEqual([200, 200]);
  expect((await emulator.control('DELETE', `/keys/${keys[0]?.id}`)).status).toBe(204);
  expect([await ask(first), await ask(second)]).toEqual([401, 200]);
  expectError(await emulator.control('DELETE', `/keys/${keys[0]?.id}`), 404, 'not_found');
});

it('charges nothing on a key that was revoked [I023]', async () => {
  const account = await emulator.account();
  const { body } = await emulator.control('POST', `/accounts/${account.id}/keys`);
  const headers = { authorization: `Bearer ${body.api_key}` };
  await emulator.call('POST', '/v1/chat/completions', CHAT, headers);
  await emulator.control('DELETE', `/keys/${body.id}`);
  await emulator.call('POST', '/v1/chat/completions', CHAT, headers);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('tops up, and shows the entry in every field [I025 I087 I147]', async () => {
  const account = await emulator.account();
  const chat = await account.post('/chat/completions', CHAT);
  const { status, body } = await emulator.control('POST', `/accounts/${account.id}/credits`, {
    amount: 25,
  });
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

it.each([0, -5, 1.5, '5', null, 1e300])('refuses to top up by %j [I087]', async (amount) => {
  const account = await emulator.account();
  const answer = await emulator.control('POST', `/accounts/${account.id}/credits`, { amount });
  expectError(answer, 400, 'invalid_request', 'amount');
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('changes the plan of a workspace for all its accounts at once [I087 I007]', async () => {
  const account = await emulator.account({ credits: 2000 });
  const long = { prompt: 'a pier', model: 'svc-motion-one', seconds: 10 };
  const engines = (await emulator.control('GET', '/engines')).body.data;
  const { id } = engines.find(({ label }: { label: string }) => label === 'M');
  const order = { ...long, model: id, seconds: 15 };
  const refused = await account.post('/videos/generations', order);
  const { message } = expectError(refused, 400, 'plan_cap_exceeded');
  expect(message).toMatch(/15 s .*payg.*10 s/);
  await emulator.control('PATCH', `/workspaces/${account.workspaceId}`, { plan: 'hobby' });
  expect((await account.post('/videos/generations', order)).status).toBe(202);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 1950', 'charge -135']);
});

it.each(['owner', 'admin', 'member'])('lets an %s manage webhooks by its role only [R208 I011]', async (role) => {
  const account = await emulator.account({ role });
  const answer = await account.get('/webhooks');
  if (role !== 'member') expect(answer.status).toBe(200);
  else expectError(answer, 403, 'permission_denied');
});

it('finds accounts by a piece of name or id, in pages, and takes no sign as another', async () => {
  const made = async (name: string) => (await emulator.control('POST', '/accounts', { name })).body.id as string;
  const [first, second] = [await made('Quince 50%_a'), await made('quince pie')];
  await made('Quince 50 xa');
  const found = async (q: string, more = '') => {
    const { body } = await emulator.control('GET', `/accounts?q=${encodeURIComponent(q)}${more}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  expect(await found('QUINCE P')).toEqual([second]);
  expect(await found('50%_')).toEqual([first]);
  expect(await found(first)).toEqual([first]);
  expect(await found('quince', `&limit=1&after=${second}`)).toEqual([first]);
  expect(await found('no such quince')).toEqual([]);
});
