import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

it.each(['health', 'ready'])('tells on /_emulator/%s its status, version, start and clock [I084]', async (path) => {
  const emulator = await world();
  const { status, body } = await emulator.control('GET', `/${path}`);
  expect([status, body]).toEqual([
    200,
    {
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      clock: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      lies: 0,
    },
  ]);
});

const LISTS = [...['accounts', 'jobs', 'events', 'deliveries', 'requests'], ...['elements', 'library', 'flows']];

it('goes back to the seeded state, of which nothing else is left [I085 I155]', async () => {
  const emulator = await world();
  const before = await emulator.control('GET', '/accounts');
  const account = await emulator.account({ credits: 500 });
  await account.post('/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['image.generation.succeeded'],
  });
  await account.post('/images/generations', { prompt: 'a pier', store: true });
  await account.post('/images/generations', { prompt: '[[fail]]' });
  await emulator.control('POST', '/elements', {
    account_id: account.id,
    handle: 'mira',
    kind: 'character',
    name: 'Mira',
  });
  const steps = [{ nodeId: 'a', type: 'text', params: { prompt: 'a caption' } }];
  await emulator.control('POST', '/flows', { workspace_id: account.workspaceId, name: 'F', steps });
  await emulator.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  for (const list of LISTS) {
    expect((await emulator.control('GET', `/${list}`)).body.data).not.toEqual([]);
  }

  const { status, bytes } = await emulator.control('POST', '/reset');
  expect([status, bytes.length]).toEqual([204, 0]);
  for (const list of LISTS.filter((name) => name !== 'accounts')) {
    expect([list, (await emulator.control('GET', `/${list}`)).body.data]).toEqual([list, []]);
  }
  expect((await emulator.control('GET', '/accounts')).body).toEqual(before.body);
  expect((await emulator.control('GET', '/clock')).body).toMatchObject({ frozen: false });
  expectError(await account.get('/account'), 401, 'invalid_api_key');
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('is a working instance after a reset: paths, replies, streams, webhooks and the clock [I085 I097]', async () => {
  const emulator = await world();
  const play = async () => {
    const account = await emulator.account();
    const stream = await account.post('/chat/completions', { ...CHAT, stream: true });
    const image = await account.post('/images/generations', { prompt: 'a pier' });
    await account.post('/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['music.generation.succeeded'],
    });
    await account.post('/music/generations', { style: '[[slow:5]] piano', seconds: 30, n: 1 });
    await emulator.advance(5);
    return {
      id: account.id,
      stream: stream.bytes.toString().replaceAll(/"created":\d+/g, ''),
      image: image.body.data,
      ledger: await account.ledger(),
      events: await account.events(),
      deliveries: (await account.deliveries()).length,
    };
  };
  const first = await play();
  await emulator.control('POST', '/reset');
  expect(await play()).toEqual(first);
  expect(first.deliveries).toBe(1);
});

it('checks every invariant by name [I136]', async () => {
  const emulator = await world();
  const { ok, checks } = await emulator.invariants();
  expect(ok).toBe(true);
  expect(checks.length).toBeGreaterThanOrEqual(7);
  for (const check of checks) expect(check).toEqual({ name: expect.stringMatching(/^every /), ok: true });
});
