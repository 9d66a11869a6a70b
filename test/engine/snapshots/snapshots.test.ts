import { expect, it } from 'vitest';
import { openReceiver, subscribe } from '../../support/receiver.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { playAll, wholeState } from './whole-state.ts';

const shared = await world();

const HOOK = { events: ['image.generation.succeeded', 'image.generation.failed'] };

it('restores money, files, jobs, flow runs, endpoints, elements, faults, scripted answers, progression and clock [I093 I140]', async () => {
  const here = await world();
  const receiver = await openReceiver();
  const ana = await here.account({ credits: 500 });
  const { signed, stored } = await playAll(ana, receiver);
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:00Z', frozen: true });
  const signedLater = (await ana.post('/images/generations', { prompt: 'x', response_format: 'url' })).body.data[0].url;
  await here.advance(60);
  await ana.delivered();
  const before = await wholeState(here);
  const picture = (await here.call('GET', signedLater)).bytes;

  const saved = await here.control('POST', '/snapshots', { name: 'scene-1' });
  expect([saved.status, saved.body]).toEqual([
    201,
    {
      name: 'scene-1',
      created: expect.stringMatching(/^\d{4}-/),
      clock: { now: '2031-01-01T00:01:00.000Z', frozen: true },
      files: expect.any(Number),
      bytes: expect.any(Number),
    },
  ]);
  const [object] = (await ana.get('/storage/objects')).body.data;
  await ana.delete(`/storage/objects/${object.id}`);
  await ana.post('/webhooks', { url: `${receiver.origin}/other`, ...HOOK });
  await ana.post('/chat/completions', CHAT);
  const ben = await here.account();
  for (const list of ['faults', 'fixtures']) await here.control('DELETE', `/${list}`);
  await here.control('PUT', '/progression', { account_id: ana.id, mode: null });
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
});

it('creates the same ids in two runs with the same seed, time and restores [I093 I258]', async () => {
  const played = async () => {
    const here = await world({ seed: 3 });
    const now = '2031-01-01T00:00:00Z';
    await here.control('PUT', '/clock', { now, frozen: true });
    const ana = await here.account();
    await here.control('POST', '/snapshots', { name: 'a' });
    const rounds = [];
    for (let round = 0; round < 2; round += 1) {
      await here.control('POST', '/snapshots/a/restore');
      const image = await ana.post('/images/generations', { prompt: 'a pier' });
      const { id, key } = await here.account();
      const [job] = await ana.jobs();
      rounds.push({ image: image.body, ids: [id, key, job?.id] });
    }
    return rounds;
  };
  const [first, second] = await played();
  expect(second?.image).toEqual(first?.image);
  expect(second?.ids.filter((id) => first?.ids.includes(id))).toEqual([]);
  expect(await played()).toEqual([first, second]);
});

it('keeps snapshots after a reset, and lists and removes them [I093 I189]', async () => {
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

it.each(['', '.', '..', 'a/b', 'a b', '../a', 'é', 'a'.repeat(65), 'a\n', null, 5])(
  'rejects the snapshot name %j [I189]',
  async (name) => {
    expectError(await shared.control('POST', '/snapshots', { name }), 400, 'invalid_request', 'name');
    expect((await shared.control('GET', '/snapshots')).body.data).toEqual([]);
  },
);

it.each(['a', 'Scene_1.take-2', '...', '-', 'a'.repeat(64), '.json', 'a.json'])(
  'accepts the snapshot name %j [I189]',
  async (name) => {
    expect((await shared.control('POST', '/snapshots', { name })).status).toBe(201);
    expect((await shared.control('POST', `/snapshots/${name}/restore`)).status).toBe(200);
    expect((await shared.control('DELETE', `/snapshots/${name}`)).status).toBe(204);
  },
);

it('continues open jobs after a restore, and sends no delivery that was due or in progress [I093 I140]', async () => {
  const here = await world();
  const ana = await here.account({ credits: 500 });
  const events = ['image.generation.succeeded', 'music.generation.succeeded'];
  const { receiver } = await subscribe(ana, events, 'hang');
  for (let n = 0; n < 2; n += 1) await ana.post('/images/generations', { prompt: `pier ${n}` });
  await receiver.received();
  const song = { style: 'piano [[slow:600]]', seconds: 30, n: 1 };
  const { id } = (await ana.post('/music/generations', song)).body.data[0];
  await here.control('POST', '/snapshots', { name: 'a' });
  const ledger = await ana.ledger();
  const statuses = async () => (await ana.deliveries()).map(({ status }) => status);
  expect(await statuses()).toEqual(['attempted', 'due']);

  const outcomes = [];
  for (let round = 0; round < 2; round += 1) {
    await here.control('POST', '/snapshots/a/restore');
    const { data } = (await here.control('GET', `/deliveries?account_id=${ana.id}`)).body;
    const unsent = { status: 'failed', error: expect.stringContaining('nothing is sent again') };
    expect(data).toMatchObject([unsent, unsent]);
    expect(receiver.requests).toHaveLength(round + 1);
    expect(await ana.ledger()).toEqual(ledger);
    await here.advance(600);
    const { body } = await ana.get(`/music/generations/${id}`);
    expect(body.status).toBe('succeeded');
    const { headers } = await here.call('HEAD', body.result_url);
    outcomes.push([body.library_id, body.seed, headers.get('etag')]);
    expect(await ana.ledger()).toEqual(ledger);
    await receiver.received(round + 2);
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
