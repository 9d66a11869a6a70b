import sharp from 'sharp';
import { expect, it } from 'vitest';
import { expectScenario } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });
const pixels = sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } }).png();
const PICTURE = `data:image/png;base64,${(await pixels.toBuffer()).toString('base64')}`;
const SHOWN = 'data:image/png;base64,…';

/** Everything that can be asked of an engine at once. */
const EVERYTHING = {
  ...{ prompt: UNRENDERED, duration: '5s', resolution: '2k', aspect: '9:16', shot: 'dolly in' },
  ...{ lighting: 'low key', audio: false, seed: 0, negative_prompt: 'fog', reference: PICTURE },
  references: Array.from({ length: 7 }, () => PICTURE),
  end_reference: PICTURE,
};
const GIVEN = ['reference', ...EVERYTHING.references.map((_, n) => `references.${n}`)];

function surplus(room: number): string[] {
  if (room === 0) return ['reference', 'references'];
  return room === 1 ? ['references'] : GIVEN.slice(room);
}

it.each<[Label, string]>([
  ['A', 'R076 R109 R110 R111 I114'],
  ['B', 'R077 R078 R109 R110 R111 I113'],
  ['C', 'R080 R109 R110 R111'],
  ['D', 'R081 R082 R109 R110 R111 I113'],
  ['E', 'R084 R109 R110 R111'],
  ['F', 'R086 R106 R109 R110 R111 I118'],
  ['G', 'R087 R088 R109 R110 R111'],
  ['H', 'R089 R090 R109 R110 R111 I113 I114'],
  ['I', 'R091 R109 R110 R111 I113'],
  ['J', 'R093 R109 R110 R111 I114'],
  ['K', 'R094 R095 R109 R110 R111 I118'],
  ['L', 'R097 R107 R109 R110 R111 I118'],
  ['M', 'R099 R109 R110 R111 I114'],
  ['N', 'R101 R109 R110 R111 I113'],
  ['O', 'R103 R109 R110 R111 I114'],
])('engine %s keeps what it understands, and drops and names the rest [%s]', async (label, _rules) => {
  const row = ENGINES[label];
  const { status, body, headers } = await ana.post(VIDEOS, { ...EVERYTHING, model: row.model });
  expect(status).toBe(202);
  const dropped = [
    'duration',
    ...(row.resolutions.includes('2k') ? [] : ['resolution']),
    ...(row.audio === 'choice' ? [] : ['audio']),
    ...(row.seed ? [] : ['seed']),
    ...(row.negative ? [] : ['negative_prompt']),
    ...(row.last ? [] : ['end_reference']),
    ...surplus(row.pictures),
  ];
  expect(headers.get('svc-emulator-dropped')?.split(',').sort()).toEqual(dropped.sort());
  expect(headers.get('svc-emulator-warnings')).toBeNull();
  const others = Array.from({ length: row.pictures - 1 }, () => SHOWN);
  const { id, created, usage, credits, ...rest } = body;
  expect(rest).toEqual({
    ...{ object: 'video.generation', status: 'queued', model: row.model, prompt: 'a red boat' },
    ...{ seconds: row.lengths[0], resolution: row.standard, aspect: '9:16', shot: 'dolly in' },
    ...{ lighting: 'low key', audio: row.audio === 'native', store: false },
    ...(row.seed ? { seed: 0 } : {}),
    ...(row.negative ? { negative_prompt: 'fog' } : {}),
    ...(row.last ? { end_reference: SHOWN } : {}),
    ...(row.pictures > 0 ? { reference: SHOWN } : {}),
    ...(row.pictures > 1 ? { references: others } : {}),
  });
  const surcharge = { F: 15, L: 5 }[label as string] ?? 0;
  expect(credits).toBe(row.rate * row.lengths[0] + surcharge);
  expect(usage.credits_spent).toBe(credits);
});

