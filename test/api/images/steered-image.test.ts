import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

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

it('fails nothing for a take that it does not have, and says so [I094 I152]', async () => {
  const ana = await here.account();
  const { status, headers } = await ana.post(IMAGES, { prompt: 'a boat [[fail:take=2]]' });
  expect([status, headers.get('svc-emulator-warnings')]).toEqual([200, 'prompt;directive=fail:take=2']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10']);
  expect(await ana.events()).toEqual(['image.generation.succeeded']);
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

it('starts nothing that the balance does not cover [R121 R235 I010]', async () => {
  const ana = await here.account({ credits: 11 });
  const { status, body } = await ana.post(IMAGES, { prompt: 'a boat', store: true });
  expect([status, body.error.code, body.error.type]).toEqual([402, 'insufficient_credits', 'insufficient_credits']);
  expect(body.error.message).toMatch(/12.*11/);
  expect(await ana.ledger()).toEqual(['grant 11']);
  expect(await ana.jobs()).toEqual([]);
  expect(await ana.events()).toEqual([]);
});

it('answers a slow picture when the clock has come so far, and not before [I094 I124]', async () => {
  const ana = await here.account();
  let answered = false;
  const slow = ana.post(IMAGES, { prompt: 'a snail [[slow:3600]]' }).then((answer) => {
    answered = true;
    return answer;
  });
  await ana.ordered();
  await here.advance(3599);
  expect(answered).toBe(false);
  expect(await ana.events()).toEqual([]);
  await here.advance(1);
  expect((await slow).status).toBe(200);
  expect(await ana.events()).toEqual(['image.generation.succeeded']);
});

it('goes on when its caller hangs up, and stays charged [I173]', async () => {
  const ana = await here.account();
  const caller = new AbortController();
  const call = fetch(`${here.url}/v1${IMAGES}`, {
    method: 'POST',
    headers: { ...ana.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a boat [[slow:60]]' }),
    signal: caller.signal,
  }).catch((error: Error) => error.name);
  await ana.ordered();
  caller.abort();
  expect(await call).toBe('AbortError');
  await here.advance(60);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -10']);
  expect(await ana.events()).toEqual(['image.generation.succeeded']);
});
