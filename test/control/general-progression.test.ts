import { expect, it } from 'vitest';
import { type TestAccount, world } from '../support/world.ts';

/** An instance of its own: what is set here holds for all of its accounts. */
const here = await world({ settleAfter: 0 });
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };

const set = (progression: object) => here.control('PUT', '/progression', progression);
const order = async (account: TestAccount): Promise<string> =>
  (await account.post('/videos/generations', CLIP)).body.id;

it('applies the general progression to all accounts that have no progression of their own [I138 I191]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  expect((await here.control('GET', '/progression')).body).toEqual({ mode: 'render' });
  await set({ mode: 'render', account_id: ben.id });
  expect((await set({ mode: 'manual' })).body).toEqual({ mode: 'manual' });
  expect((await here.control('GET', `/progression?account_id=${ana.id}`)).body).toEqual({
    mode: 'manual',
  });
  const id = await order(ana);
  await order(ben);
  await here.advance(0);
  expect([await ana.events(), await ben.events()]).toEqual([[], ['video.generation.succeeded']]);
  await set({ mode: 'manual', account_id: ben.id });
  await set({ mode: 'render' });
  const held = await ben.post('/music/generations', { prompt: 'a pier', seconds: 30, n: 1 });
  expect((await here.wait(`job:${id}`, { timeout: 120 })).body.status).toBe('succeeded');
  await here.advance(0);
  expect(await ben.events()).toEqual(['video.generation.succeeded']);
  await set({ mode: null, account_id: ben.id });
  const { body } = await here.wait(`job:${held.body.data[0].id}`, { timeout: 120 });
  expect(body.status).toBe('succeeded');
  expect([await ana.ledger(), await ben.ledger()]).toEqual([
    ['grant 50', 'charge -36'],
    ['grant 50', 'charge -36', 'charge -3'],
  ]);
});

it('sets the progression of all accounts back to the default at a reset [I085 I138]', async () => {
  await set({ mode: 'manual' });
  await here.control('POST', '/reset');
  expect((await here.control('GET', '/progression')).body).toEqual({ mode: 'render' });
  const ana = await here.account();
  await order(ana);
  await here.advance(0);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
});
