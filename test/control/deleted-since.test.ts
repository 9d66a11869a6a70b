import { expect, it } from 'vitest';
import { fileForm } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world();

/** Makes something of an account; answers its id. */
type Make = (account: TestAccount, n: number) => Promise<string>;

const element: Make = async ({ id }, n) =>
  (await here.control('POST', '/elements', { account_id: id, handle: `e${n}`, kind: 'object', name: 'e' })).body.id;
const flow: Make = async ({ id, workspaceId }) => {
  const steps = [{ nodeId: 'caption', type: 'text', params: { prompt: 'x' } }];
  const order = { account_id: id, workspace_id: workspaceId, name: 'f', steps };
  return (await here.control('POST', '/flows', order)).body.id;
};
const fault: Make = async ({ id }) =>
  (await here.control('POST', '/faults', { match: { account_id: id }, effect: { status: 503 } })).body.id;
const endpoint: Make = async (account) =>
  (await account.post('/webhooks', { url: 'http://127.0.0.1:9/', events: ['image.generation.failed'] })).body.id;
const entry: Make = async (account, n) => {
  await account.post('/images/generations', { prompt: `picture ${n}` });
  return (await account.library()).at(-1)?.id;
};
const object: Make = async (account) => (await account.post('/storage/objects', fileForm())).body.id;

it.each([
  ['elements', element],
  ['flows', flow],
  ['faults', fault],
  ['endpoints', endpoint],
  ['library', entry],
  ['objects', object],
])('the list of %s goes on after an id that was deleted since [I216]', async (list, make) => {
  const account = await here.account({ credits: 100 });
  const ids = [];
  for (const n of [1, 2, 3, 4]) ids.push(await make(account, n));
  const [oldest, second, third] = ids as [string, string, string, string];
  const gone =
    list === 'objects' ? account.delete(`/storage/objects/${third}`) : here.control('DELETE', `/${list}/${third}`);
  expect((await gone).status).toBeLessThan(300);
  const after = (id: string) => here.control('GET', `/${list}?account_id=${account.id}&after=${id}`);
  const rest = await after(third);
  expect(rest.body.data.map(({ id }: { id: string }) => id)).toEqual([second, oldest]);
  expect((await after(`${third}0`)).status).toBe(400);
});

it('the service’s list of objects goes on after a deleted one of the account, and of no other [I216]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const [oldest, gone] = [await object(ana, 1), await object(ana, 2)];
  await ana.delete(`/storage/objects/${gone}`);
  const { body } = await ana.get(`/storage/objects?after=${gone}`);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual([oldest]);
  expect((await ben.get(`/storage/objects?after=${gone}`)).status).toBe(400);
});

it('the list of fixtures goes on after one that was removed since [I216]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const make = async ({ id }: TestAccount) => {
    const fixtures = [{ match: { account_id: id }, answer: { text: 'x' } }];
    return (await here.control('POST', '/fixtures', { fixtures })).body.data[0].id;
  };
  const [first, gone, second, newest] = [await make(ben), await make(ana), await make(ben), await make(ana)];
  expect((await here.control('DELETE', `/fixtures?account_id=${ana.id}`)).status).toBe(204);
  expect(await listed(`/fixtures?after=${newest}`)).toEqual([second, first]);
  expect(await listed(`/fixtures?after=${gone}`)).toEqual([first]);
  expect(await listed(`/fixtures?after=${gone}&account_id=${ana.id}`)).toEqual([]);
  for (const query of [`after=${gone}&account_id=${ben.id}`, `after=${gone}0`]) {
    expect((await here.control('GET', `/fixtures?${query}`)).status).toBe(400);
  }
  await here.control('DELETE', `/fixtures?account_id=${ben.id}`);
});

it('the list of keys goes on after one that was revoked since [I216]', async () => {
  const { id } = await here.account();
  for (const _ of [1, 2, 3]) await here.control('POST', `/accounts/${id}/keys`);
  const keys = `/accounts/${id}/keys`;
  const ids = await listed(keys);
  expect((await here.control('DELETE', `/keys/${ids[1]}`)).status).toBe(204);
  expect(await listed(`${keys}?after=${ids[1]}`)).toEqual(ids.slice(2));
});

it('an inbox goes on after a message that it holds no more, in its list and for who waits [I216]', async () => {
  const send = async (text: string, inbox = 'emptied') =>
    (await here.call('POST', `/_emulator/inbox/${inbox}`, text)).body.id;
  const [gone, elsewhere] = [await send('gone'), await send('elsewhere', 'another')];
  await here.control('DELETE', '/inbox/emptied/messages');
  const next = await send('next');
  expect(await listed('/inbox/emptied/messages')).toEqual([next]);
  expect(await listed(`/inbox/emptied/messages?after=${gone}`)).toEqual([]);
  expect((await here.wait('inbox:emptied', { after: gone, timeout: 0 })).body).toMatchObject({ id: next });
  for (const none of [elsewhere, `${gone}0`]) {
    expect((await here.control('GET', `/inbox/emptied/messages?after=${none}`)).status).toBe(400);
  }
});

async function listed(list: string): Promise<string[]> {
  const { body } = await here.control('GET', list);
  return body.data.map(({ id }: { id: string }) => id);
}