it('the own engine keeps six references, and drops seed, last frame, negative prompt and choice of sound [R074 R110 R109 R112 I113 I114 I154 I177]', async () => {
  const { status, body, headers } = await ana.post(VIDEOS, { ...EVERYTHING, model: OWN });
  expect(status).toBe(202);
  const surplusOfOwn = 'audio,end_reference,negative_prompt,references.5,references.6,resolution,seed';
  expect(headers.get('svc-emulator-dropped')?.split(',').sort().join()).toBe(surplusOfOwn);
  expect(body).toMatchObject({ seconds: 5, resolution: '768p', audio: true, credits: 60 });
  expect(body.reference).toBe(SHOWN);
  expect(body.references).toHaveLength(5);
  for (const field of ['seed', 'end_reference', 'negative_prompt']) expect(body).not.toHaveProperty(field);
});

it.each([
  ['audio', 'yes'],
  ['seed', '7'],
  ['duration', 5],
  ['negative_prompt', 7],
  ['end_reference', 7],
  ['reference', ['x']],
  ['references', PICTURE],
  ['references', [7]],
])('refuses a %s of %j even where it would be dropped [I050 I162]', async (field, value) => {
  const order = { model: ENGINES.C.model, prompt: UNRENDERED, [field]: value };
  const { body } = await expectScenario(here, { send: `POST ${VIDEOS}`, body: order, error: {} });
  expect(body.error.param.split('.')[0]).toBe(field);
});

it.each<[Label, string, unknown]>([
  ['C', 'seed', -1],
  ['C', 'seed', 1.5],
  ['C', 'seed', 4_294_967_296],
  ['C', 'duration', '7 s'],
  ['C', 'negative_prompt', 'a\ud83d'],
  ['C', 'negative_prompt', 'x'.repeat(10_001)],
  ['C', 'reference', '\ud83d'],
  ['C', 'reference', ''],
  ['C', 'reference', 'no address'],
  ['C', 'reference', 'data:image/png;base64,bm8gcGljdHVyZQ=='],
  ['C', 'references', ['']],
  ['C', 'end_reference', 'data:image/png;base64,***'],
  ['N', 'references', ['https://example.com/a.png', '']],
])('engine %s drops a %s that it does not know, be it %j [R109 R112 I219]', async (label, field, value) => {
  const order = { model: ENGINES[label].model, prompt: UNRENDERED, [field]: value };
  const { status, headers } = await ana.post(VIDEOS, order);
  expect(status).toBe(202);
  expect(headers.get('svc-emulator-dropped')).toBe(label === 'N' ? 'references.1' : field);
});

it.each<[string, string, unknown]>([
  [ENGINES.M.model, 'seed', -1],
  [ENGINES.M.model, 'seed', 1.5],
  [ENGINES.M.model, 'seed', 4_294_967_296],
  [OWN, 'duration', '7s'],
  [ENGINES.D.model, 'negative_prompt', 'a\ud83d'],
  [ENGINES.D.model, 'negative_prompt', 'x'.repeat(10_001)],
])('refuses, of the engine %s, which knows it, a %s of %j [I219 I050]', (model, field, value) =>
  expectScenario(here, {
    ...{ send: `POST ${VIDEOS}`, body: { model, prompt: UNRENDERED, [field]: value }, error: { field } },
  }),
);

it.each([0, 4_294_967_295])('keeps a seed of %i [I050 R109]', async (seed) => {
  const { body, headers } = await ana.post(VIDEOS, { model: ENGINES.M.model, prompt: UNRENDERED, seed });
  expect(body.seed).toBe(seed);
  expect(headers.get('svc-emulator-dropped')).toBeNull();
});

it.each([true, false, undefined])('a choice of sound of %j holds, true unless said otherwise [I113]', async (audio) => {
  const { body, headers } = await ana.post(VIDEOS, { model: ENGINES.N.model, prompt: UNRENDERED, audio });
  expect(body.audio).toBe(audio ?? true);
  expect(headers.get('svc-emulator-dropped')).toBeNull();
});
