import { expect, it } from 'vitest';
import { subscribe } from '../support/receiver.ts';
import { expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world({ settleAfter: 3600 });
const VIDEOS = '/videos/generations';
const CLIP = { model: 'vid_max5havc', resolution: '480p' };

async function held(prompt: string): Promise<{ ana: TestAccount; id: string }> {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const { body } = await ana.post(VIDEOS, { ...CLIP, prompt });
  return { ana, id: body.id };
}

const finish = (id: string, end: object) => here.control('POST', `/jobs/${id}/finish`, end);

it.each([
  ['the default code render_failed', 'render_failed', {}],
  ['the code content_blocked', 'content_blocked', { code: 'content_blocked' }],
])('fails a job with finishJob and %s, refunds it, and sends one event [I139 R005 R117]', async (_, shown, given) => {
  const { ana, id } = await held('a red boat');
  const { receiver } = await subscribe(ana, ['video.generation.succeeded', 'video.generation.failed']);
  const { status, body } = await finish(id, { outcome: 'failed', ...given });
  expect([status, body]).toMatchObject([200, { id, account_id: ana.id, status: 'failed', error: { code: shown } }]);
  expect(body).not.toHaveProperty('result_url');
  const [request] = await receiver.received(1);
  expect(JSON.parse(request?.body ?? '')).toMatchObject({
    type: 'video.generation.failed',
    data: { id, error: body.error },
  });
  // A render that ends later must not change the job.
  await here.advance(0);
  expect((await ana.get(`${VIDEOS}/${id}`)).body).toMatchObject({ status: 'failed' });
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
  expect(await ana.events()).toEqual(['video.generation.failed']);
  expect(await ana.library()).toEqual([]);
  expect(receiver.requests).toHaveLength(1);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it.each([
  ['is rendered', 'a green boat'],
  ['was going to fail', 'a blue boat [[fail:engine_asleep]]'],
])(
  'returns from finishJob the URL of the file of a job that %s, and makes the job final without a read [I139]',
  async (_, prompt) => {
    const { ana, id } = await held(prompt);
    // The outcome of the render is known, but the job is not final yet.
    await here.advance(0);
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
    const { body } = await finish(id, { outcome: 'succeeded' });
    expect(body).toMatchObject({ id, status: 'succeeded', library_id: expect.stringMatching(/^lib_/) });
    expect((await here.call('GET', body.result_url)).bytes.subarray(4, 8).toString()).toBe('ftyp');
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
    expect(await ana.events()).toEqual(['video.generation.succeeded']);
    expect(await ana.library()).toHaveLength(1);
    expect(await here.invariants()).toMatchObject({ ok: true });
  },
);

it('ends a job with finishJob before the time that [[slow]] requests, and not again at that time [I139]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(VIDEOS, { ...CLIP, prompt: 'a snail [[slow:86400]]' });
  expect((await finish(body.id, { outcome: 'succeeded' })).body.status).toBe('succeeded');
  await here.advance(90_000);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
});

it('ends one take of a song with finishJob, and not the other [I139 R007]', async () => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const { body } = await ana.post('/music/generations', { style: 'slow piano', instrumental: true, seconds: 30 });
  const [one, two] = body.data;
  await finish(two.id, { outcome: 'failed', code: 'engine_asleep' });
  expect((await ana.get(`/music/generations/${one.id}`)).body.status).toBe('processing');
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3', 'refund 3']);
  const [event, ...others] = await ana.envelopes();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ type: 'music.generation.failed', data: { take: 2 } });
});

it('lets exactly one of many parallel calls of finishJob end a job, and returns 409 to the others, without a second refund or event [I139 I027]', async () => {
  const { ana, id } = await held('a black boat');
  const ends = Array.from({ length: 10 }, () => finish(id, { outcome: 'failed' }));
  const statuses = (await Promise.all(ends)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)]);
  const { message } = expectError(await finish(id, { outcome: 'succeeded' }), 409, 'conflict');
  expect(message).toContain('failed already');
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
  expect(await ana.events()).toEqual(['video.generation.failed']);
});

it.each<[object, string]>([
  [{}, 'outcome'],
  [{ outcome: 'done' }, 'outcome'],
  [{ outcome: 'failed', code: 'No Such' }, 'code'],
  [{ outcome: 'failed', code: '' }, 'code'],
  [{ outcome: 'failed', code: 'x'.repeat(65) }, 'code'],
])('rejects finishJob with %j, names %s, and leaves the job open [I006 I139]', async (end, param) => {
  const { ana, id } = await held('a white boat');
  expectError(await finish(id, end), 400, 'invalid_request', param);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
  expect(await ana.events()).toEqual([]);
});

async function order(progression: { mode: string; value?: number }) {
  const account = await here.account();
  await here.control('PUT', '/progression', { ...progression, account_id: account.id });
  const song = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
  const { id } = (await account.post('/music/generations', song)).body.data[0];
  return { account, id, look: async () => (await here.control('GET', `/jobs/${id}`)).body };
}

it('shows the progress of an open job as its due time, its share of polls, or neither in mode manual, and none of a final job', async () => {
  const timed = await order({ mode: 'seconds', value: 3600 });
  const job = await timed.look();
  expect(job.progress).toEqual({ mode: 'seconds', due: job.created + 3600, share: null });
  expect((await timed.account.jobs())[0]).toEqual(job);
  await finish(timed.id, { outcome: 'failed' });
  expect(await timed.look()).not.toHaveProperty('progress');
  expect(await timed.account.ledger()).toEqual(['grant 50', 'charge -3', 'refund 3']);
  const polled = await order({ mode: 'polls', value: 4 });
  await polled.account.get(`/music/generations/${polled.id}`);
  for (const _look of [1, 2]) expect((await polled.look()).progress).toEqual({ mode: 'polls', due: null, share: 0.25 });
  const manual = await order({ mode: 'manual' });
  expect((await manual.look()).progress).toEqual({ mode: 'manual', due: null, share: null });
});
