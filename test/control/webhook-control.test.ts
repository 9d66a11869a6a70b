import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../src/engine/webhooks/event-schemas.ts';
import { subscribe } from '../support/receiver.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('lists an event and its delivery, and delivers the same id and bytes once more [I090 I127]', async () => {
  const account = await emulator.account();
  const events = ['image.generation.succeeded'];
  const { receiver } = await subscribe(account, events);
  await account.post('/images/generations', { prompt: 'a pier' });
  await receiver.received(1);

  const of = `?account_id=${account.id}`;
  const [event] = (await emulator.control('GET', `/events${of}`)).body.data;
  const [delivery] = (await emulator.control('GET', `/deliveries${of}`)).body.data;
  expect(event).toMatchObject({ type: events[0], account_id: account.id });
  expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual(event.envelope);
  expect(delivery).toMatchObject({ event_id: event.id, url: `${receiver.origin}/hook` });

  const again = await emulator.control('POST', `/deliveries/${delivery.id}/redeliver`);
  expect([again.status, again.body.redelivery_of]).toEqual([202, delivery.id]);
  const [first, second] = await receiver.received(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect(await account.events()).toEqual(events);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
});

it.each(EVENT_TYPES)('triggers %s on the way of the real ones [I090 I194]', async (type) => {
  const account = await emulator.account({ plan: 'studio' });
  const { receiver } = await subscribe(account, [type]);
  const order = { type, workspace_id: account.workspaceId };
  const { status, body } = await emulator.control('POST', '/events/trigger', order);
  expect(status).toBe(202);
  const [delivered] = await receiver.received(1);
  expect(JSON.parse(delivered?.body ?? '')).toMatchObject({ id: body.id, type });
  expect(await account.events()).toEqual([type]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  [{ type: 'image.generation.lost' }, 400, 'type'],
  [{ type: 'image.generation.failed', workspace_id: 'ws_none' }, 404, 'workspace_id'],
])('refuses to trigger %j [I090]', async (order, status, param) => {
  const answer = await emulator.control('POST', '/events/trigger', order);
  expect(answer.status).toBe(status);
  expect(answer.body.error.param).toBe(param);
});
