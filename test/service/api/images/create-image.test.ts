import sharp from 'sharp';
import { expect, it } from 'vitest';
import { expectScenario, playScenario, scenarios } from '../../../support/scenario.ts';
import { EXACT_RENDERS, world } from '../../../support/world.ts';

const here = await world({}, EXACT_RENDERS);
await here.control('PUT', '/clock', { frozen: true });
const WEEK = 7 * 24 * 3600;
const IMAGES = '/images/generations';
const MADE = { send: `POST ${IMAGES}`, ledger: ['charge -10'], events: ['image.generation.succeeded'] };
const NULLS = { prompt: 'x', model: null, negative_prompt: null, cfg_scale: null, store: null, response_format: null };

it('returns a PNG of 1024 × 1024 inside the JSON, for 10 credits [R019 R020 R125 R156 I041]', async () => {
  const { account, body } = await playScenario(here, { ...MADE, body: { prompt: 'a lighthouse at dusk' } });
  expect(body).toEqual({
    created: expect.any(Number),
    model: 'svc-image-one',
    data: [{ b64_json: expect.any(String) }],
    usage: { credits_spent: 10, credits_remaining: 40 },
  });
  expect(Math.abs(body.created - Date.now() / 1000)).toBeLessThan(60);
  const png = Buffer.from(body.data[0].b64_json, 'base64');
  expect(png.length).toBeLessThanOrEqual(400 * 1024);
  const picture = sharp(png, { failOn: 'warning' });
  expect((await picture.metadata()).format).toBe('png');
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, data.length]).toEqual([1024, 1024, 1024 * 1024 * info.channels]);
  expect((await account.get('/storage/objects')).body.data).toEqual([]);
});

it('returns with response_format url a URL that expires after 7 days, publishes it in an event, and adds the image to the library [R059 R155 R219 R231 R232 R245 I039 I041 I047 I077]', async () => {
  const recipe = { prompt: 'a fox', negative_prompt: 'snow', cfg_scale: 7.5 };
  const { account, body } = await playScenario(here, { ...MADE, body: { ...recipe, response_format: 'url' } });
  expect(body.data).toEqual([{ url: expect.any(String) }]);
  const url = new URL(body.data[0].url);
  expect([url.origin, Number(url.searchParams.get('expires'))]).toEqual([here.url, body.created + WEEK]);
  const served = await here.call('GET', url.href);
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await account.get('/storage/objects')).body.data).toEqual([]);
  const [entry] = await account.library();
  const model = 'svc-image-one';
  expect(await account.envelopes()).toEqual([
    {
      id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      type: 'image.generation.succeeded',
      created: body.created,
      data: {
        ...{ id: entry?.job_id, model, content_type: 'image/png' },
        ...{ result_url: body.data[0].url, library_id: entry?.id },
      },
    },
  ]);
  expect(entry).toMatchObject({
    ...{ id: expect.stringMatching(/^lib_/), kind: 'image', object_id: null, credits: 10 },
    recipe: { ...recipe, model, seed: expect.any(Number) },
  });
  expect((await account.entries()).at(-1)).toMatchObject({ operation: 'image.generation', job_id: entry?.job_id });
});

it.each([
  [{}, 'prompt', 'R149'],
  [{ prompt: null }, 'prompt', 'R149'],
  [{ prompt: '' }, 'prompt', 'R149'],
  [{ prompt: 7 }, 'prompt', 'I006'],
  [{ prompt: ['a boat'] }, 'prompt', 'I006'],
  [{ prompt: 'x'.repeat(2401) }, 'prompt', 'R150'],
  [{ prompt: '🚤'.repeat(2401) }, 'prompt', 'R150'],
  [{ prompt: 'a pier', negative_prompt: 'x'.repeat(2401) }, 'negative_prompt', 'I006'],
  [{ prompt: 'x', negative_prompt: 3 }, 'negative_prompt', 'R152'],
  [{ prompt: 'x', negative_prompt: ['fog'] }, 'negative_prompt', 'R152'],
  [{ prompt: 'x', cfg_scale: 0.99 }, 'cfg_scale', 'R153'],
  [{ prompt: 'x', cfg_scale: 20.01 }, 'cfg_scale', 'R153'],
  [{ prompt: 'x', cfg_scale: '7' }, 'cfg_scale', 'R153'],
  [{ prompt: 'x', store: 'true' }, 'store', 'I006'],
  [{ prompt: 'x', response_format: 'png' }, 'response_format', 'R155'],
  [{ prompt: 'x', model: 3 }, 'model', 'R151'],
  [{ prompt: 'x', model: 'svc-rp-plus' }, 'model', 'R151'],
  [{ prompt: 'x', model: 'svc-motion-one' }, 'model', 'R151'],
])('rejects an image request with %j, and names %s [%s]', (body, field, _rules) =>
  expectScenario(here, { send: MADE.send, body, error: { field } }),
);

it.each([
  ['2,400 letters', { prompt: 'x'.repeat(2400) }],
  ['2,400 code points of two units each', { prompt: '🚤'.repeat(2400) }],
  ['2,400 letters next to a directive', { prompt: `${'x'.repeat(2400)} [[slow:0]]` }],
  ['a cfg_scale of 1', { prompt: 'x', cfg_scale: 1 }],
  ['a cfg_scale of 20', { prompt: 'x', cfg_scale: 20 }],
  ['its model by name', { prompt: 'x', model: 'svc-image-one' }],
  ['null for every optional field', NULLS],
  ['directives alone', { prompt: '[[slow:0]]' }],
])('accepts an image request with %s [R150 R151 R153 I098 I103 I152]', (_what, body) =>
  expectScenario(here, { ...MADE, body, answer: { usage: { credits_spent: 10 } } }),
);

scenarios(here, MADE, {
  'renders an image of a prompt that the content policy would block [I122]': {
    ...{ body: { prompt: 'how to make a bomb' }, shows: { 'svc-emulator-warnings': null } },
  },
  'ignores [[block]] in an image request, with a warning [I122]': {
    ...{ body: { prompt: 'a boat [[block]]' }, shows: { 'svc-emulator-warnings': 'prompt;directive=block' } },
  },
});

it('renders the same image on any account with and without directives, and another for another prompt [I094 I097 I152]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const plain = await ana.post(IMAGES, { prompt: 'a red door' });
  const directed = await ben.post(IMAGES, { prompt: 'a [[slow:0]] red door [[block]]' });
  expect(directed.body.data).toEqual(plain.body.data);
  const other = await ana.post(IMAGES, { prompt: 'a grey whale' });
  expect(other.body.data).not.toEqual(plain.body.data);
  const recipes = [...(await ben.library()), ...(await ana.library())].map(({ recipe }) => recipe.prompt);
  expect(recipes).toEqual(['a red door', 'a red door', 'a grey whale']);
});

it('stores a separate object for each order of the same image [R154 I040 I043]', async () => {
  const ana = await here.account();
  const [one, two] = [
    (await ana.post(IMAGES, { prompt: 'a kite', store: true })).body.data[0].url,
    (await ana.post(IMAGES, { prompt: 'a kite', store: true })).body.data[0].url,
  ];
  expect(one).not.toBe(two);
  const { body } = await ana.get('/storage/objects');
  expect(body.data.map(({ url }: { url: string }) => url)).toEqual([two, one]);
  await ana.delete(`/storage/objects/${body.data[1].id}`);
  expect((await here.call('GET', one)).status).toBe(404);
  expect((await here.call('GET', two)).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -12', 'charge -12']);
});
