import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { TestAccount, world } from '../support/world.ts';

/** The clock is frozen and jobs settle at once, so only its progression keeps a job open. */
const here = await world({ settleAfter: 0 });
await here.control('PUT', '/clock', { frozen: true });

const VIDEOS = '/videos/generations';
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };

async function moving(progression: object): Promise<TestAccount> {
  const ana = await here.account();
  const set = await here.control('PUT', '/progression', { ...progression, account_id: ana.id });
  expect(set.body).toEqual({ ...progression, account_id: ana.id });
  return ana;
}

async function order(ana: TestAccount, prompt = CLIP.prompt): Promise<string> {
  const { status, body } = await ana.post(VIDEOS, { ...CLIP, prompt });
  expect([status, body.status]).toEqual([202, 'queued']);
  return body.id;
}

/** The status of a job at each of `times` successive polls. */
async function polled(ana: TestAccount, id: string, times: number): Promise<string[]> {
  const statuses = [];
  for (let n = 0; n < times; n += 1) statuses.push((await ana.get(`${VIDEOS}/${id}`)).body.status);
  return statuses;
}

it.each([
  [1, ['succeeded', 'succeeded']],
  [2, ['processing', 'succeeded', 'succeeded']],
  [3, ['queued', 'processing', 'succeeded']],
  [6, ['queued', 'queued', 'processing', 'processing', 'processing', 'succeeded']],
])('makes a job final at poll %i and not before, with mode polls [I138 I178]', async (value, statuses) => {
  const ana = await moving({ mode: 'polls', value });
  const id = await order(ana);
  // Neither a list of jobs nor an advance of the clock counts as a poll.
  await here.advance(3600);
  for (let look = 0; look < 10; look += 1) await ana.jobs();
  expect(await ana.events()).toEqual([]);
  expect(await polled(ana, id, statuses.length)).toEqual(statuses);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
});

it('fails and refunds a job at the poll that makes it final, and not before, with mode polls [I138 R117]', async () => {
  const ana = await moving({ mode: 'polls', value: 2 });
  const id = await order(ana, 'a red boat [[fail]]');
  await here.advance(1);
  expect(await polled(ana, id, 1)).toEqual(['processing']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
  expect(await polled(ana, id, 1)).toEqual(['failed']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
  expect(await ana.events()).toEqual(['video.generation.failed']);
});

it('applies a new progression to open jobs too, and counts their earlier polls [I138 I191]', async () => {
  const ana = await moving({ mode: 'seconds', value: 100 });
  const id = await order(ana);
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  await here.advance(200);
  expect(await polled(ana, id, 1)).toEqual(['processing']);
  await here.control('PUT', '/progression', { mode: 'polls', value: 2, account_id: ana.id });
  expect(await polled(ana, id, 1)).toEqual(['succeeded']);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
});

it('delays a synchronous call with mode seconds, and not with mode polls [I138]', async () => {
  const ana = await moving({ mode: 'seconds', value: 60 });
  let isAnswered = false;
  const answer = ana.post('/images/generations', { prompt: 'a pier' }).finally(() => {
    isAnswered = true;
  });
  await ana.ordered();
  await here.advance(59);
  expect([isAnswered, await ana.events()]).toEqual([false, []]);
  await here.advance(1);
  expect((await answer).status).toBe(200);
  await here.control('PUT', '/progression', { mode: 'polls', value: 9, account_id: ana.id });
  expect((await ana.post('/images/generations', { prompt: 'a pier' })).status).toBe(200);
  expect(await ana.events()).toEqual(Array(2).fill('image.generation.succeeded'));
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
});

it.each<[object, string]>([
  [{}, 'mode'],
  [{ mode: 'fast' }, 'mode'],
  [{ mode: null }, 'mode'],
  [{ mode: 'seconds' }, 'value'],
  [{ mode: 'seconds', value: -1 }, 'value'],
  [{ mode: 'seconds', value: '5' }, 'value'],
  [{ mode: 'seconds', value: 1e12 }, 'value'],
  [{ mode: 'polls' }, 'value'],
  [{ mode: 'polls', value: 0 }, 'value'],
  [{ mode: 'polls', value: 1.5 }, 'value'],
  [{ mode: 'manual', account_id: 7 }, 'account_id'],
])('rejects the progression %j, names %s, and changes nothing [I006 I138]', async (body, param) => {
  expectError(await here.control('PUT', '/progression', body), 400, 'invalid_request', param);
  expect((await here.control('GET', '/progression')).body).toEqual({ mode: 'render' });
});

it('creates an account with a progression of its own, and creates no account if the progression is invalid [I138]', async () => {
  const opened = await here.control('POST', '/accounts', { progression: { mode: 'polls', value: 2 }, credits: 200 });
  const ana = new TestAccount(here, opened.body);
  expect(await polled(ana, await order(ana), 2)).toEqual(['processing', 'succeeded']);
  const { body: general } = await here.control('GET', '/progression');
  expect(general).toEqual({ mode: 'render' });
  const accounts = async () => (await here.control('GET', '/accounts')).body.data.length;
  const before = await accounts();
  const wrong = await here.control('POST', '/accounts', { progression: { mode: 'polls' } });
  expectError(wrong, 400, 'invalid_request', 'progression.value');
  expect(await accounts()).toBe(before);
  const { headers } = await here.control('POST', '/accounts', { progression: { mode: 'manual', value: 3 } });
  expect(headers.get('svc-emulator-warnings')).toBe('progression.value;mode=manual');
});

it('applies the general progression to all accounts that have no progression of their own, until a reset [I085 I138 I191]', async () => {
  const own = await world({ settleAfter: 0 });
  const [ana, ben] = [await own.account(), await own.account()];
  const set = (progression: object) => own.control('PUT', '/progression', progression);
  const get = async (query = '') => (await own.control('GET', `/progression${query}`)).body;
  expect(await get()).toEqual({ mode: 'render' });
  await set({ mode: 'render', account_id: ben.id });
  expect((await set({ mode: 'manual' })).body).toEqual({ mode: 'manual' });
  expect(await get(`?account_id=${ana.id}`)).toEqual({ mode: 'manual' });
  const id = await order(ana);
  await order(ben);
  await own.advance(0);
  expect([await ana.events(), await ben.events()]).toEqual([[], ['video.generation.succeeded']]);
  await set({ mode: 'manual', account_id: ben.id });
  await set({ mode: 'render' });
  const held = await ben.post('/music/generations', { prompt: 'a pier', seconds: 30, n: 1 });
  expect((await own.wait(`job:${id}`, { timeout: 120 })).body.status).toBe('succeeded');
  await own.advance(0);
  expect(await ben.events()).toEqual(['video.generation.succeeded']);
  expect((await set({ mode: null, account_id: ben.id })).body).toEqual({ mode: 'render' });
  const { body } = await own.wait(`job:${held.body.data[0].id}`, { timeout: 120 });
  expect(body.status).toBe('succeeded');
  expect([await ana.ledger(), await ben.ledger()]).toEqual([
    ['grant 50', 'charge -36'],
    ['grant 50', 'charge -36', 'charge -3'],
  ]);
  await set({ mode: 'manual' });
  await own.control('POST', '/reset');
  expect(await get()).toEqual({ mode: 'render' });
  const next = await own.account();
  await order(next);
  await own.advance(0);
  expect(await next.events()).toEqual(['video.generation.succeeded']);
});
