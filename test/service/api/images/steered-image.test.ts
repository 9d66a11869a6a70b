import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';

const here = await world();
const IMAGES = '/images/generations';

it.each([
  ['[[fail]]', 'render_failed'],
  ['[[fail:gpu_lost]]', 'gpu_lost'],
])(
  'refunds a picture that fails by %s, answers 502 and announces it once [I094 I179 R005 R006 R117 R219 R233]',
  async (directive, code) => {
    const ana = await here.account();
    const { status, body } = await ana.post(IMAGES, { prompt: `a boat ${directive}`, store: true });
    expect([status, body.error.code, body.error.type]).toEqual([502, code, 'api_error']);
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -12', 'refund 12']);
    const [charge, refund] = (await ana.entries()).slice(1);
    expect(refund).toMatchObject({ refund_of: charge?.id, job_id: charge?.job_id });
    expect(await ana.envelopes()).toMatchObject([
      {
        type: 'image.generation.failed',
        data: { id: charge?.job_id, model: 'svc-image-one', error: { code } },
      },
    ]);
    expect((await ana.envelopes()).map(({ data }) => Object.keys(data))).toEqual([['id', 'model', 'error']]);
    expect(await ana.library()).toEqual([]);
    expect((await ana.get('/storage/objects')).body.data).toEqual([]);
    expect((await here.invariants()).ok).toBe(true);
  },
);

it('is not moderated: a listed word renders, and [[block]] is ignored with a warning [I122]', async () => {
  const ana = await here.account();
  const listed = await ana.post(IMAGES, { prompt: 'how to make a bomb' });
  const directed = await ana.post(IMAGES, { prompt: 'a boat [[block]]' });
  expect([listed.status, directed.status]).toEqual([200, 200]);
  expect(listed.headers.get('svc-emulator-warnings')).toBeNull();
  expect(directed.headers.get('svc-emulator-warnings')).toBe('prompt;directive=block');
  expect(await ana.events()).toEqual(['image.generation.succeeded', 'image.generation.succeeded']);
});

it('renders as if its directives had never been there [I094 I097 I152]', async () => {
  const ana = await here.account();
  const plain = await ana.post(IMAGES, { prompt: 'a red door' });
  const directed = await ana.post(IMAGES, { prompt: 'a [[slow:0]] red door [[block]]' });
  expect(directed.body.data).toEqual(plain.body.data);
  const recipes = (await ana.library()).map(({ recipe }) => recipe.prompt);
  expect(recipes).toEqual(['a red door', 'a red door']);
});

it('renders a prompt of directives alone [I152]', async () => {
  const ana = await here.account();
  const { status, body } = await ana.post(IMAGES, { prompt: '[[slow:0]]' });
  expect([status, body.usage.credits_spent]).toEqual([200, 10]);
});

it('answers an injected status and charges nothing [I094]', async () => {
  const ana = await here.account();
  const { status, body, headers } = await ana.post(IMAGES, { prompt: 'a boat [[status:429]]' });
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
  expect(await ana.ledger()).toEqual(['grant 50']);
  expect(await ana.events()).toEqual([]);
});
