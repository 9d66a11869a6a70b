import { expect, it } from 'vitest';
import { lookUntil } from '../support/look-until.ts';
import { expectError } from '../support/wire.ts';
import { OWN_RENDERS, world } from '../support/world.ts';

const here = await world({ settleAfter: 3600 });
const NOON = '2030-01-01T12:00:00Z';
const noon = Date.parse(NOON) / 1000;
const CLIP = { model: 'vid_max5havc', resolution: '480p' };
const SONG = { style: 'slow piano', instrumental: true, seconds: 30 };
const DAY = 86_400;

async function atNoon(at = here) {
  await at.control('POST', '/reset');
  await at.control('PUT', '/clock', { now: NOON, frozen: true });
  return at.account({ credits: 500 });
}

it('ends each job at its own due time if the clock is moved by 30 days [I086 I198 I124]', async () => {
  const ana = await atNoon();
  for (const seconds of [60, 7 * DAY, 2 * DAY, 9 * DAY, 60]) {
    await ana.post('/videos/generations', { ...CLIP, prompt: `boat [[slow:${seconds}]]` });
  }
  await ana.post('/videos/generations', { ...CLIP, prompt: 'a boat that is rendered meanwhile' });
  await here.advance(30 * DAY);
  const ends = (await ana.jobs()).map(({ status, completed }) => [status, completed - noon]);
  expect(ends).toEqual([60, 7 * DAY, 2 * DAY, 9 * DAY, 60, 0].map((end) => ['succeeded', end]));
  const told = (await ana.envelopes()).map(({ created }) => created - noon);
  expect(told).toEqual([0, 60, 60, 2 * DAY, 7 * DAY, 9 * DAY]);
  expect(await ana.balance()).toBe(500 - 6 * 36);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it('ends takes with the same due time in order, with one event each [I086]', async () => {
  const ana = await atNoon();
  await here.control('PUT', '/progression', { mode: 'seconds', value: 60, account_id: ana.id });
  for (const _order of [1, 2]) await ana.post('/music/generations', SONG);
  await here.advance(60);
  const told = (await ana.envelopes()).map(({ type, data }) => [type, data.take]);
  expect(told).toEqual([1, 2, 1, 2].map((take) => ['music.generation.succeeded', take]));
});

it('counts the days of a result URL and of usage_30d from the time of the job, not from the end of a move of the clock [I086 R245 R246]', async () => {
  const ana = await atNoon();
  const { body } = await ana.post('/videos/generations', { ...CLIP, prompt: 'boat [[slow:3600]]' });
  await here.advance(7 * DAY + 3599);
  const { result_url } = (await ana.get(`/videos/generations/${body.id}`)).body;
  expect((await here.call('GET', result_url)).status).toBe(200);
  await here.advance(1);
  expectError(await here.call('GET', result_url), 403, 'url_expired');
  expect((await ana.get('/account')).body.usage_30d).toEqual({ requests: 1, credits: 36 });
  await here.advance(30 * DAY);
  expect((await ana.get('/account')).body.usage_30d).toEqual({ requests: 0, credits: 0 });
});

it('applies each of three overlapping moves of the clock, including work that becomes due [I086]', async () => {
  const ana = await atNoon();
  await ana.post('/videos/generations', { ...CLIP, prompt: 'boat [[slow:90]]' });
  await Promise.all([here.advance(60), here.advance(60), here.advance(60)]);
  expect((await here.control('GET', '/clock')).body.now).toBe('2030-01-01T12:03:00.000Z');
  const [job] = await ana.jobs();
  expect([job?.status, job?.completed - noon]).toEqual(['succeeded', 90]);
});

it('moves the clock without waiting for a request that only finishJob ends [I086 I198]', async () => {
  const ana = await atNoon();
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const held = ana.post('/images/generations', { prompt: 'a pier' });
  await ana.ordered();
  await here.advance(DAY);
  const [job] = await ana.jobs();
  expect(job?.status).toBe('processing');
  await here.control('POST', `/jobs/${job?.id}/finish`, { outcome: 'succeeded' });
  expect((await held).body.created).toBe(noon);
});

it('ends a move of the clock at a reset, and does not change the new clock [I085 I190 I086]', async () => {
  // No other test has rendered this video, so the move waits for its render.
  const own = await world({ settleAfter: 3600 }, OWN_RENDERS);
  const ana = await atNoon(own);
  const clip = { model: 'vid_eh3rnwli', seconds: 30, resolution: '480p' };
  const ben = await own.account({ plan: 'studio', credits: 5000 });
  await ben.post('/videos/generations', { ...clip, prompt: 'a harbour [[slow:60]]' });
  await ana.post('/videos/generations', { ...CLIP, prompt: 'boat [[slow:120]]' });
  const move = own.control('POST', '/clock/advance', { seconds: 365 * DAY });
  const next = own.control('POST', '/clock/advance', { seconds: 365 * DAY });
  await lookUntil(async () => (await own.control('GET', '/clock')).body.now !== '2030-01-01T12:00:00.000Z');
  await own.control('POST', '/reset');
  for (const answer of [await move, await next]) expectError(answer, 502, 'render_failed');
  const { body } = await own.control('GET', '/clock');
  expect(body.frozen).toBe(false);
  expect(Math.abs(Date.parse(body.now) - Date.now())).toBeLessThan(60_000);
  expect((await own.control('GET', '/jobs')).body.data).toEqual([]);
  await own.control('PUT', '/clock', { frozen: true });
  const { now } = (await own.control('GET', '/clock')).body;
  await own.advance(5);
  const after = (await own.control('GET', '/clock')).body;
  expect(Date.parse(after.now) - Date.parse(now)).toBe(5000);
});

it('ends the steps of a flow run at their own times within one move of the clock [I086 I198]', async () => {
  const ana = await atNoon();
  await here.control('PUT', '/progression', { mode: 'seconds', value: 60, account_id: ana.id });
  const { body: flow } = await here.control('POST', '/flows', {
    workspace_id: ana.workspaceId,
    account_id: ana.id,
    name: 'Three songs',
    steps: ['a', 'b', 'c'].map((nodeId) => ({ nodeId, type: 'music', params: SONG })),
  });
  const { body: run } = await here.control('POST', `/flows/${flow.id}/runs`, {});
  await ana.post('/videos/generations', { ...CLIP, prompt: 'boat [[slow:100]]' });
  await here.advance(DAY);
  expect((await here.wait(`run:${run.id}`, { timeout: 0 })).body.status).toBe('done');
  const told = (await ana.envelopes()).map(({ type, created }) => [type, created - noon]);
  expect(told).toEqual([
    ['music.generation.succeeded', 60],
    ['video.generation.succeeded', 100],
    ['music.generation.succeeded', 120],
    ['music.generation.succeeded', 180],
    ['flow.run.succeeded', 180],
  ]);
});
