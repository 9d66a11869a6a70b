import { expect, it } from 'vitest';
import { expectScenario, scenarios } from '../../../support/scenario.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const SEND = `POST ${VIDEOS}`;
const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });
await here.control('POST', '/elements', { account_id: ana.id, handle: 'lamp', kind: 'object', name: 'Lamp' });

/** A clip that fails tells its form by how it fails: the call itself, or the job it became. */
it.each([
  ['a prompt alone', {}, 502],
  ['the own engine', { model: OWN }, 502],
  ['a duration', { duration: '10s' }, 502],
  ['store', { store: true }, 502],
  ['the own engine, duration and store', { model: OWN, duration: '5s', store: true }, 502],
  ['empty lists of form 2', { elements: [], references: [] }, 502],
  ['form 2 fields that are null', { seconds: null, seed: null, references: null }, 502],
  ['an unknown field', { fps: 24 }, 502],
  ['another engine', { model: ENGINES.M.model }, 202],
  ['another engine and a duration', { model: ENGINES.M.model, duration: '5s' }, 202],
  ['seconds', { seconds: 5 }, 202],
  ['resolution', { resolution: '768p' }, 202],
  ['aspect', { aspect: '16:9' }, 202],
  ['shot', { shot: 'pan' }, 202],
  ['lighting', { lighting: 'soft' }, 202],
  ['elements', { elements: ['@lamp'] }, 202],
  ['audio', { audio: true }, 202],
  ['reference', { reference: 'https://example.com/a.png' }, 202],
  ['references', { references: ['https://example.com/a.png'] }, 202],
  ['end_reference', { end_reference: 'https://example.com/a.png' }, 202],
  ['seed', { seed: 1 }, 202],
  ['negative_prompt', { negative_prompt: 'fog' }, 202],
])('reads a request with %s as its form [R160 R161 R165 I048 I109 I217]', async (_what, fields, expected) => {
  const { status, body } = await ana.post(VIDEOS, { prompt: UNRENDERED, ...fields });
  expect(status).toBe(expected);
  if (expected === 202) expect(body.id).toMatch(/^job_[0-9a-f]{24}$/);
});

it.each([[{ duration: '5s', seconds: 5 }], [{ duration: '10s', seconds: 5, model: ENGINES.M.model }]])(
  'refuses duration together with seconds: %j [I049]',
  (fields) =>
    expectScenario(here, { send: SEND, body: { prompt: UNRENDERED, ...fields }, error: { field: 'duration' } }),
);

it('drops a duration for another engine [I049]', async () => {
  const order = { model: ENGINES.M.model, prompt: UNRENDERED, duration: '10s' };
  const { body, headers } = await ana.post(VIDEOS, order);
  expect([body.seconds, headers.get('svc-emulator-dropped')]).toEqual([4, 'duration']);
  expect(body).not.toHaveProperty('duration');
});

it.each([
  ['5s', 5],
  ['10s', 10],
])(
  'takes a duration of %s for the seconds of the own engine beside form 2 fields [I110]',
  async (duration, seconds) => {
    const { body, headers } = await ana.post(VIDEOS, {
      prompt: UNRENDERED,
      aspect: '9:16',
      duration,
    });
    expect([body.seconds, body.credits]).toEqual([seconds, 60]);
    expect(headers.get('svc-emulator-dropped')).toBeNull();
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
])('refuses %j, and charges nothing [R157 R158 I006 I102]', (body, field) =>
  expectScenario(here, { send: SEND, body, error: { field } }),
);

scenarios(
  here,
  { send: SEND },
  {
    'knows no other engine [R065]': {
      ...{ body: { prompt: 'x', model: 'vid_22222222' }, status: 404 },
      error: { code: 'model_not_found', field: 'model' },
    },
  },
);
