import { beforeEach, expect, it } from 'vitest';
import { lookUntil } from '../../../support/look-until.ts';
import { OWN_RENDERS, world } from '../../../support/world.ts';

const here = await world({ settleAfter: 3600 }, OWN_RENDERS);

/** Removes the queued jobs of a test, so that the next test does not wait for their renders. */
beforeEach(async () => {
  expect((await here.control('POST', '/reset')).status).toBe(204);
});

it('responds to an order of a long video and of long songs before they are rendered [R010 R166]', async () => {
  const ana = await here.account({ plan: 'studio', credits: 1000 });
  const clip = { model: 'vid_eh3rnwli', prompt: 'a harbour', seconds: 30, resolution: '480p' };
  const ordered = await ana.post('/videos/generations', clip);
  expect([ordered.status, ordered.body.status]).toEqual([202, 'queued']);
  const { body } = await ana.post('/music/generations', { prompt: 'a harbour', seconds: 240 });
  for (const job of body.data) expect(job).not.toHaveProperty('completed');
  expect(await ana.events()).toEqual([]);
});

it('renders an image of the same account, and the orders of another account, while some of thirty earlier videos are still queued', async () => {
  const [ana, ben] = [await here.account({ credits: 2000 }), await here.account({ credits: 1000 })];
  const clip = (prompt: string) => ({ model: 'vid_max5havc', prompt, resolution: '480p' });
  await Promise.all(Array.from({ length: 30 }, (_, n) => ana.post('/videos/generations', clip(`ship ${n}`))));
  const { id } = (await ben.post('/videos/generations', clip('a single ship'))).body;
  for (const each of [ana, ben]) {
    expect((await each.post('/images/generations', { prompt: `a boat of ${each.id}` })).status).toBe(200);
  }
  await lookUntil(async () => (await ben.get(`/videos/generations/${id}`)).body.status === 'succeeded');
  expect((await ana.jobs()).filter(({ status }) => status === 'queued').length).toBeGreaterThan(0);
  expect(await ben.events()).toHaveLength(2);
});

const VIDEOS = '/videos/generations';
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };

it('shows no earlier status of a job again, ends the job at a read that finds its render ready, and publishes its event once [R116 R224 I059 I061]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(VIDEOS, CLIP);
  const met = [body.status];
  let read = await ana.get(`${VIDEOS}/${body.id}`);
  for (; read.body.completed === undefined; read = await ana.get(`${VIDEOS}/${body.id}`)) met.push(read.body.status);
  const changes = [...met, read.body.status].filter((status, at, all) => status !== all[at - 1]);
  expect(changes).toEqual(['queued', 'processing', 'succeeded'].filter((status) => changes.includes(status)));
  expect(read.body.status).toBe('succeeded');
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
  expect((await ana.get(`${VIDEOS}/${body.id}`)).body).toEqual(read.body);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
});

it('ends no job at a read without a key, by another account or by a control operation [I178]', async () => {
  const ana = await here.account();
  const ben = await here.account();
  const { body: failing } = await ana.post(VIDEOS, { ...CLIP, prompt: 'a red boat [[fail]]' });
  const { body: ready } = await ben.post(VIDEOS, { ...CLIP, prompt: 'a lake [[fail]]' });
  const path = `${VIDEOS}/${failing.id}`;
  // Ben's job is queued behind Ana's: once it is complete, hers has passed the queue.
  await lookUntil(async () => (await ben.get(`${VIDEOS}/${ready.id}`)).body.completed !== undefined);
  await here.call('GET', `/v1${path}`);
  await ben.get(path);
  await ana.get('/account');
  await here.control('GET', `/library?account_id=${ana.id}`);
  for (const job of await ana.jobs()) expect(job.status).toBe('processing');
  expect(await ana.events()).toEqual([]);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
  expect((await ana.get(path)).body.status).toBe('failed');
  expect(await ana.events()).toEqual(['video.generation.failed']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
});

it('ends a job only once, even if many requests read it in parallel [R117 I027 I061]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(VIDEOS, { ...CLIP, prompt: 'a red boat [[fail]]' });
  for (;;) {
    const polls = Array.from({ length: 20 }, () => ana.get(`${VIDEOS}/${body.id}`));
    const statuses = (await Promise.all(polls)).map((poll) => poll.body.status);
    if (statuses.includes('failed')) break;
  }
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
  expect(await ana.events()).toEqual(['video.generation.failed']);
  expect((await here.invariants()).ok).toBe(true);
});
