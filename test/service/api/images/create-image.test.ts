import sharp from 'sharp';
import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';

const here = await world();
await here.control('PUT', '/clock', { frozen: true });
const WEEK = 7 * 24 * 3600;
const IMAGES = '/images/generations';

it('answers a PNG of 1024 × 1024 inside the JSON, for 10 credits [R019 R020 R125 R156 I041]', async () => {
  const ana = await here.account();
  const answer = await ana.post(IMAGES, { prompt: 'a lighthouse at dusk' });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    created: expect.any(Number),
    model: 'svc-image-one',
    data: [{ b64_json: expect.any(String) }],
    usage: { credits_spent: 10, credits_remaining: 40 },
  });
  expect(Math.abs(answer.body.created - Date.now() / 1000)).toBeLessThan(60);
  const picture = sharp(Buffer.from(answer.body.data[0].b64_json, 'base64'), { failOn: 'warning' });
  expect((await picture.metadata()).format).toBe('png');
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, data.length]).toEqual([1024, 1024, 1024 * 1024 * info.channels]);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10']);
  expect((await ana.get('/storage/objects')).body.data).toEqual([]);
});

it('answers a URL signed for 7 days when it is asked for one [R155 R245 I039 I041]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(IMAGES, { prompt: 'a kite', response_format: 'url' });
  const [item] = body.data;
  expect(Object.keys(item)).toEqual(['url']);
  const url = new URL(item.url);
  expect(url.origin).toBe(here.url);
  expect(Number(url.searchParams.get('expires'))).toBe(body.created + WEEK);
  const served = await here.call('GET', item.url);
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect((await ana.get('/storage/objects')).body.data).toEqual([]);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10']);
});

it.each([
  [{ store: true }, null],
  [{ store: true, response_format: 'url' }, null],
  [{ store: true, response_format: 'b64_json' }, 'response_format;store'],
])(
  'keeps a picture for good with %j, for 2 credits more in the same charge, and warns of %s [R126 R154 I040 I041 I105 I215]',
  async (asked, warned) => {
    const ana = await here.account();
    const { body, headers } = await ana.post(IMAGES, { prompt: 'a stored kite', ...asked });
    expect(body.usage).toEqual({ credits_spent: 12, credits_remaining: 38 });
    expect(headers.get('svc-emulator-warnings')).toBe(warned);
    const [item] = body.data;
    expect(Object.keys(item)).toEqual(['url']);
    expect(item.url).toMatch(new RegExp(`^${here.url}/cdn/objects/obj_[0-9a-f]{24}/[\\w.]+\\.png$`));
    const listed = (await ana.get('/storage/objects')).body.data;
    expect(listed).toMatchObject([{ url: item.url, content_type: 'image/png' }]);
    const served = await here.call('GET', item.url);
    expect([served.status, served.bytes.length]).toEqual([200, listed[0].bytes]);
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -12']);
  },
);

it('announces a picture, with the same URL, and keeps it in the library with its recipe [R059 R219 R231 R232 I047 I077]', async () => {
  const ana = await here.account();
  const order = {
    prompt: 'a fox',
    negative_prompt: 'snow',
    cfg_scale: 7.5,
    response_format: 'url',
  };
  const { body } = await ana.post(IMAGES, order);
  const events = await ana.envelopes();
  const [entry] = await ana.library();
  expect(events).toEqual([
    {
      id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
      type: 'image.generation.succeeded',
      created: body.created,
      data: {
        id: entry?.job_id,
        model: 'svc-image-one',
        content_type: 'image/png',
        result_url: body.data[0].url,
        library_id: entry?.id,
      },
    },
  ]);
  expect(entry).toMatchObject({
    id: expect.stringMatching(/^lib_/),
    kind: 'image',
    object_id: null,
    credits: 10,
    recipe: {
      prompt: 'a fox',
      negative_prompt: 'snow',
      cfg_scale: 7.5,
      model: 'svc-image-one',
      seed: expect.any(Number),
    },
  });
  expect((await ana.entries()).at(-1)).toMatchObject({
    operation: 'image.generation',
    job_id: entry?.job_id,
  });
});

it('announces the permanent URL of a stored picture, which outlives the seven days of a signed one [R154 R232]', async () => {
  const ana = await here.account();
  const { body } = await ana.post(IMAGES, { prompt: 'a stored fox', store: true });
  const [event] = await ana.envelopes();
  expect(event?.data.result_url).toBe(body.data[0].url);
  await here.advance(WEEK + 1);
  const served = await here.call('GET', body.data[0].url);
  expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/png']);
});

it.each([
  [{ prompt: 'a quay' }],
  [{ prompt: 'a quay', cfg_scale: 19 }],
  [{ prompt: 'a quay', negative_prompt: 'boats' }],
])('makes the same bytes of the same words, for anyone: %j [I097]', async (order) => {
  const [ana, ben] = [await here.account(), await here.account()];
  const one = await ana.post(IMAGES, order);
  const two = await ben.post(IMAGES, order);
  expect(two.body.data).toEqual(one.body.data);
});

it('draws a prompt that ends in half of a surrogate pair, the same bytes each time [I097]', async () => {
  const ana = await here.account();
  const draw = () => ana.post(IMAGES, { prompt: 'a fox \ud83e' });
  const [one, other] = [await draw(), await draw()];
  expect([one.status, other.status]).toEqual([200, 200]);
  expect(other.body.data).toEqual(one.body.data);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10', 'charge -10']);
});

it('makes another picture of other words [I097]', async () => {
  const ana = await here.account();
  const one = await ana.post(IMAGES, { prompt: 'a green apple' });
  const two = await ana.post(IMAGES, { prompt: 'a grey whale' });
  expect(two.body.data[0].b64_json).not.toBe(one.body.data[0].b64_json);
});
