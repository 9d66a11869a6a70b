import { expect, it } from 'vitest';
import { flatPicture } from '../../../support/flat-picture.ts';
import { type TestAccount, world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const PICTURE = await flatPicture('teal');
const HANDLES = ['ada', 'bo', 'cy', 'di', 'ed', 'flo', 'gus'];

/** An account with so many elements that have a picture, and one, `plain`, that has none. */
async function cast(pictured: number): Promise<TestAccount> {
  const account = await here.account({ plan: 'studio', credits: 10_000 });
  const order = { account_id: account.id, kind: 'character' };
  for (const handle of HANDLES.slice(0, pictured)) {
    await here.control('POST', '/elements', { ...order, handle, name: handle, image: PICTURE });
  }
  await here.control('POST', '/elements', { ...order, handle: 'plain', name: 'Plain' });
  return account;
}

it.each<[Label, string, object, number, string | null]>([
  ['F', 'two elements', { elements: ['ada', 'bo'] }, 10, null],
  ['F', 'one whom the prompt mentions', { prompt: `@ada ${UNRENDERED}` }, 5, null],
  ['F', 'one who has no picture', { elements: ['plain'] }, 0, null],
  ['F', 'two after two references', { elements: ['ada', 'bo'], references: [PICTURE, PICTURE] }, 15, 'elements'],
  ['L', 'one in place of a starting image', { elements: ['ada'] }, 5, null],
  ['L', 'one after a starting image', { elements: ['ada'], reference: PICTURE }, 5, 'elements'],
  ['C', 'one, which takes no picture', { elements: ['ada'] }, 0, 'elements'],
  ['M', 'seven, of whom it shows six', { elements: HANDLES }, 0, 'elements'],
])('engine %s counts the pictures of %s: %j [R106 I220]', async (label, _what, fields, extra, dropped) => {
  const account = await cast(HANDLES.length);
  const { model, rate, lengths } = ENGINES[label];
  const { status, body, headers } = await account.post(VIDEOS, { model, prompt: UNRENDERED, ...fields });
  expect(status).toBe(202);
  expect(body.credits).toBe(rate * lengths[0] + extra);
  expect(headers.get('svc-emulator-dropped')).toBe(dropped);
});

it('names the picture that the synchronous form leaves out, and charges what it always does [I220]', async () => {
  const account = await cast(HANDLES.length);
  const prompt = `${HANDLES.map((handle) => `@${handle}`).join(' ')} ${UNRENDERED}`;
  const { headers } = await account.post(VIDEOS, { model: OWN, prompt });
  expect(headers.get('svc-emulator-dropped')).toBe('elements');
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 9950', 'charge -100', 'refund 100']);
});

it('does the arithmetic of an element, as explain tells it [I220]', async () => {
  const account = await cast(1);
  const answer = await account.post(VIDEOS, { model: ENGINES.F.model, prompt: UNRENDERED, elements: ['ada'] });
  const told = await here.control('GET', `/explain/${answer.headers.get('x-request-id')}`);
  const [price] = told.body.steps.filter(({ step }: { step: string }) => step === 'price');
  expect(price.sums[0].credits).toBe(answer.body.credits);
  expect(price.sums[0].terms.at(-1)).toMatchObject({ times: 1, credits: 5 });
});
