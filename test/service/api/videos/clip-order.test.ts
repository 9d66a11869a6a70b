import { expect, it } from 'vitest';
import { flatPicture } from '../../../support/flat-picture.ts';
import { openReceiver } from '../../../support/receiver.ts';
import { expectScenario, playScenario, scenarios } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const SEND = `POST ${VIDEOS}`;
const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });
await here.control('POST', '/elements', { account_id: ana.id, handle: 'lamp', kind: 'object', name: 'Lamp' });

/** A clip that fails tells its form by how it fails: the call itself, or the job it became. */
it.each([
  ['a prompt alone', 502, {}],
  ["the service's own engine", 502, { model: OWN }],
  ['a duration', 502, { duration: '10s' }],
  ['store', 502, { store: true }],
  ["the service's own engine, duration and store", 502, { model: OWN, duration: '5s', store: true }],
  ['empty lists', 502, { elements: [], references: [] }],
  ['fields that are null', 502, { seconds: null, seed: null, references: null }],
  ['an unknown field', 502, { fps: 24 }],
  ['another engine', 202, { model: ENGINES.M.model }],
  ['another engine and a duration', 202, { model: ENGINES.M.model, duration: '5s' }],
  ['seconds', 202, { seconds: 5 }],
  ['resolution', 202, { resolution: '768p' }],
  ['aspect', 202, { aspect: '16:9' }],
  ['shot', 202, { shot: 'pan' }],
  ['lighting', 202, { lighting: 'soft' }],
  ['elements', 202, { elements: ['@lamp'] }],
  ['audio', 202, { audio: true }],
  ['reference', 202, { reference: 'https://example.com/a.png' }],
  ['references', 202, { references: ['https://example.com/a.png'] }],
  ['end_reference', 202, { end_reference: 'https://example.com/a.png' }],
  ['seed', 202, { seed: 1 }],
  ['negative_prompt', 202, { negative_prompt: 'fog' }],
])(
  'returns for a failing video request with %s the status %i: 502 if it is synchronous, 202 if it is a job [R160 R161 R165 I048 I109 I217]',
  async (_what, expected, fields) => {
    const { status, body } = await ana.post(VIDEOS, { prompt: UNRENDERED, ...fields });
    expect(status).toBe(expected);
    if (expected === 202) expect(body.id).toMatch(/^job_[0-9a-f]{24}$/);
  },
);

it.each([[{ duration: '5s', seconds: 5 }], [{ duration: '10s', seconds: 5, model: OWN }]])(
  "rejects duration next to seconds for the service's own engine: %j [I049]",
  (fields) =>
    expectScenario(here, { send: SEND, body: { prompt: UNRENDERED, ...fields }, error: { field: 'duration' } }),
);

it.each([
  [{ duration: '10s' }, 4],
  [{ duration: '10s', seconds: 5 }, 5],
  [{ duration: 'long', seconds: 5 }, 5],
])(
  'drops the duration of %j with an engine other than svc-motion-one, and names the dropped field [I049]',
  async (fields, seconds) => {
    const order = { model: ENGINES.M.model, prompt: UNRENDERED, ...fields };
    const { body, headers } = await ana.post(VIDEOS, order);
    expect([body.seconds, headers.get('svc-emulator-dropped')]).toEqual([seconds, 'duration']);
    expect(body).not.toHaveProperty('duration');
  },
);

it.each([{ model: '' }, { reference: '' }, { model: '', reference: '' }, { model: null, reference: null }])(
  'treats the empty or null fields in %j as absent, so that the video request is synchronous [I048]',
  async (fields) => {
    const { status, body } = await ana.post(VIDEOS, { prompt: UNRENDERED, ...fields });
    expect([status, body.error?.code]).toEqual([502, 'render_failed']);
  },
);

it.each([
  ['5s', 5],
  ['10s', 10],
])(
  "reads the field duration: %s as seconds in a video job of the service's own engine, and warns [I110]",
  async (duration, seconds) => {
    const { body, headers } = await ana.post(VIDEOS, { prompt: UNRENDERED, aspect: '9:16', duration });
    expect([body.seconds, body.credits]).toEqual([seconds, 60]);
    expect(headers.get('svc-emulator-dropped')).toBeNull();
    expect(headers.get('svc-emulator-warnings')).toBe('duration;form=job');
  },
);

it.each([
  [{}, 'prompt'],
  [{ prompt: null }, 'prompt'],
  [{ prompt: '' }, 'prompt'],
  [{ prompt: 5 }, 'prompt'],
  [{ seconds: 5 }, 'prompt'],
  [{ prompt: 'x'.repeat(10_001) }, 'prompt'],
  [{ prompt: 'x', negative_prompt: 'x'.repeat(10_001) }, 'negative_prompt'],
  [{ model: ENGINES.M.model, references: [] }, 'prompt'],
  [{ prompt: 'x', duration: '7s' }, 'duration'],
  [{ prompt: 'x', duration: 5 }, 'duration'],
  [{ prompt: 'x', model: 'svc-image-one' }, 'model'],
  [{ prompt: 'x', model: 5 }, 'model'],
  [{ prompt: 'x', seconds: 5, elements: 'kit' }, 'elements'],
])('rejects a video request with %j, and charges nothing [R157 R158 I006 I102]', (body, field) =>
  expectScenario(here, { send: SEND, body, error: { field } }),
);

