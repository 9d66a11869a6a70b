import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/engine/webhooks/event-schemas.ts';
import { expectError } from '../support/wire.ts';
import { World, world } from '../support/world.ts';

const emulator = await world();
const TYPE = 'image.generation.succeeded';

it('makes an endpoint for any workspace without a key, and shows its secret once [I090]', async () => {
  const account = await emulator.account();
  const order = { url: 'http://127.0.0.1:9/', workspace_id: account.workspaceId };
  const made = await emulator.control('POST', '/endpoints', { ...order, events: [TYPE] });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ ...order, events: [TYPE], secret: expect.any(String) });
  const listed = await emulator.control('GET', `/endpoints?account_id=${account.id}`);
  const { secret: _, ...known } = made.body;
  expect(listed.body.data).toEqual([known]);
  expect((await account.get('/webhooks')).body.webhooks).toHaveLength(1);

  const removed = await emulator.control('DELETE', `/endpoints/${made.body.id}`);
  expect(removed.status).toBe(204);
  expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('sends every type of event to an inbox, and shows event, delivery and inbox by themselves [I090 I091]', async () => {
  const account = await emulator.account();
  const order = { inbox: 'mine', workspace_id: account.workspaceId };
  const { body: endpoint } = await emulator.control('POST', '/endpoints', order);
  expect(endpoint.events).toEqual(EVENT_TYPES);
  const trigger = { type: TYPE, workspace_id: account.workspaceId };
  const { id } = (await emulator.control('POST', '/events/trigger', trigger)).body;
  const final = await emulator.wait(`delivery:${TYPE}`, { account_id: account.id });
  const { for: _, ...delivery } = final.body;
  expect(delivery).toMatchObject({ event_id: id, status: 'delivered', endpoint_id: endpoint.id });
  expect((await emulator.control('GET', `/deliveries/${delivery.id}`)).body).toMatchObject(delivery);
  expect((await emulator.control('GET', `/events/${id}`)).body).toMatchObject({ id, type: TYPE });
  const { data } = (await emulator.control('GET', '/inbox')).body;
  expect(data).toEqual([{ name: 'mine', messages: 1, created: expect.any(Number) }]);
});

it('reaches its inbox beyond loopback too [I091 I095]', async () => {
  const { emulator: far } = await world({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' });
  const near = new World({ ...far, url: far.url.replace('0.0.0.0', '127.0.0.1') });
  const ask = (method: string, path: string, body?: object) =>
    near.call(method, `/_emulator${path}`, body, { authorization: 'Bearer a-token-of-the-test' });
  expect((await ask('POST', '/endpoints', { inbox: 'mine' })).status).toBe(201);
  await ask('POST', '/events/trigger', { type: TYPE });
  const { body } = await ask('GET', `/wait?for=delivery:${TYPE}`);
  expect([body.status, body.response_status]).toEqual(['delivered', 200]);
});

it.each([
  ['neither URL nor inbox', {}, 'url'],
  ['both of them', { url: 'http://127.0.0.1:9/', inbox: 'mine' }, 'url'],
  ['a name that is none', { inbox: 'a b' }, 'inbox'],
  ['no type of event', { inbox: 'mine', events: [] }, 'events'],
])('refuses an endpoint of %s, naming the field [I006]', async (_, order, param) => {
  const answer = await emulator.control('POST', '/endpoints', order);
  expectError(answer, 400, 'invalid_request');
  expect(answer.body.error.param).toBe(param);
});
