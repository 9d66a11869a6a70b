import { expect, it } from 'vitest';
import { expectError } from '../../../support/wire.ts';
import { world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const ana = await here.account({ plan: 'studio', credits: 1_000_000 });

const order = (model: string, seconds?: unknown) => ana.post(VIDEOS, { model, prompt: UNRENDERED, seconds });

it.each<[Label, string]>([
  ['A', 'R075 R104 R105'],
  ['B', 'R077 R244'],
  ['C', 'R079'],
  ['D', 'R081'],
  ['E', 'R083'],
  ['F', 'R085'],
  ['G', 'R087'],
  ['H', 'R089 R244 I054'],
  ['I', 'R091 I054'],
  ['J', 'R092 I054'],
  ['K', 'R094'],
  ['L', 'R096'],
  ['M', 'R098 R104 R105'],
  ['N', 'R100 R244'],
  ['O', 'R102'],
])('engine %s takes its lengths at its rate, and none shorter or longer [%s]', async (label, _rules) => {
  const { model, lengths, rate } = ENGINES[label];
  const [shortest, longest] = [lengths[0], lengths.at(-1) ?? 0];
  const between = lengths.length === 3 ? [6] : [shortest + 1, longest - 1];
  for (const seconds of [shortest, ...between, longest]) {
    const { status, body } = await order(model, seconds);
    expect([status, body.seconds, body.credits]).toEqual([202, seconds, rate * seconds]);
    expect(body.usage.credits_spent).toBe(rate * seconds);
  }
  const refused = lengths.length === 3 ? [3, 5, 7, 9] : [shortest - 1, longest + 1];
  for (const seconds of refused) {
    const { status, body } = await order(model, seconds);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'seconds']);
    expect(body.error.message).toContain(`${shortest}`);
  }
});

it.each(Object.entries(ENGINES))(
  'engine %s makes its shortest clip unless asked for another [I053]',
  async (_label, row) => {
    const { body } = await order(row.model);
    expect([body.seconds, body.credits]).toEqual([row.lengths[0], row.rate * row.lengths[0]]);
  },
);

it.each([
  [5, 60],
  [7, 60],
  [10, 60],
])('the own engine makes a clip of %i seconds for a flat %i credits [R069 R070]', async (seconds, credits) => {
  const { status, body } = await order(OWN, seconds);
  expect([status, body.seconds, body.credits, body.usage.credits_spent]).toEqual([202, seconds, credits, credits]);
});

it.each([4, 11, 30])('the own engine makes no clip of %i seconds [R069 R162]', async (seconds) => {
  expectError(await order(OWN, seconds), 400, 'invalid_request', 'seconds');
});

it.each([4.5, '8', true, [4]])('takes no %j for seconds [R162]', async (seconds) => {
  expectError(await order(ENGINES.M.model, seconds), 400, 'invalid_request', 'seconds');
});

it('charges nothing for a length that is refused [R162]', async () => {
  const ben = await here.account();
  await ben.post(VIDEOS, { model: ENGINES.M.model, prompt: UNRENDERED, seconds: 3 });
  expect(await ben.ledger()).toEqual(['grant 50']);
  expect(await ben.jobs()).toEqual([]);
  expect(await ben.events()).toEqual([]);
});
