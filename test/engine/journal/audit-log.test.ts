import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { lookUntil } from '../../support/look-until.ts';
import { type TestAccount, type World, world } from '../../support/world.ts';

const emulator = await world();
const PICTURE = { model: 'svc-image-one', prompt: 'a blue mug', store: true };
const SONG = { prompt: 'rain', seconds: 30, n: 1, seed: 3 };

/** Entries of the record, newest first. */
async function acts(query: string, of: World = emulator) {
  return (await of.control('GET', `/record?${query}`)).body.data;
}

async function ofAccount({ id }: TestAccount, kind: string) {
  return acts(`account_id=${id}&kind=${kind}`);
}

it('records control operations that changed something, and masks keys in their responses', async () => {
  const account = await emulator.account({ credits: 60 });
  await emulator.control('POST', `/accounts/${account.id}/credits`, { amount: 40 });
  await emulator.control('POST', `/accounts/${account.id}/credits`, { amount: -1 });
  await emulator.control('POST', `/accounts/${account.id}/keys`);
  const [key, topUp, ...earlier] = await ofAccount(account, 'write');
  expect(earlier).toEqual([]);
  expect(topUp).toMatchObject({
    call: { method: 'POST', path: `/_emulator/accounts/${account.id}/credits`, status: 201, cut: false },
    detail: { request: '{"amount":40}' },
  });
  expect(key.detail.answer).toContain('svc_sk_…');
  expect(key.detail.answer).not.toMatch(/svc_sk_[A-Za-z0-9]/);
});

it('reads the account and the id of a recorded change from its fields, not from similar texts', async () => {
  const account = await emulator.account();
  const match = { account_id: account.id, contains: '"account_id":"acct_00"' };
  const rule = (await emulator.control('POST', '/faults', { match, effect: { status: 503 } })).body;
  const scripted = { match: { account_id: account.id, message: 'x' }, answers: [{ text: '"id":"job_00"' }] };
  const made = await emulator.control('POST', '/fixtures', { fixtures: [{ name: 'z'.repeat(150), ...scripted }] });
  expect(made.status).toBeLessThan(300);
  const [fixture, fault, ...others] = await ofAccount(account, 'write');
  expect(fault).toMatchObject({ ref: rule.id, account_id: account.id, call: { path: '/_emulator/faults' } });
  expect(fixture.ref).toMatch(/^fix_/);
  expect(others).toEqual([]);
  expect(await acts('account_id=acct_00&kind=write')).toEqual([]);
});

it('records the former content of deleted rules, endpoints and objects', async () => {
  const account = await emulator.account();
  const match = { account_id: account.id };
  const rule = (await emulator.control('POST', '/faults', { match, effect: { status: 503 } })).body;
  await emulator.control('DELETE', `/faults/${rule.id}`);
  const all = (await emulator.control('POST', '/faults', { match, effect: { status: 500 } })).body;
  await emulator.control('DELETE', `/faults?account_id=${account.id}`);
  const url = 'http://127.0.0.1:9/hook';
  const endpoint = (await account.post('/webhooks', { url, events: ['image.generation.succeeded'] })).body;
  await account.delete(`/webhooks/${endpoint.id}`);
  const picture = await account.post('/images/generations', PICTURE);
  const [object] = (await account.get('/storage/objects')).body.data;
  await account.delete(`/storage/objects/${object.id}`);
  const deleted = await ofAccount(account, 'deletion');
  expect(picture.status).toBe(200);
  expect(deleted.map(({ ref }: { ref: string }) => ref)).toEqual([object.id, endpoint.id, all.id, rule.id]);
  expect(deleted[0].detail.was).toMatchObject({ id: object.id, account_id: account.id, url: object.url });
  expect(deleted[1].detail.was).toMatchObject({ id: endpoint.id, url, workspace_id: account.workspaceId });
  expect(deleted[1].detail.was).not.toHaveProperty('secret');
  expect(deleted[3].detail.was).toEqual(rule);
  await account.delete(`/webhooks/${endpoint.id}`);
  expect(await ofAccount(account, 'deletion')).toHaveLength(4);
});

it('records reads of files and jobs, and their owner', async () => {
  const account = await emulator.account();
  const { body } = await account.post('/music/generations', SONG);
  const path = `/music/generations/${body.data[0].id}`;
  const done = await account.finished(path);
  const [poll] = await ofAccount(account, 'poll');
  expect(poll).toMatchObject({ ref: body.data[0].id, detail: { seen: 'succeeded' } });
  expect(poll.detail.request_id).toBe(done.headers.get('x-request-id'));
  const url = new URL(done.body.result_url);
  await (await fetch(url)).arrayBuffer();
  await fetch(url, { method: 'HEAD' });
  await fetch(url.origin + url.pathname);
  await lookUntil(async () => (await acts(`ref=${url.pathname.split('/')[3]}&kind=read`)).length === 2);
  const [refused, read] = await acts(`ref=${url.pathname.split('/')[3]}&kind=read`);
  expect(read).toMatchObject({ account_id: account.id, call: { method: 'GET', path: url.pathname, status: 200 } });
  expect(read.call.path).not.toContain('?');
  expect(refused).toMatchObject({ account_id: null, call: { status: 403 } });
});

it('records changes with the real time and the time of the emulator, and records moves of the clock', async () => {
  const own = await world();
  await own.control('PUT', '/clock', { frozen: true });
  await own.advance(86_400);
  await own.account();
  const [write] = await acts('kind=write&limit=1', own);
  const [moved, frozen] = await acts('kind=clock', own);
  expect(frozen.detail).toMatchObject({ runs: false });
  expect(moved.detail).toEqual({ moved: 86_400_000, runs: false });
  expect(Date.parse(write.now) - Date.parse(frozen.now)).toBe(86_400_000);
  expect(Math.abs(Date.parse(write.at) - Date.now())).toBeLessThan(60_000);
});

it('returns recorded changes in pages, and rejects unknown filters', async () => {
  const account = await emulator.account();
  for (const amount of [1, 2, 3]) await emulator.control('POST', `/accounts/${account.id}/credits`, { amount });
  const first = await acts(`account_id=${account.id}&limit=2`);
  const rest = await acts(`account_id=${account.id}&limit=2&after=${first[1].id}`);
  expect([...first, ...rest].map(({ detail }) => JSON.parse(detail.request).amount)).toEqual([3, 2, 1]);
  expect((await emulator.control('GET', '/record?after=act_x')).body.error.param).toBe('after');
  expect((await emulator.control('GET', '/record?sort=up')).body.error.param).toBe('sort');
  expect((await emulator.control('GET', '/record?kind=thought')).status).toBe(400);
});

it('clears recorded changes at a reset, and keeps them after a restart', async () => {
  const folder = emptyFolder();
  const start = () => world({ ephemeral: false, dataDir: folder });
  const first = await start();
  await first.account({ name: 'early' });
  await first.control('POST', '/reset');
  await first.account({ name: 'late' });
  await first.close();
  const told = (await acts('kind=write', await start())).map(({ call }: { call: { path: string } }) => call.path);
  expect(told).toEqual(['/_emulator/accounts', '/_emulator/reset']);
});
