import { expect, it } from 'vitest';
import type { DeliveryFault } from '../../../src/engine/faults/delivery-fault-table.ts';
import { verifySignature } from '../../../src/engine/webhooks/signature.ts';
import { subscribe } from '../../support/receiver.ts';
import { rule } from '../../support/striking.ts';
import { type TestAccount, world } from '../../support/world.ts';
import { constructStripeEvent } from './stripe-receiver.ts';

const emulator = await world({ settleAfter: 0.05 });
const IMAGE = 'image.generation.succeeded';
const CLIP = 'video.generation.succeeded';
const SONG = 'music.generation.succeeded';

async function subscribed() {
  const account = await emulator.account({ plan: 'studio', credits: 1_000 });
  const { receiver, endpoint } = await subscribe(account, [IMAGE, CLIP, SONG]);
  return { receiver, account, secret: endpoint.secret };
}

/** Resolves with the deliveries once none is due or in flight. */
async function delivered(account: TestAccount): Promise<Record<string, unknown>[]> {
  await account.idle();
  return account.deliveries();
}

const DROPPED = {
  ...{ fault: 'drop', status: 'failed', attempted_at: null, signature: null },
  error: 'drop: a fault rule kept this delivery from being sent',
};

it.each<[DeliveryFault, number, object[]]>([
  ['late', 2, [{ fault: 'late' }, { fault: null }]],
  ['duplicate', 3, [{ fault: null }, { fault: 'duplicate' }, { fault: null }]],
  ['reorder', 2, [{ fault: 'reorder' }, { fault: null }]],
  ['drop', 1, [DROPPED, { fault: null }]],
])(
  'applies the effect %s to the event of one image, and delivers the next event normally [I142 I196 R217]',
  async (webhook, requests, records) => {
    const { receiver, account, secret } = await subscribed();
    await rule(account, { webhook });
    const [first, second] = [
      await account.post('/images/generations', { prompt: 'a red kite' }),
      await account.post('/images/generations', { prompt: 'a blue kite' }),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    const deliveries = await delivered(account);
    expect(deliveries).toMatchObject(records);
    expect(receiver.requests).toHaveLength(requests);
    for (const request of receiver.requests)
      expect(constructStripeEvent(request, secret)).toMatchObject({ type: IMAGE });
    const [one, two] = (await account.envelopes()).map(({ id }) => id);
    const order = {
      late: [one, two],
      duplicate: [one, one, two],
      reorder: [two, one],
      drop: [two],
    };
    const heard = receiver.requests.map(({ body }) => JSON.parse(body).id);
    expect(heard).toEqual(order[webhook as keyof typeof order]);
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -10', 'charge -10']);
  },
);

it.each<[DeliveryFault, string, number]>([
  ['bad_signature', 'No signatures found matching the expected signature for payload', 0],
  ['old_timestamp', 'Timestamp outside the tolerance zone', 600],
])(
  'signs a delivery with the effect %s so that the stripe package rejects it, and its redelivery with the same body so that stripe accepts it [I142 I127]',
  async (webhook, refusal, age) => {
    const { receiver, account, secret } = await subscribed();
    await rule(account, { webhook });
    await account.post('/images/generations', { prompt: 'a red kite' });
    const [delivery] = await delivered(account);
    const header = String(receiver.requests[0]?.headers['svc-signature']);
    expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
    expect(delivery).toMatchObject({ fault: webhook, status: 'delivered', signature: header });
    expect(() => constructStripeEvent(receiver.requests[0], secret)).toThrow(refusal);
    const check = (toleranceSeconds: number) =>
      verifySignature({ payload: receiver.requests[0]?.body ?? '', header, secret, toleranceSeconds });
    if (age > 0) expect(() => check(age + 10)).not.toThrow();
    expect(() => check(age > 0 ? age - 10 : 300)).toThrow();

    await emulator.control('POST', `/deliveries/${delivery?.id}/redeliver`);
    const [, again] = await delivered(account);
    expect(again).toMatchObject({ fault: null, redelivery_of: delivery?.id, event_id: delivery?.event_id });
    expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body);
    expect(constructStripeEvent(receiver.requests[1], secret)).toMatchObject({ id: delivery?.event_id });
  },
);

it('applies a fault rule for webhooks to the event of a request that it matches, but not to the event of another operation [I196]', async () => {
  const { receiver, account } = await subscribed();
  await rule(account, { webhook: 'duplicate' }, { match: { path: '/v1/videos/generations', contains: 'whale' } });
  await account.post('/images/generations', { prompt: 'a whale' });
  const clip = { prompt: 'a whale', duration: '5s' };
  expect((await account.post('/videos/generations', clip)).status).toBe(200);
  await delivered(account);
  expect(receiver.requests.map(({ body }) => JSON.parse(body).type)).toEqual([IMAGE, CLIP, CLIP]);
});

it('sends the events of both takes of a song in reverse order because of a reorder rule [I142 I196]', async () => {
  const { receiver, account } = await subscribed();
  const song = { style: 'slow piano', instrumental: true, seconds: 30 };
  const order = async () => {
    await account.made('/music/generations', song);
    return delivered(account);
  };
  await order();
  // The second order of the same song finds its files, so neither take waits for the render of the other.
  await rule(account, { webhook: 'reorder' }, { match: { path: '/v1/music' } });
  expect((await order()).map(({ fault }) => fault)).toEqual([null, null, 'reorder', 'reorder']);
  const [one, two, three, four] = (await account.envelopes()).map(({ id }) => id);
  const heard = receiver.requests.map(({ body }) => JSON.parse(body).id);
  expect(heard).toEqual([one, two, four, three]);
});
