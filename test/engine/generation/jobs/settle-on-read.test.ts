import { expect, it } from 'vitest';
import { lookUntil } from '../../../support/look-until.ts';
import { world } from '../../../support/world.ts';

/** A sweep that never comes: whatever is settled here was settled by a read. */
const here = await world({ settleAfter: 3600 });
const VIDEOS = '/videos/generations';
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };

it('is settled by the read that finds its render ready, whose answer is final and whose event is there at once [R224 I061]', async () => {
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

it('goes from queued over processing to its end, and never back [R116 I059 I060]', async () => {
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

it('is not settled by those who only look: no key, a wrong account, the control surface [I178]', async () => {
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

it('is settled once by many reads at the same time [R117 I027 I061]', async () => {
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
