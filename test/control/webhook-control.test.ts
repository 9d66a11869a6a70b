import { expect, it, onTestFinished } from 'vitest';
import { Receiver } from '../support/receiver.ts';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('lists an event and its delivery, and delivers the same id and bytes once more [I090 I127]', async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.close());
  const account = await emulator.account();
  const events = ['image.generation.succeeded'];
  await account.post('/webhooks', { url: `${receiver.origin}/hook`, events });
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

it('does not deliver again what was never delivered [I090]', async () => {
  const answer = await emulator.control('POST', '/deliveries/dlv_none/redeliver');
  expectError(answer, 404, 'not_found');
});
