import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';

const here = await world();
const IMAGES = '/images/generations';
const NULLS = {
  prompt: 'x',
  model: null,
  negative_prompt: null,
  cfg_scale: null,
  store: null,
  response_format: null,
};

it.each([
  [{}, 'prompt', 'R149'],
  [{ prompt: null }, 'prompt', 'R149'],
  [{ prompt: '' }, 'prompt', 'R149'],
  [{ prompt: 7 }, 'prompt', 'R149'],
  [{ prompt: ['a boat'] }, 'prompt', 'R149'],
  [{ prompt: 'x'.repeat(2401) }, 'prompt', 'R150'],
  [{ prompt: '🚤'.repeat(2401) }, 'prompt', 'R150'],
  [{ prompt: 'a pier', negative_prompt: 'x'.repeat(2401) }, 'negative_prompt', 'R152'],
  [{ prompt: 'x', negative_prompt: 3 }, 'negative_prompt', 'R152'],
  [{ prompt: 'x', negative_prompt: ['fog'] }, 'negative_prompt', 'R152'],
  [{ prompt: 'x', cfg_scale: 0.99 }, 'cfg_scale', 'R153'],
  [{ prompt: 'x', cfg_scale: 20.01 }, 'cfg_scale', 'R153'],
  [{ prompt: 'x', cfg_scale: '7' }, 'cfg_scale', 'R153'],
  [{ prompt: 'x', store: 'true' }, 'store', 'R154'],
  [{ prompt: 'x', response_format: 'png' }, 'response_format', 'R155'],
  [{ prompt: 'x', model: 3 }, 'model', 'R151'],
  [{ prompt: 'x', model: 'svc-rp-plus' }, 'model', 'R151'],
  [{ prompt: 'x', model: 'svc-motion-one' }, 'model', 'R151'],
])('refuses %j, naming %s [%s]', async (order, param, _rules) => {
  const ana = await here.account();
  const { status, body } = await ana.post(IMAGES, order);
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param]);
  expect(body.error.message).toContain(param);
  expect(await ana.ledger()).toEqual(['grant 50']);
  expect(await ana.events()).toEqual([]);
});

it('knows no other picture model [R151]', async () => {
  const ana = await here.account();
  const { status, body } = await ana.post(IMAGES, { prompt: 'x', model: 'svc-image-two' });
  expect([status, body.error.code, body.error.param]).toEqual([404, 'model_not_found', 'model']);
  expect(body.error.message).toContain('svc-image-one');
  expect(await ana.ledger()).toEqual(['grant 50']);
});

it.each([
  ['2,400 letters', { prompt: 'x'.repeat(2400) }],
  ['2,400 code points of two units each', { prompt: '🚤'.repeat(2400) }],
  ['2,400 letters beside a directive', { prompt: `${'x'.repeat(2400)} [[slow:0]]` }],
  ['a cfg_scale of 1', { prompt: 'x', cfg_scale: 1 }],
  ['a cfg_scale of 20', { prompt: 'x', cfg_scale: 20 }],
  ['its model by name', { prompt: 'x', model: 'svc-image-one' }],
  ['null for every optional field', NULLS],
])('takes %s [R150 R151 R152 R153 I098 I103]', async (_what, order) => {
  const ana = await here.account();
  const { status, body } = await ana.post(IMAGES, order);
  expect(status).toBe(200);
  expect(body.usage.credits_spent).toBe(10);
});
