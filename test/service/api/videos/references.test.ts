import { expect, it } from 'vitest';
import { flatPicture } from '../../../support/flat-picture.ts';
import { openReceiver } from '../../../support/receiver.ts';
import { expectScenario, scenarios } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const elsewhere = await openReceiver();
const PICTURE = await flatPicture('teal');

it('reads data URLs and its own CDN URLs, and never fetches another [R161 I117]', async () => {
  const ana = await here.account({ credits: 500 });
  const stored = await ana.post('/images/generations', { prompt: 'a pier', store: true });
  const signed = await ana.post('/images/generations', {
    prompt: 'a pier',
    response_format: 'url',
  });
  const references = [PICTURE, stored.body.data[0].url, signed.body.data[0].url, `${elsewhere.origin}/a.png`];
  const order = { model: ENGINES.M.model, prompt: 'a pier', resolution: '480p', references };
  const made = await ana.made(VIDEOS, { ...order, end_reference: `${elsewhere.origin}/b.png` });
  expect(made.body.status).toBe('succeeded');
  expect(made.body.references).toEqual(references.slice(1));
  expect(made.body.end_reference).toBe(`${elsewhere.origin}/b.png`);
  expect(elsewhere.connections).toBe(0);
});

it.each([
  ['reference', 'a red boat'],
  ['reference', ''],
  ['reference', 'file:///etc/passwd'],
  ['reference', 'data:image/png;base64,***'],
  ['reference', 'data:text/plain;base64,UElD'],
  ['references.1', 'ftp://example.com/a.png'],
  ['end_reference', 'data:image/png,abc'],
])('refuses a %s of %j, charges nothing and renders nothing [R161 I006]', (field, url) => {
  const given = field === 'references.1' ? { references: [PICTURE, url] } : { [field]: url };
  const body = { model: ENGINES.M.model, prompt: 'x', ...given };
  return expectScenario(here, { send: `POST ${VIDEOS}`, body, error: { field } });
});

scenarios(
  here,
  { send: `POST ${VIDEOS}` },
  {
    'refuses an own CDN URL that leads nowhere [R161]': {
      body: { model: OWN, prompt: 'x', reference: `${here.url}/cdn/objects/obj_000000000000000000000000/a.png` },
      error: { field: 'reference' },
    },
  },
);

it.each<[Label, string, object, number]>([
  ['F', 'a reference', { reference: PICTURE }, 5],
  ['F', 'two references', { references: [PICTURE, PICTURE] }, 10],
  ['F', 'four, of which it takes three', { references: [PICTURE, PICTURE, PICTURE, PICTURE] }, 15],
  ['F', 'a last frame', { end_reference: PICTURE }, 0],
  ['K', 'both frames', { reference: PICTURE, end_reference: PICTURE }, 0],
  ['L', 'a starting image', { reference: PICTURE }, 5],
  ['L', 'two, of which it takes one', { references: [PICTURE, PICTURE] }, 5],
  ['L', 'a last frame, which it drops', { end_reference: PICTURE }, 0],
  ['L', 'nothing', {}, 0],
  ['A', 'two references', { references: [PICTURE, PICTURE] }, 0],
])('engine %s adds for %s: %j %i credits [R106 R107 I055 I118]', async (label, _what, pictures, extra) => {
  const ana = await here.account({ credits: 500 });
  const { model, rate, lengths } = ENGINES[label];
  const { body } = await ana.post(VIDEOS, { model, prompt: UNRENDERED, ...pictures });
  expect(body.credits).toBe(rate * lengths[0] + extra);
});

it.each<Label>(['G', 'K', 'L', 'N'])(
  'engine %s takes the first of references for its starting frame, and drops the others [I177]',
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

it.each<Label>(['G', 'K'])('engine %s renders from its prompt when it gets no image [I116]', async (label) => {
  const ana = await here.account({ credits: 500 });
  const order = { model: ENGINES[label].model, prompt: 'a meadow', resolution: '480p' };
  expect((await ana.made(VIDEOS, order)).body.status).toBe('succeeded');
});

it('animates a picture without a prompt [R074 R111]', async () => {
  const ana = await here.account({ credits: 500 });
  const order = { model: ENGINES.M.model, reference: PICTURE, resolution: '480p' };
  const { body } = await ana.made(VIDEOS, order);
  expect([body.status, body.prompt]).toEqual(['succeeded', '']);
});
