import { expect, it } from 'vitest';
import { type TestAccount, world } from '../../../support/world.ts';
import { ENGINES, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
const model = ENGINES.M.model;

async function element(account: TestAccount, handle: string, more: object = {}) {
  const order = { account_id: account.id, handle, kind: 'character', name: handle, ...more };
  return here.control('POST', '/elements', order);
}

it('saves a character that is listed for its account [I089]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const { status, body } = await element(ana, 'Mira', { name: 'Mira of the Quay' });
  await element(ben, 'mira');
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^el_[0-9a-f]{24}$/),
    account_id: ana.id,
    handle: 'mira',
    kind: 'character',
    name: 'Mira of the Quay',
    picture_url: null,
    voice_url: null,
    created: expect.any(Number),
  });
  const { body: list } = await here.control('GET', `/elements?account_id=${ana.id}`);
  expect(list).toEqual({ object: 'list', data: [body] });
});

it.each([
  [{ handle: 'two words' }, 400, 'handle'],
  [{ handle: undefined }, 400, 'handle'],
  [{ kind: '' }, 400, 'kind'],
  [{ name: 5 }, 400, 'name'],
  [{ image: 'a red boat' }, 400, 'image'],
  [{ account_id: 'acct_0' }, 404, null],
])('saves no element of %j [I089]', async (fields, status, param) => {
  const answer = await element(await here.account(), 'mira', fields);
  expect([answer.status, answer.body.error.param]).toEqual([status, param]);
});

it('takes elements by id and by handle, and whom the prompt mentions [R161 R164 I115]', async () => {
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
])('refuses the elements %j, naming %s, and charges nothing [R164 I115]', async (elements, param) => {
  const ana = await here.account();
  await element(ana, 'mira');
  const { status, body } = await ana.post(VIDEOS, { model, prompt: UNRENDERED, elements });
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param]);
  expect(await ana.ledger()).toEqual(['grant 50']);
  expect(await ana.jobs()).toEqual([]);
});

it("does not know another account's elements [R164 I115]", async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const { body: mira } = await element(ana, 'mira');
  const { status, body } = await ben.post(VIDEOS, { model, prompt: 'x', elements: [mira.id] });
  expect([status, body.error.param]).toEqual([400, 'elements.0']);
});

it('reads an unknown handle as plain text, with a warning, and a mail address as none [R164 I115 I172]', async () => {
  const ana = await here.account({ credits: 100 });
  const prompt = `@nobody and @zoe write to me@example.com ${UNRENDERED}`;
  const { status, body, headers } = await ana.post(VIDEOS, { model, prompt });
  expect([status, body.prompt]).toEqual([202, '@nobody and @zoe write to me@example.com a red boat']);
  expect(headers.get('svc-emulator-warnings')).toBe('prompt;handle=nobody,prompt;handle=zoe');
});

it('warns of an unknown handle in the synchronous form too [I115]', async () => {
  const ana = await here.account({ credits: 200 });
  const { headers } = await ana.post(VIDEOS, { prompt: `@nobody ${UNRENDERED}` });
  expect(headers.get('svc-emulator-warnings')).toBe('prompt;handle=nobody');
});

it('makes another clip of a prompt whose handle means somebody [R164]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  await element(ana, 'mira', { name: 'Mira' });
  const order = { model, prompt: 'a portrait of @mira', resolution: '480p' };
  const known = await ana.made(VIDEOS, order);
  const unknown = await ben.made(VIDEOS, order);
  const clips = [known, unknown].map(({ body }) => here.call('GET', body.result_url));
  const [one, two] = (await Promise.all(clips)).map(({ headers }) => headers.get('etag'));
  expect(one).not.toBe(two);
  expect(known.body.seed).toBe(unknown.body.seed);
});
