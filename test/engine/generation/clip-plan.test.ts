import { expect, it } from 'vitest';
import { readShippedCatalogue } from '../../../src/engine/catalogue/catalogue.ts';
import { type ClipOptions, planClip } from '../../../src/engine/generation/video.ts';
import { ENGINES, type Label, OWN } from '../../service/api/videos/engine-table.ts';
import { world } from '../../support/world.ts';

const catalogue = readShippedCatalogue();

const plan = (label: Label | 'own', wishes: Partial<ClipOptions>) =>
  planClip(catalogue.engine(label === 'own' ? OWN : ENGINES[label].model), {
    prompt: 'a red boat',
    aspect: '16:9',
    ...wishes,
  });

it.each<[Label | 'own', Partial<ClipOptions>, string[], string]>([
  ['A', {}, [], 'R112'],
  ['A', { seed: 0, endReference: 'z' }, [], 'R109 R110'],
  ['A', { negativePrompt: '' }, ['negative_prompt'], 'R112'],
  ['C', { reference: 'a' }, ['reference'], 'R080'],
  ['C', { references: ['a', 'b'] }, ['references'], 'R080'],
  ['C', { references: [] }, [], 'R112'],
  ['D', { negativePrompt: 'fog', audio: false }, [], 'R082 I113'],
  ['G', { reference: 'a', references: ['b', 'c'] }, ['references'], 'R088'],
  ['G', { references: ['a', 'b', 'c'] }, ['references.1', 'references.2'], 'I177'],
  ['H', { reference: 'a', references: ['b', 'c', 'd'] }, ['references.2'], 'I114'],
  ['N', { endReference: 'z' }, [], 'R101'],
  ['O', { endReference: 'z' }, ['end_reference'], 'R103'],
  ['K', { duration: '5s' }, ['duration'], 'I049'],
  ['own', { duration: '10s' }, [], 'I110'],
  [
    'own',
    { seed: 1, endReference: 'z', negativePrompt: 'x', audio: true },
    ['audio', 'seed', 'negative_prompt', 'end_reference'],
    'I154 I177',
  ],
])('renders with engine %s and %j, and drops %j [%s]', (label, wishes, dropped, _rule) => {
  expect(plan(label, wishes).dropped.toSorted()).toEqual(dropped.toSorted());
});

it('places reference before references, and uses the first of references if there is no reference [I114 I177]', () => {
  const urls = (wishes: Partial<ClipOptions>) => plan('A', wishes).pictures.map(({ url }) => url);
  expect(urls({ reference: 'a', references: ['b', 'c'] })).toEqual(['a', 'b', 'c']);
  expect(urls({ references: ['b', 'c'] })).toEqual(['b', 'c']);
});

it.each<[Label | 'own', Partial<ClipOptions>, number]>([
  ['L', {}, 1],
  ['B', {}, 4],
  ['own', {}, 5],
  ['own', { duration: '10s' }, 10],
  ['G', { duration: '10s' }, 2],
])('renders with engine %s and %j a video of %i seconds [I053 I110]', (label, wishes, seconds) => {
  expect(plan(label, wishes).seconds).toBe(seconds);
});

const here = await world({ mediaSize: 'realistic' });
const IMAGES = '/images/generations';

async function picture(prompt: string) {
  const ana = await here.account();
  const { body } = await ana.post(IMAGES, { prompt });
  return Buffer.from(body.data[0].b64_json, 'base64');
}

it('renders images of one to two megabytes with --media-size realistic', async () => {
  const sizes = [(await picture('a kite')).length, (await picture('a barn')).length];
  for (const size of sizes) expect(size).toBeGreaterThanOrEqual(1_000_000);
  for (const size of sizes) expect(size).toBeLessThanOrEqual(2_000_000);
  expect(sizes[0]).not.toBe(sizes[1]);
});

it('renders a file of the size that a directive requests', async () => {
  expect(await picture('a kite [[bytes:3MB]]')).toHaveLength(3_000_000);
});

it('rejects a size in a directive beyond the limit, and charges nothing', async () => {
  const ana = await here.account();
  const { status, body } = await ana.post(IMAGES, { prompt: 'a kite [[bytes:11MiB]]' });
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'prompt']);
  expect(body.error.message).toContain('10485760 bytes (10 MiB)');
  expect(await ana.ledger()).toEqual(['grant 50']);
});
