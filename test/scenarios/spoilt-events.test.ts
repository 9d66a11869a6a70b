import { expect, it } from 'vitest';
import type { DeliveryFault } from '../../src/engine/faults/delivery-fault-table.ts';
import { constructStripeEvent } from '../engine/webhooks/stripe-receiver.ts';
import { callHook, makeFlow } from '../support/flow-rig.ts';
import { type Reply, subscribe } from '../support/receiver.ts';
import { rule } from '../support/striking.ts';
import { world } from '../support/world.ts';

const emulator = await world({ settleAfter: 0.02 });
const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
const DONE = 'music.generation.succeeded';

async function subscribed(reply?: () => Promise<Reply>) {
  const account = await emulator.account({ plan: 'studio', credits: 1000 });
  const { receiver, endpoint } = await subscribe(account, [DONE], reply);
  return { receiver, account, secret: endpoint.secret };
}

/** Orders a song under this fault, and verifies each delivery as a careful receiver does. */
async function taken(webhook: DeliveryFault) {
  const { receiver, account, secret } = await subscribed();
  await rule(account, { webhook });
  await account.made('/music/generations', SONG);
  await account.idle();
  const came = receiver.requests.map((request) => {
    const { id, type, data } = JSON.parse(request.body);
    const told = { id, type, data, request, header: String(request.headers['svc-signature']) };
    try {
      constructStripeEvent(request, secret);
      return { ...told, isGenuine: true };
    } catch {
      return { ...told, isGenuine: false };
    }
  });
  return { came, account };
}

type Came = Awaited<ReturnType<typeof taken>>['came'][number];

const stampOf = (one?: Came) => one?.header.split(',')[0];
const OTHER_DATA = (one?: Came, two?: Came) => {
  expect(one?.data.result_url).not.toBe(two?.data.result_url);
  expect(one?.data.seed).not.toBe(two?.data.seed);
};

/** Columns: effect, which deliveries are genuine, a further check, and the types if there are two events. */
it.each<[DeliveryFault, boolean[], ((one?: Came, two?: Came) => void)?, string[]?]>([
  ['duplicate', [true, true], (one, two) => expect(two?.header).toBe(one?.header)],
  ['twin', [true, true]],
  [
    'resent',
    [true, true],
    (one, two) => {
      expect(two?.request.body).toBe(one?.request.body);
      expect(stampOf(two)).not.toBe(stampOf(one));
    },
  ],
  ['forged', [false, true], OTHER_DATA],
  ['replayed', [true, false]],
  ['two_proofs', [true], (one) => expect(one?.header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)],
  ['unknown_type', [true, true], undefined, ['account.notice.created', DONE]],
])(
  'sends deliveries under the webhook effect %s, whose verification gives these results in order: %j [I237]',
  async (webhook, genuine, isSo = () => {}, types) => {
    const { came } = await taken(webhook);
    expect(came.map(({ isGenuine }) => isGenuine)).toEqual(genuine);
    expect(came.map(({ type }) => type)).toEqual(types ?? genuine.map(() => DONE));
    expect(new Set(came.map(({ id }) => id)).size).toBe(types?.length ?? 1);
    isSo(...came);
  },
);

it('sends an event of a flow run with a forged cost before the genuine one under the webhook effect forged [I237]', async () => {
  const account = await emulator.account({ credits: 100 });
  const flow = await makeFlow(account, [{ type: 'post', params: { text: 'Good evening.' } }]);
  const { receiver } = await subscribe(account, ['flow.run.waiting']);
  await rule(account, { webhook: 'forged' });
  await callHook(account, flow.hook_url, {});
  const [one, two] = (await receiver.received(2)).map(({ body }) => JSON.parse(body));
  expect(one.id).toBe(two.id);
  expect([one.data.run.credits, two.data.run.credits]).toEqual([1_000_000_000, 0]);
  expect({ ...one.data.run, credits: 0 }).toEqual(two.data.run);
});

it('delivers an event under the webhook effect spelled with a valid signature and the same JSON in other bytes [I237]', async () => {
  const { came, account } = await taken('spelled');
  const [envelope] = await account.envelopes();
  expect(came.map(({ isGenuine }) => isGenuine)).toEqual([true]);
  expect(JSON.parse(came[0]?.request.body ?? '')).toEqual(envelope);
  expect(came[0]?.request.body).not.toBe(JSON.stringify(envelope));
});

