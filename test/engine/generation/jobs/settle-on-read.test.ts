import { beforeEach, expect, it } from 'vitest';
import { lookUntil } from '../../../support/look-until.ts';
import { OWN_RENDERS, world } from '../../../support/world.ts';

const here = await world({ settleAfter: 3600 }, OWN_RENDERS);
const MINUTE = 59_000;

/** What one test has queued is not rendered before what the next one orders. */
beforeEach(async () => {
  expect((await here.control('POST', '/reset')).status).toBe(204);
});

it.each<[string, string, object]>([
  ['a video of 10 seconds', '/videos/generations', { prompt: 'a harbour', duration: '10s' }],
  ['an image with a prompt of 2,400 characters', '/images/generations', { prompt: 'a harbour '.repeat(240) }],
])(
  'responds to an order of %s within a minute, with the result or an error [R166]',
  async (_what, path, order) => {
    const ana = await here.account({ credits: 500 });
    // Where the machine is too busy even for one render, it is given up and refunded.
    expect([200, 502]).toContain((await ana.post(path, order)).status);
  },
  MINUTE,
);

it('responds to an order of a long video and of long songs before they are rendered [R010 R165 R166]', async () => {
  const ana = await here.account({ plan: 'studio', credits: 1000 });
  const clip = { model: 'vid_eh3rnwli', prompt: 'a harbour', seconds: 30, resolution: '480p' };
  const ordered = await ana.post('/videos/generations', clip);
  expect([ordered.status, ordered.body.status]).toEqual([202, 'queued']);
  const { body } = await ana.post('/music/generations', { prompt: 'a harbour', seconds: 240 });
  for (const job of body.data) expect(job).not.toHaveProperty('completed');
  expect(await ana.events()).toEqual([]);
});

it('renders the orders of one account while earlier videos of another account are still queued [R166]', async () => {
  const [ana, ben] = [await here.account({ credits: 1000 }), await here.account({ credits: 1000 })];
  const clip = (prompt: string) => ({ model: 'vid_max5havc', prompt, resolution: '480p' });
  await Promise.all(Array.from({ length: 30 }, (_, n) => ana.post('/videos/generations', clip(`ship ${n}`))));
  const { id } = (await ben.post('/videos/generations', clip('a single ship'))).body;
  expect((await ben.post('/images/generations', { prompt: 'a single boat' })).status).toBe(200);
  await lookUntil(async () => (await ben.get(`/videos/generations/${id}`)).body.status === 'succeeded');
  expect((await ana.jobs()).filter(({ status }) => status === 'queued').length).toBeGreaterThan(0);
  expect(await ben.events()).toHaveLength(2);
});

it('renders a synchronous request while jobs that were ordered earlier are still queued [R166]', async () => {
  const ana = await here.account({ credits: 1000 });
  for (let n = 0; n < 8; n += 1) {
    const clip = { model: 'vid_max5havc', prompt: `boat ${n}`, resolution: '480p' };
    await ana.post('/videos/generations', clip);
  }
  expect((await ana.post('/images/generations', { prompt: 'a boat at last' })).status).toBe(200);
  expect((await ana.jobs()).map(({ status }) => status)).toContain('queued');
});

const VIDEOS = '/videos/generations';
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };

it('ends a job when a read finds its render ready, and publishes its event once [R224 I061]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(VIDEOS, CLIP);
  const { answer, polls } = await polled(() => ana.get(`${VIDEOS}/${body.id}`));
  expect(answer.body.status).toBe('succeeded');
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
  expect(polls.slice(0, -1)).toEqual(polls.slice(0, -1).filter((status) => status !== 'succeeded'));
  const again = await ana.get(`${VIDEOS}/${body.id}`);
  expect(again.body).toEqual(answer.body);
  expect(await ana.events()).toEqual(['video.generation.succeeded']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);

  async function polled(poll: () => ReturnType<typeof ana.get>) {
    const statuses: string[] = [];
    for (;;) {
      const latest = await poll();
      statuses.push(latest.body.status);
      if (latest.body.completed !== undefined) return { answer: latest, polls: statuses };
    }
  }
});

it('changes the status of a job from queued to processing to final, and never back [R116 I059 I060]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(VIDEOS, { ...CLIP, seed: 11 });
  const met = [body.status];
  while (!['succeeded', 'failed'].includes(met.at(-1))) {
    const { status } = (await ana.get(`${VIDEOS}/${body.id}`)).body;
    if (status !== met.at(-1)) met.push(status);
  }
  const order = ['queued', 'processing', 'succeeded'];
  expect(met).toEqual(order.filter((status) => met.includes(status)));
});

it('ends no job at a read without a key, by another account or by a control operation [I178]', async () => {
  const ana = await here.account();
  const ben = await here.account();
  const { body: failing } = await ana.post(VIDEOS, { ...CLIP, prompt: 'a red boat [[fail]]' });
  const { body: ready } = await ben.post(VIDEOS, { ...CLIP, prompt: 'a lake [[fail]]' });
  const path = `${VIDEOS}/${failing.id}`;
  // Ben's poll is answered final once the queue has come to his job, which stands behind Ana's.
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
