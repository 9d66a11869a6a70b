import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });
const KNOWN = ['480p', '720p', '768p', '1080p', '2k'];

async function record(order: object) {
  const { status, body, headers } = await ana.post(VIDEOS, { prompt: UNRENDERED, ...order });
  expect(status).toBe(202);
  return { ...body, dropped: headers.get('svc-emulator-dropped') };
}

it.each<[Label, string]>([
  ['A', 'R075 I112 I051'],
  ['B', 'R077 I051'],
  ['C', 'R079 I051'],
  ['D', 'R081 I051'],
  ['E', 'R083 I112 I051'],
  ['F', 'R085 I051'],
  ['G', 'R087 I051'],
  ['H', 'R089 I054 I051'],
  ['I', 'R091 I054 I051'],
  ['J', 'R092 I051'],
  ['K', 'R094 I112 I051'],
  ['L', 'R096 I112 I051'],
  ['M', 'R098 I051'],
  ['N', 'R100 I051'],
  ['O', 'R102 I112 I051'],
])(
  'engine %s renders in its resolutions, others in its standard one, and has the sound it has [%s]',
  async (label, _rules) => {
    const { model, resolutions, standard, audio } = ENGINES[label];
    for (const resolution of KNOWN) {
      const has = (resolutions as readonly string[]).includes(resolution);
      expect(await record({ model, resolution })).toMatchObject({
        resolution: has ? resolution : standard,
        dropped: has ? null : 'resolution',
      });
    }
    expect(await record({ model })).toMatchObject({ resolution: standard, audio: audio !== 'none', dropped: null });
    const silenced = audio === 'choice' ? null : 'audio';
    expect(await record({ model, audio: false })).toMatchObject({ audio: audio === 'native', dropped: silenced });
  },
);

it.each(KNOWN)('the own engine renders 768p when asked for %s [R070 I051]', async (resolution) => {
  expect(await record({ model: OWN, resolution })).toMatchObject({
    resolution: '768p',
    dropped: resolution === '768p' ? null : 'resolution',
  });
});

it.each([
  ['480P', '480p'],
  ['720P', '720p'],
])('reads the resolution %s as %s [I218]', async (resolution, known) => {
  const answer = { resolution: known, dropped: null };
  expect(await record({ model: ENGINES.M.model, resolution })).toMatchObject(answer);
});

it.each(['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', undefined])('takes the aspect %s [R161]', async (aspect) => {
  expect(await record({ model: ENGINES.M.model, aspect })).toMatchObject({
    aspect: aspect ?? '16:9',
    dropped: null,
  });
});

it.each([
  ['resolution', '4k'],
  ['resolution', '720'],
  ['resolution', 720],
  ['aspect', '2:1'],
  ['aspect', 'wide'],
  ['shot', 'x'.repeat(65)],
  ['shot', 5],
  ['lighting', 'x'.repeat(65)],
  ['lighting', ['soft']],
  ['store', 'yes'],
])('refuses a %s of %j, and charges nothing [R161 I051]', async (field, value) => {
  const ben = await here.account();
  const order = { model: ENGINES.M.model, prompt: UNRENDERED, [field]: value };
  const { status, body } = await ben.post(VIDEOS, order);
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', field]);
  expect(await ben.ledger()).toEqual(['grant 50']);
  expect(await ben.jobs()).toEqual([]);
});

it.each([
  ['shot', '🎥'.repeat(64)],
  ['lighting', 'golden hour'],
])('keeps a %s of %s [R161]', async (field, value) => {
  expect(await record({ model: ENGINES.M.model, [field]: value })).toMatchObject({
    [field]: value,
    dropped: null,
  });
});
