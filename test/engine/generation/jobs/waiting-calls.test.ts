import { expect, it } from 'vitest';
import { lookUntil } from '../../../support/look-until.ts';
import { OWN_RENDERS, world } from '../../../support/world.ts';

const here = await world({ settleAfter: 3600 }, OWN_RENDERS);
const MINUTE = 59_000;

it.each<[string, string, object]>([
  ['clip', '/videos/generations', { prompt: 'a harbour', duration: '10s' }],
  ['speech', '/audio/speech', { input: 'word '.repeat(819), voice: 'orion' }],
  ['picture', '/images/generations', { prompt: 'a harbour '.repeat(240) }],
])(
  'answers the longest %s before a minute is over [R166]',
  async (_what, path, order) => {
    const ana = await here.account({ credits: 500 });
    // Where the machine is too busy even for one render, it is given up and refunded.
    expect([200, 502]).toContain((await ana.post(path, order)).status);
  },
  MINUTE,
);

it('answers the order of a long clip and of long songs before they are rendered [R010 R165 R166]', async () => {
  const ana = await here.account({ plan: 'studio', credits: 1000 });
  const clip = { model: 'vid_eh3rnwli', prompt: 'a harbour', seconds: 30, resolution: '480p' };
  const ordered = await ana.post('/videos/generations', clip);
  expect([ordered.status, ordered.body.status]).toEqual([202, 'queued']);
  const { body } = await ana.post('/music/generations', { prompt: 'a harbour', seconds: 240 });
  for (const job of body.data) expect(job).not.toHaveProperty('completed');
  expect(await ana.events()).toEqual([]);
});

it('renders what one account orders among the first, however many clips of another are queued [R166]', async () => {
  const [ana, ben] = [await here.account({ credits: 1000 }), await here.account({ credits: 1000 })];
  const clip = (prompt: string) => ({ model: 'vid_max5havc', prompt, resolution: '480p' });
  await Promise.all(Array.from({ length: 30 }, (_, n) => ana.post('/videos/generations', clip(`ship ${n}`))));
  const { id } = (await ben.post('/videos/generations', clip('a single ship'))).body;
  expect((await ben.post('/images/generations', { prompt: 'a single boat' })).status).toBe(200);
  await lookUntil(async () => (await ben.get(`/videos/generations/${id}`)).body.status === 'succeeded');
  expect((await ana.jobs()).filter(({ status }) => status === 'queued').length).toBeGreaterThan(0);
  expect(await ben.events()).toHaveLength(2);
});

it('renders first what a call waits for, however many jobs are queued before it [R166]', async () => {
  const ana = await here.account({ credits: 1000 });
  for (let n = 0; n < 8; n += 1) {
    const clip = { model: 'vid_max5havc', prompt: `boat ${n}`, resolution: '480p' };
    await ana.post('/videos/generations', clip);
  }
  expect((await ana.post('/images/generations', { prompt: 'a boat at last' })).status).toBe(200);
  expect((await ana.jobs()).map(({ status }) => status)).toContain('queued');
});
