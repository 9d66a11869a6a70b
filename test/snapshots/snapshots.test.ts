import { expect, it } from 'vitest';
import { Receiver } from '../support/receiver.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';
import { wholeState } from './whole-state.ts';

const HOOK = { events: ['image.generation.succeeded', 'image.generation.failed'] };

function upload(text: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([text]), 'note.txt');
  return form;
}

/** One of everything. */
async function play(account: TestAccount, receiver: Receiver) {
  const { world: here } = account;
  await account.post('/webhooks', { url: `${receiver.origin}/hook`, ...HOOK });
  await here.control('POST', '/elements', {
    account_id: account.id,
    handle: 'mira',
    kind: 'character',
    name: 'Mira',
  });
  const steps = [{ nodeId: 'a', type: 'text' }];
  await here.control('POST', '/flows', { workspace_id: account.workspaceId, name: 'F', steps });
  await account.post('/chat/completions', CHAT);
  const picture = { prompt: 'a pier', response_format: 'url' };
  const signed = (await account.post('/images/generations', picture)).body.data[0].url;
  await account.post('/images/generations', { prompt: '[[fail]]' });
  const { url } = (await account.post('/storage/objects', upload('hello'))).body;
  return { signed: signed as string, stored: url as string };
}

it('brings back money, files, jobs, endpoints, elements and clock, however much has changed [I093 I140]', async () => {
  const here = await world();
  const receiver = await Receiver.start();
  const ana = await here.account({ credits: 500 });
  const { signed, stored } = await play(ana, receiver);
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  const signedLater = (
    await ana.post('/images/generations', { prompt: 'x', response_format: 'url' })
  ).body.data[0].url;
  await here.advance(60);
  while ((await ana.deliveries()).some(({ status }) => status !== 'delivered'));
  const before = await wholeState(here);
  const picture = (await here.call('GET', signedLater)).bytes;

  const saved = await here.control('POST', '/snapshots', { name: 'scene-1' });
  expect([saved.status, saved.body]).toEqual([
    201,
    {
      name: 'scene-1',
      created: expect.stringMatching(/^\d{4}-/),
      clock: { now: '2031-01-01T00:01:00.000Z', frozen: true },
      files: 3,
      bytes: expect.any(Number),
    },
  ]);
  const [object] = (await ana.get('/storage/objects')).body.data;
  await ana.delete(`/storage/objects/${object.id}`);
  await ana.post('/webhooks', { url: `${receiver.origin}/other`, ...HOOK });
  await ana.post('/chat/completions', CHAT);
  const ben = await here.account();
  await here.control('PUT', '/clock', { now: '2032-01-01T00:00:00Z', frozen: false });
  const sent = receiver.requests.length;

  const restored = await here.control('POST', '/snapshots/scene-1/restore');
  expect([restored.status, restored.body]).toEqual([200, saved.body]);
  expect(await wholeState(here)).toEqual(before);
  expectError(await ben.get('/account'), 401, 'invalid_api_key');
  expect((await here.control('GET', '/clock')).body).toEqual({
    now: '2031-01-01T00:01:00.000Z',
    frozen: true,
  });
  expect((await ana.get('/webhooks')).body.webhooks).toHaveLength(1);
  expect((await here.call('GET', stored)).bytes.toString()).toBe('hello');
  expect((await here.call('GET', signedLater)).bytes).toEqual(picture);
  expectError(await here.call('GET', signed), 403, 'url_expired');
  expect(receiver.requests).toHaveLength(sent);
  expect(await here.invariants()).toMatchObject({ ok: true });
  await receiver.close();
});

it('gives after a second restore the same ids as after the first [I093]', async () => {
  const here = await world({ seed: 3 });
  await here.control('PUT', '/clock', { frozen: true });
  const ana = await here.account();
  await here.control('POST', '/snapshots', { name: 'a' });
  const once = async () => {
    await here.control('POST', '/snapshots/a/restore');
    const image = await ana.post('/images/generations', { prompt: 'a pier' });
    const { id, key } = await here.account();
    return { image: image.body, id, key, state: await wholeState(here) };
  };
  const first = await once();
  expect(await once()).toEqual(first);
});

it('keeps snapshots over a reset, and lists and forgets them [I093 I189]', async () => {
  const here = await world();
  const ana = await here.account();
  for (const name of ['one', 'two']) await here.control('POST', '/snapshots', { name });
  await here.control('POST', '/reset');
  const names = async () =>
    (await here.control('GET', '/snapshots')).body.data.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(['two', 'one']);
  expectError(await ana.get('/account'), 401, 'invalid_api_key');
  await here.control('POST', '/snapshots/one/restore');
  expect((await ana.get('/account')).status).toBe(200);
  expect((await here.control('DELETE', '/snapshots/one')).status).toBe(204);
  expect(await names()).toEqual(['two']);
  for (const [method, path] of [
    ['DELETE', '/snapshots/one'],
    ['POST', '/snapshots/one/restore'],
  ] as const) {
    expectError(await here.control(method, path), 404, 'not_found');
  }
});

it('replaces a snapshot of the same name [I093]', async () => {
  const here = await world();
  await here.control('POST', '/snapshots', { name: 'a' });
  const ana = await here.account();
  await here.control('POST', '/snapshots', { name: 'a' });
  await here.control('POST', '/reset');
  await here.control('POST', '/snapshots/a/restore');
  expect((await ana.get('/account')).status).toBe(200);
  expect((await here.control('GET', '/snapshots')).body.data).toHaveLength(1);
});

it.each(['', '.', '..', 'a/b', 'a b', '../a', 'é', 'a'.repeat(65), 'a\n', null, 5])(
  'refuses the name %j [I189]',
  async (name) => {
    const here = await world();
    const refused = await here.control('POST', '/snapshots', { name });
    expect(expectError(refused, 400, 'invalid_request').param).toBe('name');
    expect((await here.control('GET', '/snapshots')).body.data).toEqual([]);
  },
);

it.each(['a', 'Scene_1.take-2', '...', '-', 'a'.repeat(64), '.json', 'a.json'])(
  'takes the name %j [I189]',
  async (name) => {
    const here = await world();
    expect((await here.control('POST', '/snapshots', { name })).status).toBe(201);
    expect((await here.control('POST', `/snapshots/${name}/restore`)).status).toBe(200);
    expect((await here.control('DELETE', `/snapshots/${name}`)).status).toBe(204);
  },
);
