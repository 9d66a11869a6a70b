import { expect, it } from 'vitest';
import { OWN_RENDERS, world } from '../../../support/world.ts';

const here = await world({ settleAfter: 0 }, OWN_RENDERS);
const CLIP = { model: 'vid_max5havc', resolution: '480p' };

it('is not final before the clock has come so far, however often it is read [I094 I124]', async () => {
  await here.control('PUT', '/clock', { frozen: true });
  const ana = await here.account();
  const { body } = await ana.post('/videos/generations', {
    ...CLIP,
    prompt: 'a snail [[slow:600]]',
  });
  const path = `/videos/generations/${body.id}`;
  await here.advance(599);
  for (let poll = 0; poll < 20; poll += 1) {
    expect(['queued', 'processing']).toContain((await ana.get(path)).body.status);
  }
  expect(await ana.events()).toEqual([]);
  await here.advance(1);
  const done = (await ana.get(path)).body;
  expect([done.status, done.completed]).toEqual(['succeeded', body.created + 600]);
  const [event] = await ana.envelopes();
  expect(event?.created).toBe(body.created + 600);
  expect(done.prompt).toBe('a snail');
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
});

it('that is to fail keeps its money until the clock has come so far [I094 I124 R117]', async () => {
  const ana = await here.account();
  await ana.post('/videos/generations', { ...CLIP, prompt: 'a snail [[slow:60]] [[fail]]' });
  await here.advance(59);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
  await here.advance(1);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
  expect(await ana.events()).toEqual(['video.generation.failed']);
});

it('is the answer of an advance: no render that fell due is left open [I086 I198]', async () => {
  const ana = await here.account({ credits: 500 });
  for (let n = 0; n < 6; n += 1) await ana.post('/videos/generations', { ...CLIP, prompt: `boat ${n % 2}` });
  await here.advance(0);
  expect((await ana.jobs()).map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
  expect(await ana.events()).toEqual(Array(6).fill('video.generation.succeeded'));
});
