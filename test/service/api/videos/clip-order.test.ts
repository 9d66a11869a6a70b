import { expect, it } from 'vitest';
import { flatPicture } from '../../../support/flat-picture.ts';
import { openReceiver } from '../../../support/receiver.ts';
import { expectScenario, playScenario } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const SEND = `POST ${VIDEOS}`;
const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });
await here.control('POST', '/elements', { account_id: ana.id, handle: 'lamp', kind: 'object', name: 'Lamp' });

/** A failing video shows its form by its status: 502 from a synchronous call, 202 for a job. */
it.each([
  ['a prompt alone', 502, {}],
  ["the service's own engine", 502, { model: OWN }],
  ['a duration', 502, { duration: '10s' }],
  ['store', 502, { store: true }],
  ["the service's own engine, duration and store", 502, { model: OWN, duration: '5s', store: true }],
  ['empty lists', 502, { elements: [], references: [] }],
  ['fields that are null', 502, { model: null, reference: null, seconds: null, seed: null, references: null }],
  ['an empty model', 502, { model: '' }],
  ['an empty reference', 502, { reference: '' }],
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

const [C, D, M] = [ENGINES.C.model, ENGINES.D.model, ENGINES.M.model];

it.each<[object, string, string]>([
  [{}, 'prompt', 'R157'],
  [{ prompt: null }, 'prompt', 'R157'],
  [{ prompt: '' }, 'prompt', 'R157'],
  [{ prompt: 5 }, 'prompt', 'I006'],
  [{ seconds: 5 }, 'prompt', 'I006'],
  [{ prompt: 'x'.repeat(10_001) }, 'prompt', 'I006'],
  [{ prompt: 'x', negative_prompt: 'x'.repeat(10_001) }, 'negative_prompt', 'I006'],
  [{ model: M, references: [] }, 'prompt', 'I006'],
  [{ prompt: 'x', duration: '7s' }, 'duration', 'R158'],
  [{ prompt: 'x', duration: 5 }, 'duration', 'R158'],
  [{ prompt: 'x', duration: '5s', seconds: 5 }, 'duration', 'I049'],
  [{ prompt: 'x', duration: '10s', seconds: 5, model: OWN }, 'duration', 'I049'],
  [{ prompt: 'x', model: 'svc-image-one' }, 'model', 'I102'],
  [{ prompt: 'x', model: 5 }, 'model', 'I006'],
  [{ prompt: 'x', seconds: 5, elements: 'kit' }, 'elements', 'I006'],
  [{ prompt: 'x', model: M, seed: -1 }, 'seed', 'I050'],
  [{ prompt: 'x', model: M, seed: 1.5 }, 'seed', 'I050'],
  [{ prompt: 'x', model: M, seed: 4_294_967_296 }, 'seed', 'I050'],
  [{ prompt: 'x', model: D, negative_prompt: 'x'.repeat(10_001) }, 'negative_prompt', 'I006'],
  [{ prompt: 'x', model: M, resolution: '4k' }, 'resolution', 'R161 I051'],
  [{ prompt: 'x', model: M, resolution: 720 }, 'resolution', 'R161 I051'],
  [{ prompt: 'x', model: M, aspect: '2:1' }, 'aspect', 'I051'],
  [{ prompt: 'x', model: M, shot: 'x'.repeat(65) }, 'shot', 'R161'],
  [{ prompt: 'x', model: M, shot: 5 }, 'shot', 'R161'],
  [{ prompt: 'x', model: M, lighting: 'x'.repeat(65) }, 'lighting', 'R161'],
  [{ prompt: 'x', model: M, lighting: ['soft'] }, 'lighting', 'R161'],
  [{ prompt: 'x', model: M, store: 'yes' }, 'store', 'I006'],
  [{ prompt: 'x', model: M, seconds: 4.5 }, 'seconds', 'I006'],
  [{ prompt: 'x', model: M, seconds: '8' }, 'seconds', 'I006'],
  // A value of the wrong type is rejected, even if the engine does not support the field.
  [{ prompt: 'x', model: C, audio: 'yes' }, 'audio', 'I162'],
  [{ prompt: 'x', model: C, seed: '7' }, 'seed', 'I162'],
  [{ prompt: 'x', model: C, duration: 5 }, 'duration', 'I162'],
  [{ prompt: 'x', model: C, negative_prompt: 7 }, 'negative_prompt', 'I162'],
  [{ prompt: 'x', model: C, end_reference: 7 }, 'end_reference', 'I162'],
  [{ prompt: 'x', model: C, reference: ['x'] }, 'reference', 'I162'],
  [{ prompt: 'x', model: C, references: 'x' }, 'references', 'I162'],
  [{ prompt: 'x', model: C, references: [7] }, 'references.0', 'I162'],
])('rejects a video request with %j, names %s, and charges nothing [%s]', (body, field, _rules) =>
  expectScenario(here, { send: SEND, body, error: { field } }),
);

const PICTURE = await flatPicture('teal');

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

const elsewhere = await openReceiver();

it('renders a video with references that are data URLs, its own CDN URLs and URLs of another server, to which it does not connect [R161 I117]', async () => {
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
  ['A', 'two references', 0, { references: [PICTURE, PICTURE] }],
])('charges with engine %s for %s %i more credits [R106 R107 I055 I118]', async (label, _what, extra, pictures) => {
  const ana = await here.account({ credits: 500 });
  const { model, rate, lengths } = ENGINES[label];
  const { body } = await ana.post(VIDEOS, { model, prompt: UNRENDERED, ...pictures });
  expect(body.credits).toBe(rate * lengths[0] + extra);
});

it.each<Label>(['G', 'K', 'L', 'N'])(
  'moves with engine %s the first of two references to the field reference, and drops the other [I177]',
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

it.each<Label>(['G', 'K'])(
  'renders a video with engine %s from the prompt alone if the request has no image [I116]',
  async (label) => {
    const ana = await here.account({ credits: 500 });
    const order = { model: ENGINES[label].model, prompt: 'a meadow', resolution: '480p', negative_prompt: 'people' };
    expect((await ana.made(VIDEOS, order)).body.status).toBe('succeeded');
    const [entry] = await ana.library();
    expect(entry?.recipe).not.toHaveProperty('negative_prompt');
  },
);

it('renders a video from an image without a prompt [R111]', async () => {
  const ana = await here.account({ credits: 500 });
  const order = { model: ENGINES.M.model, reference: PICTURE, resolution: '480p' };
  const { body } = await ana.made(VIDEOS, order);
  expect([body.status, body.prompt]).toEqual(['succeeded', '']);
});