it('delivers an event under the webhook effect after_all after the event of a later job, however often its own job is read [I237]', async () => {
  const { receiver, account } = await subscribed();
  // Later orders of the same song are ready at once.
  await account.made('/music/generations', SONG);
  await receiver.received(1);
  await rule(account, { webhook: 'after_all' });
  const first = await account.made('/music/generations', SONG);
  const second = await account.made('/music/generations', SONG);
  while (receiver.requests.length < 3) {
    await account.get(`/music/generations/${first.body.id}`);
    await account.world.wait('delivery:music.generation.failed', { timeout: 0.3 });
  }
  const heard = receiver.requests.map(({ body }) => JSON.parse(body).data.id);
  expect(heard.slice(1)).toEqual([second.body.id, first.body.id]);
});

it('ends a job under the job effect instant, and delivers its event before it responds to the order [I237]', async () => {
  const { receiver, account } = await subscribed();
  await rule(account, { job: 'instant' });
  const { status, body } = await account.post('/music/generations', SONG);
  expect([status, receiver.requests.length]).toEqual([202, 1]);
  expect(body.data[0].status).not.toBe('succeeded');
  expect((await account.get(`/music/generations/${body.data[0].id}`)).body.status).toBe('succeeded');
});

it.each(['instant', 'unpolled'])(
  'ends a job under the job effect %s only by finishJob if its progression is manual [I237]',
  async (pace) => {
    const { receiver, account } = await subscribed();
    await account.world.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
    await rule(account, { job: pace });
    const { body } = await account.post('/music/generations', SONG);
    const { id } = body.data[0];
    await account.world.wait(`job:${id}`, { timeout: 0.5 }).catch(() => undefined);
    expect(await account.jobs()).toMatchObject([{ status: 'processing' }]);
    await account.world.control('POST', `/jobs/${id}/finish`, { outcome: 'succeeded' });
    await receiver.received(1);
    expect(await account.jobs()).toMatchObject([{ status: 'succeeded' }]);
  },
);

it('shows a job as processing until its event got a response, under the job effect `unpolled` [I237]', async () => {
  let answer = () => {};
  const held = new Promise<Reply>((resolve) => {
    answer = () => resolve({});
  });
  const { receiver, account } = await subscribed(() => held);
  await rule(account, { job: 'unpolled' });
  const { body } = await account.post('/music/generations', SONG);
  const path = `/music/generations/${body.data[0].id}`;
  await receiver.received(1);
  expect((await account.get(path)).body).toMatchObject({ status: 'processing' });
  expect((await account.get(path)).body.result_url).toBeUndefined();
  answer();
  await account.idle();
  expect((await account.get(path)).body.status).toBe('succeeded');
});

it('ends a job under the job effect late at its fourth read, or by itself if nobody reads it [I237]', async () => {
  const [reader, other] = [await subscribed(), await subscribed()];
  await rule(reader.account, { job: 'late' });
  const { body } = await reader.account.post('/music/generations', SONG);
  const read = async () => (await reader.account.get(`/music/generations/${body.data[0].id}`)).body.status;
  for (let n = 0; n < 3; n += 1) expect(await read()).not.toBe('succeeded');
  expect(await read()).toBe('succeeded');
  await rule(other.account, { job: 'late' });
  await other.account.post('/music/generations', SONG);
  await other.receiver.received(1);
  expect(await other.account.jobs()).toMatchObject([{ status: 'succeeded' }]);
});

it('ends a job under the job effect late_end when nobody reads it any more, or after a limit if a client keeps reading [I237]', async () => {
  const [gaveUp, patient] = [await subscribed(), await subscribed()];
  const paths: string[] = [];
  for (const { account } of [gaveUp, patient]) {
    await rule(account, { job: 'late_end' });
    const { body } = await account.post('/music/generations', SONG);
    paths.push(`/music/generations/${body.data[0].id}`);
  }
  const [left = '', kept = ''] = paths;
  for (let read = 0; read < 8; read++) expect((await gaveUp.account.get(left)).body.status).not.toBe('succeeded');
  // The two accounts wait in parallel.
  await Promise.all([
    gaveUp.account.idle(),
    expect.poll(async () => (await patient.account.get(kept)).body.status).toBe('succeeded'),
  ]);
  expect(gaveUp.receiver.requests).toHaveLength(1);
  expect((await gaveUp.account.get(left)).body.status).toBe('succeeded');
});