scenarios(
  here,
  { send: SEND },
  {
    'rejects an unknown video engine [R065]': {
      ...{ body: { prompt: 'x', model: 'vid_22222222' }, status: 404 },
      error: { code: 'model_not_found', field: 'model' },
    },
  },
);

const PICTURE = await flatPicture('teal');
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
  ['A', 'R076 R109 R110 R111 I052 I114'],
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
])('accepts with engine %s the fields that it supports, and drops and names the others [%s]', async (label, _rules) => {
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

it("accepts six references for the service's own engine, and drops seed, last frame, negative prompt and sound [R074 R110 R109 R112 I113 I114 I154 I177]", async () => {
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
])(
  'rejects a video whose %s is %j even if the engine does not support that field [I050 I162]',
  async (field, value) => {
    const order = { model: ENGINES.C.model, prompt: UNRENDERED, [field]: value };
    const { body } = await playScenario(here, { send: `POST ${VIDEOS}`, body: order, error: {} });
    expect(body.error.param.split('.')[0]).toBe(field);
  },
);

it.each<[Label, string, unknown]>([
  ['C', 'seed', -1],
  ['C', 'seed', 1.5],
  ['C', 'seed', 4_294_967_296],
  ['C', 'duration', '7 s'],
  ['C', 'negative_prompt', 'x'.repeat(10_001)],
  ['C', 'reference', 'no address'],
  ['C', 'reference', 'data:image/png;base64,bm8gcGljdHVyZQ=='],
  ['C', 'references', ['']],
  ['C', 'end_reference', 'data:image/png;base64,***'],
  ['N', 'references', ['https://example.com/a.png', '']],
])(
  'with engine %s, drops a field or a part of it that the engine does not support, even if it is invalid: %s, %j [R109 R112 I219]',
  async (label, field, value) => {
    const order = { model: ENGINES[label].model, prompt: UNRENDERED, [field]: value };
    const { status, headers } = await ana.post(VIDEOS, order);
    expect(status).toBe(202);
    expect(headers.get('svc-emulator-dropped')).toBe(label === 'N' ? 'references.1' : field);
  },
);

it.each<[string, string, unknown]>([
  [ENGINES.M.model, 'seed', -1],
  [ENGINES.M.model, 'seed', 1.5],
  [ENGINES.M.model, 'seed', 4_294_967_296],
  [OWN, 'duration', '7s'],
  [ENGINES.D.model, 'negative_prompt', 'a\ud83d'],
  [ENGINES.D.model, 'negative_prompt', 'x'.repeat(10_001)],
])('rejects with engine %s, which supports the field, a video whose %s is %j [I219 I050]', (model, field, value) =>
  expectScenario(here, {
    ...{ send: `POST ${VIDEOS}`, body: { model, prompt: UNRENDERED, [field]: value }, error: { field } },
  }),
);

it.each([0, 4_294_967_295])('accepts a video with the seed %i [I050 R109]', async (seed) => {
  const { body, headers } = await ana.post(VIDEOS, { model: ENGINES.M.model, prompt: UNRENDERED, seed });
  expect(body.seed).toBe(seed);
  expect(headers.get('svc-emulator-dropped')).toBeNull();
});

it.each([true, false, undefined])(
  'uses the value of audio with an engine that has that choice, or true if there is none: %j [I113]',
  async (audio) => {
    const { body, headers } = await ana.post(VIDEOS, { model: ENGINES.N.model, prompt: UNRENDERED, audio });
    expect(body.audio).toBe(audio ?? true);
    expect(headers.get('svc-emulator-dropped')).toBeNull();
  },
);

const elsewhere = await openReceiver();

it('reads reference images from data URLs and its own CDN URLs, and fetches no others [R161 I117]', async () => {
  const ana = await here.account({ credits: 500 });
  const stored = await ana.post('/images/generations', { prompt: 'a pier', store: true });
  const signed = await ana.post('/images/generations', { prompt: 'a pier', response_format: 'url' });
  const references = [PICTURE, stored.body.data[0].url, signed.body.data[0].url, `${elsewhere.origin}/a.png`];
  const order = { model: ENGINES.M.model, prompt: 'a pier', resolution: '480p', references };
  const made = await ana.made(VIDEOS, { ...order, end_reference: `${elsewhere.origin}/b.png` });
  expect(made.body.status).toBe('succeeded');
  expect(made.body.references).toEqual(references.slice(1));
  expect(made.body.end_reference).toBe(`${elsewhere.origin}/b.png`);
  expect(elsewhere.connections).toBe(0);
});

const NO_URL = 'must be a data URL or an http(s) URL';
const NO_DATA = 'must be a data URL of an image in base64';

it.each([
  ['reference', 'a red boat', NO_URL],
  ['reference', 'file:///etc/passwd', NO_URL],
  ['reference', 'http://[bad/x.png', NO_URL],
  ['references.1', 'ftp://example.com/a.png', NO_URL],
  ['reference', 'data:image/png;base64,UElD!AAA', 'contains "!" as character 5. Encode the bytes again'],
  ['reference', 'data:image/png;base64,UElDaQ', 'has 6 characters, which is not a multiple of 4.'],
  ['reference', 'data:image/png;base64,UE==UElD', 'contains "=" as character 4.'],
  ['reference', 'data:image/png;base64,====', 'has too much padding.'],
  ['reference', 'data:image/png;base64,', 'is empty. Encode'],
  ['end_reference', 'data:image/png,abc', 'as in data:image/png;base64,…, not '],
  ['reference', 'data:text/plain;base64,UElD', NO_DATA],
  ['reference', 'data:image/png;base64', NO_DATA],
  ['end_reference', 'data:image/png;base64,UElD', 'which cannot be read as an image. The image is not a PNG'],
  [
    'reference',
    `${here.url}/cdn/objects/obj_000000000000000000000000/a.png`,
    'which cannot be read as an image. There is no file at',
  ],
  ['reference', `${here.url}/cdn/library/lib_0/p.png`, 'which cannot be read as an image. The signature of this URL'],
])('rejects a video whose %s is %j, and charges and renders nothing [R161 I006]', async (field, url, says) => {
  const given = field === 'references.1' ? { references: [PICTURE, url] } : { [field]: url };
  const body = { model: ENGINES.M.model, prompt: 'x', ...given };
  const { body: answer } = await playScenario(here, { send: `POST ${VIDEOS}`, body, error: { field, says: '' } });
  expect(answer.error.message).toContain(says);
});

it.each<[Label, string, number, object]>([
  ['F', 'a reference', 5, { reference: PICTURE }],
  ['F', 'two references', 10, { references: [PICTURE, PICTURE] }],
  ['F', 'four references, of which it takes three,', 15, { references: [PICTURE, PICTURE, PICTURE, PICTURE] }],
  ['F', 'a last frame', 0, { end_reference: PICTURE }],
  ['K', 'both frames', 0, { reference: PICTURE, end_reference: PICTURE }],
  ['L', 'a starting image', 5, { reference: PICTURE }],
  ['L', 'two references, of which it takes one,', 5, { references: [PICTURE, PICTURE] }],
  ['L', 'a last frame, which it drops,', 0, { end_reference: PICTURE }],
  ['L', 'nothing', 0, {}],
  ['A', 'two references', 0, { references: [PICTURE, PICTURE] }],
])('charges with engine %s for %s %i more credits [R106 R107 I055 I118]', async (label, _what, extra, pictures) => {
  const ana = await here.account({ credits: 500 });
  const { model, rate, lengths } = ENGINES[label];
  const { body } = await ana.post(VIDEOS, { model, prompt: UNRENDERED, ...pictures });
  expect(body.credits).toBe(rate * lengths[0] + extra);
});

it.each<Label>(['G', 'K', 'L', 'N'])(
  'uses with engine %s the first of references as the first frame, and drops the others [I177]',
  async (label) => {
    const ana = await here.account({ credits: 500 });
    const { model } = ENGINES[label];
    const order = { model, prompt: UNRENDERED, references: [PICTURE, PICTURE] };
    const { body, headers } = await ana.post(VIDEOS, order);
    expect(body.reference).toBe('data:image/png;base64,…');
    expect(body).not.toHaveProperty('references');
    expect(headers.get('svc-emulator-dropped')).toBe('references.1');
  },
);

it.each<Label>(['G', 'K'])('renders with engine %s from the prompt if there is no image [I116]', async (label) => {
  const ana = await here.account({ credits: 500 });
  const order = { model: ENGINES[label].model, prompt: 'a meadow', resolution: '480p', negative_prompt: 'people' };
  expect((await ana.made(VIDEOS, order)).body.status).toBe('succeeded');
  const [entry] = await ana.library();
  expect(entry?.recipe).not.toHaveProperty('negative_prompt');
});

it('renders a video from an image without a prompt [R074 R111]', async () => {
  const ana = await here.account({ credits: 500 });
  const order = { model: ENGINES.M.model, reference: PICTURE, resolution: '480p' };
  const { body } = await ana.made(VIDEOS, order);
  expect([body.status, body.prompt]).toEqual(['succeeded', '']);
});
