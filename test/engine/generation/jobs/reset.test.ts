import { expect, it } from 'vitest';
import { lookUntil } from '../../../support/look-until.ts';
import { EXACT_RENDERS, world } from '../../../support/world.ts';

const here = await world({ seed: 5 }, EXACT_RENDERS);
const SEEDED = { authorization: 'Bearer svc_sk_local_emulator' };
const post = (path: string, body: object) => here.call('POST', `/v1${path}`, body, SEEDED);
const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hi [[slow:3600]]' }] };
const balance = async () => (await here.call('GET', '/v1/account', undefined, SEEDED)).body.credits;
const jobs = async () => (await here.control('GET', '/jobs')).body.data;

it.each([
  ['an image', '/images/generations', { prompt: 'a snail [[slow:3600]]' }],
  ['a chat', '/chat/completions', CHAT],
])('cancels the request of %s at a reset, and keeps nothing of its work [I085 I190]', async (_what, path, order) => {
  const waiting = post(path, order);
  await lookUntil(async () => (await balance()) !== 100_000);
  expect((await here.control('POST', '/reset')).status).toBe(204);
  const { status, body } = await waiting;
  expect([status, body.error.code]).toEqual([502, 'render_failed']);
  expect(body.error.message).toContain('reset');
  expect(await jobs()).toEqual([]);
  expect(await balance()).toBe(100_000);
  await here.advance(7200);
  expect((await here.control('GET', '/events')).body.data).toEqual([]);
  expect((await here.invariants()).ok).toBe(true);
});
