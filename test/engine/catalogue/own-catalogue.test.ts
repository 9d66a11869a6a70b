import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator.ts';
import { catalogueFile } from '../../../src/engine/catalogue/catalogue-file.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { ephemeral, world } from '../../support/world.ts';

const SHIPPED = JSON.parse(readFileSync(new URL('../../../fixtures/catalogue.json', import.meta.url), 'utf8'));

/** A folder for --fixtures that holds this catalogue, or none. */
function folder(catalogue?: unknown): string {
  const made = emptyFolder();
  if (catalogue !== undefined) {
    const text = typeof catalogue === 'string' ? catalogue : JSON.stringify(catalogue);
    writeFileSync(path.join(made, 'catalogue.json'), text);
  }
  return made;
}

const [own, engine] = SHIPPED.engines;
const replaced = {
  ...SHIPPED,
  models: SHIPPED.models.map((model: { id: string }) =>
    model.id === 'svc-image-one' ? { ...model, credits: 4, pricing: '4 credits' } : model,
  ),
  engines: [
    own,
    {
      ...engine,
      id: 'my-engine',
      label: 'Mine',
      family: 4,
      seconds: { oneOf: [3] },
      audio: 'choice',
      rates: [{ creditsPerSecond: 7, audio: true }, { creditsPerSecond: 2 }],
    },
  ],
};

const here = await world({ fixtures: folder(replaced) });

it('replaces engines, ids, lengths and prices [I205 R104 R108]', async () => {
  const { body } = await here.call('GET', '/v1/models');
  const videos = body.data.filter(({ kind }: { kind: string }) => kind === 'video');
  expect(videos.map(({ id }: { id: string }) => id)).toEqual(['svc-motion-one', 'my-engine']);
  expect(videos[1].pricing).toBe(
    '7 credits per second with sound, 2 credits per second, 3 s, up to 720p (engine Mine)',
  );
  const ana = await here.account();
  const order = { model: 'my-engine', prompt: 'a red boat [[fail]]' };
  const spent = async (more: object) =>
    (await ana.post('/videos/generations', { ...order, ...more })).body.usage.credits_spent;
  expect([await spent({}), await spent({ audio: false })]).toEqual([21, 6]);
  expect((await ana.post('/images/generations', { prompt: 'x' })).body.usage.credits_spent).toBe(4);
  const gone = await ana.post('/videos/generations', { ...order, model: 'vid_vyctfclc' });
  expect([gone.status, gone.body.error.code]).toEqual([404, 'model_not_found']);
  const models = (await here.control('GET', '/models')).body.data;
  expect(models.filter(({ engine }: { engine?: object }) => engine)).toHaveLength(2);
});

it('uses the shipped catalogue if the folder contains none [I205]', async () => {
  const emulator = await startEmulator(ephemeral({ fixtures: folder() }));
  try {
    const models = await fetch(`${emulator.url}/v1/models`);
    const { data } = (await models.json()) as { data: object[] };
    expect(data).toHaveLength(SHIPPED.models.length + SHIPPED.engines.length);
  } finally {
    await emulator.close();
  }
});

it.each([
  ['no JSON', '{', /catalogue\.json is not a catalogue: it is not valid JSON/],
  ['no engines', { ...SHIPPED, engines: [] }, /engines/],
  ['an unknown field', { ...SHIPPED, extra: 1 }, /extra/],
  [
    'an engine without a rate',
    { ...SHIPPED, engines: [{ ...engine, rates: [{ creditsPerSecond: 5, resolution: '480p' }] }] },
    /rate/,
  ],
  ['a rate without a price', { ...SHIPPED, engines: [{ ...engine, rates: [{}] }] }, /rate/],
  ['a clip of a minute', { ...SHIPPED, engines: [{ ...engine, seconds: { min: 1, max: 60 } }] }, /seconds/],
])('rejects a catalogue of %s at the start, and names file and field [I205]', async (_what, catalogue, said) => {
  const fixtures = folder(catalogue);
  const start = startEmulator(ephemeral({ fixtures }));
  await expect(start).rejects.toThrow(said);
  await expect(start).rejects.toThrow(path.join(fixtures, 'catalogue.json'));
});

it('ships a catalogue that would be valid as a custom one [I205]', () => {
  expect(catalogueFile.parse(SHIPPED)).toEqual(SHIPPED);
});
