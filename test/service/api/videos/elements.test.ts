import { expect, it } from 'vitest';
import { flatPicture } from '../../../support/flat-picture.ts';
import { expectScenario } from '../../../support/scenario.ts';
import { type TestAccount, world } from '../../../support/world.ts';
import { ENGINES, type Label, OWN, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const model = ENGINES.M.model;

async function element(account: TestAccount, handle: string, more: object = {}) {
  const order = { account_id: account.id, handle, kind: 'character', name: handle, ...more };
  return here.control('POST', '/elements', order);
}

it('saves a character as an element of its account [I089]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const { status, body } = await element(ana, 'Mira', { name: 'Mira of the Quay' });
  await element(ben, 'mira');
  expect(status).toBe(201);
  expect(body).toEqual({
    ...{ id: expect.stringMatching(/^el_[0-9a-f]{24}$/), account_id: ana.id, handle: 'mira', kind: 'character' },
    ...{ name: 'Mira of the Quay', picture_url: null, voice_url: null, created: expect.any(Number) },
  });
  const { body: list } = await here.control('GET', `/elements?account_id=${ana.id}`);
  expect(list).toEqual({ object: 'list', data: [body] });
});

it.each([
  [{ handle: 'two words' }, 400, 'handle'],
  [{ handle: '' }, 400, 'handle'],
  [{ handle: '@' }, 400, 'handle'],
  [{ handle: 'x'.repeat(33) }, 400, 'handle'],
  [{ handle: undefined }, 400, 'handle'],
  [{ kind: '' }, 400, 'kind'],
  [{ name: 5 }, 400, 'name'],
  [{ image: 'a red boat' }, 400, 'image'],
  [{ account_id: 'acct_0' }, 404, null],
])('rejects the element %j [I089]', async (fields, status, param) => {
  const answer = await element(await here.account(), 'mira', fields);
  expect([answer.status, answer.body.error.param]).toEqual([status, param]);
});

it('accepts elements by id, by handle and by mention in the prompt [R161 R164]', async () => {
  const ana = await here.account();
  const { body: mira } = await element(ana, 'mira');
  await element(ana, 'kit', { kind: 'object' });
  const prompt = `@Mira meets @kit ${UNRENDERED}`;
  const elements = [mira.id, '@KIT', 'mira'];
  const { status, body, headers } = await ana.post(VIDEOS, { model, prompt, elements });
  expect(status).toBe(202);
  expect(body.elements).toEqual(elements);
  expect(headers.get('svc-emulator-warnings')).toBeNull();
  expect(headers.get('svc-emulator-dropped')).toBeNull();
});

it.each([
  [['nobody'], 'elements.0'],
  [['mira', 'el_000000000000000000000000'], 'elements.1'],
  [['mira', 'two words'], 'elements.1'],
  [['mira', 5], 'elements.1'],
])('rejects a video with the elements %j, names %s, and charges nothing [R164 I115]', async (elements, field) => {
  const ana = await here.account();
  await element(ana, 'mira');
  const body = { model, prompt: UNRENDERED, elements };
  await expectScenario(here, { as: ana, send: `POST ${VIDEOS}`, body, error: { field } });
});

it('rejects a video with an element of another account [R164 I115]', async () => {
  const { body: mira } = await element(await here.account(), 'mira');
  const body = { model, prompt: 'x', elements: [mira.id] };
  await expectScenario(here, { send: `POST ${VIDEOS}`, body, error: { field: 'elements.0' } });
});

it.each([
  ['@nobody and @zoe write to me@example.com', ['nobody', 'zoe']],
  ['(@mira), "@mira"; @MIRA!', ['mira']],
  ["@mira's hat. @a_b. @Tom-2", ['mira', 'a_b', 'tom-2']],
  [`@${'x'.repeat(33)} and @${'y'.repeat(32)}`, ['y'.repeat(32)]],
  ['@ mira, @ or @@mira', []],
])('treats unknown handles in %j as plain text, and warns of %j [I115 I172]', async (prompt, unknown) => {
  const ana = await here.account({ credits: 100 });
  const { status, body, headers } = await ana.post(VIDEOS, { model, prompt: `${prompt} ${UNRENDERED}` });
  expect([status, body.prompt]).toEqual([202, `${prompt} a red boat`]);
  const warnings = unknown.map((handle) => `prompt;handle=${handle}`);
  expect(headers.get('svc-emulator-warnings')).toBe(warnings.join() || null);
});

it('warns of an unknown handle in a synchronous video request too [I115]', async () => {
  const ana = await here.account({ credits: 200 });
  const { headers } = await ana.post(VIDEOS, { prompt: `@nobody ${UNRENDERED}` });
  expect(headers.get('svc-emulator-warnings')).toBe('prompt;handle=nobody');
});

const PICTURE = await flatPicture('teal');
const HANDLES = ['ada', 'bo', 'cy', 'di', 'ed', 'flo', 'gus'];

/** An account with this many elements that have an image, and one, `plain`, that has none. */
async function cast(pictured: number): Promise<TestAccount> {
  const account = await here.account({ plan: 'studio', credits: 10_000 });
  for (const handle of HANDLES.slice(0, pictured)) {
    await element(account, handle, { image: PICTURE });
  }
  await element(account, 'plain');
  return account;
}

it.each<[Label, string, number, object, string | null]>([
  ['F', 'two elements', 10, { elements: ['ada', 'bo'] }, null],
  ['F', 'one element that the prompt mentions', 5, { prompt: `@ada ${UNRENDERED}` }, null],
  ['F', 'one element without an image', 0, { elements: ['plain'] }, null],
  [
    'F',
    'two elements next to two references',
    15,
    { elements: ['ada', 'bo'], references: [PICTURE, PICTURE] },
    'elements',
  ],
  ['L', 'one element instead of a starting image', 5, { elements: ['ada'] }, null],
  ['L', 'one element next to a starting image', 5, { elements: ['ada'], reference: PICTURE }, 'elements'],
  ['C', 'one element, which it does not show,', 0, { elements: ['ada'] }, 'elements'],
  ['M', 'seven elements, of which it shows six,', 0, { elements: HANDLES }, 'elements'],
])(
  'charges with engine %s for the images of %s %i more credits [R106 I220]',
  async (label, _what, extra, fields, dropped) => {
    const account = await cast(HANDLES.length);
    const { rate, lengths, ...engine } = ENGINES[label];
    const { status, body, headers } = await account.post(VIDEOS, {
      model: engine.model,
      prompt: UNRENDERED,
      ...fields,
    });
    expect(status).toBe(202);
    expect(body.credits).toBe(rate * lengths[0] + extra);
    expect(headers.get('svc-emulator-dropped')).toBe(dropped);
  },
);

it('names the field elements as dropped for a synchronous video whose prompt mentions seven elements with images, at the usual price [I220]', async () => {
  const account = await cast(HANDLES.length);
  const prompt = `${HANDLES.map((handle) => `@${handle}`).join(' ')} ${UNRENDERED}`;
  const { headers } = await account.post(VIDEOS, { model: OWN, prompt });
  expect(headers.get('svc-emulator-dropped')).toBe('elements');
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 9950', 'charge -100', 'refund 100']);
});
