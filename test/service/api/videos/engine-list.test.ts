import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';
import { ENGINES, OWN } from './engine-table.ts';

const here = await world();

interface Listed {
  id: string;
  kind: string;
  pricing: string;
}

async function listed(): Promise<Listed[]> {
  const { body } = await here.call('GET', '/v1/models');
  return body.data.filter(({ kind }: Listed) => kind === 'video');
}

it('lists 16 engines: the own one, and 15 by opaque ids that never change [R064 R065 I056]', async () => {
  const ids = (await listed()).map(({ id }) => id);
  expect(ids).toEqual([OWN, ...Object.values(ENGINES).map(({ model }) => model)]);
  for (const id of ids.slice(1)) expect(id).toMatch(/^vid_[a-z2-7]{8}$/);
});

it.each([
  [OWN, '60 credits per clip, 5-10 s, 768p; as a synchronous 720p clip 100 credits for 5s, 180 credits for 10s'],
  [ENGINES.A.model, '62 credits per second, 4-30 s, up to 720p (engine A)'],
  [ENGINES.B.model, '106 credits per second, 4, 6 or 8 s, 720p or 1080p (engine B)'],
  [ENGINES.F.model, '35 credits per second, 5-15 s, 2k, 5 credits per reference image (engine F)'],
  [ENGINES.J.model, '24 credits per second, 4-15 s, 480p or 720p (engine J)'],
  [ENGINES.L.model, '37 credits per second, 1-15 s, up to 1080p, 5 credits per starting image (engine L)'],
])('says of %s: %s [R108 I119]', async (model, pricing) => {
  expect((await listed()).find(({ id }) => id === model)).toEqual({
    id: model,
    kind: 'video',
    pricing,
  });
});

it.each(Object.entries(ENGINES))('publishes the rate of engine %s [R108]', async (label, { model, rate }) => {
  const found = (await listed()).find(({ id }) => id === model);
  expect(found?.pricing).toMatch(new RegExp(`^${rate} credits per second, .*\\(engine ${label}\\)$`));
});

it('gives the whole catalogue as data to whoever is at this machine [I120]', async () => {
  const { body } = await here.control('GET', '/engines');
  expect(body.object).toBe('list');
  expect(body.data.map(({ id }: Listed) => id)).toEqual((await listed()).map(({ id }) => id));
  expect(body.data[1]).toMatchObject({
    id: ENGINES.A.model,
    label: 'A',
    family: 1,
    seconds: { min: 4, max: 30 },
    resolutions: ['480p', '720p'],
    audio: 'native',
    images: { start: true, references: 6, last: true },
    rates: [{ creditsPerSecond: 62 }],
  });
});
