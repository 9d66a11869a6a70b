import { expect, it } from 'vitest';
import type { WebhookFault } from '../../src/engine/faults/delivery-faults.ts';
import { constructStripeEvent } from '../engine/webhooks/stripe-receiver.ts';
import { type Reply, subscribe } from '../support/receiver.ts';
import { rule } from '../support/striking.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world({ settleAfter: 0.02 });
const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
const DONE = 'music.generation.succeeded';

async function subscribed(reply?: () => Promise<Reply>) {
  const account = await emulator.account({ plan: 'studio', credits: 1000 });
  const { receiver, endpoint } = await subscribe(account, [DONE], reply);
  return { receiver, account, secret: endpoint.secret };
}

const idle = (account: TestAccount) => emulator.control('GET', `/wait?for=idle&account_id=${account.id}`);

/** What a receiver that does all it should makes of each delivery: taken, or refused. */
async function taken(webhook: WebhookFault) {
  const { receiver, account, secret } = await subscribed();
  await rule(account, { webhook });
  const { body } = await account.post('/music/generations', SONG);
  await account.finished(`/music/generations/${body.data[0].id}`);
  await idle(account);
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
  return { came, account, jobId: String(body.data[0].id) };
}

it.each<[WebhookFault, boolean[]]>([
  ['duplicate', [true, true]],
  ['twin', [true, true]],
  ['resent', [true, true]],
  ['forged', [false, true]],
  ['replayed', [true, false]],
])('sends one event twice as %s says, under one id [I237]', async (webhook, genuine) => {
  const { came } = await taken(webhook);
  expect(came.map(({ isGenuine }) => isGenuine)).toEqual(genuine);
  expect(new Set(came.map(({ id }) => id)).size).toBe(1);
});

it('repeats a duplicate to the byte, and signs what is resent under a new t [I237]', async () => {
  const [first, second] = (await taken('duplicate')).came;
  expect(second?.header).toBe(first?.header);
  const [before, after] = (await taken('resent')).came;
  expect(after?.request.body).toBe(before?.request.body);
  expect(after?.header.split(',')[0]).not.toBe(before?.header.split(',')[0]);
});

it('forges other data under the id of the genuine event [I237]', async () => {
  const [forged, genuine] = (await taken('forged')).came;
  expect(forged?.data.result_url).not.toBe(genuine?.data.result_url);
  expect(forged?.data.seed).not.toBe(genuine?.data.seed);
});

it('spells the same event in other bytes, rightly signed [I237]', async () => {
  const { came, account } = await taken('spelled');
  const [envelope] = await account.envelopes();
  expect(came.map(({ isGenuine }) => isGenuine)).toEqual([true]);
  expect(JSON.parse(came[0]?.request.body ?? '')).toEqual(envelope);
  expect(came[0]?.request.body).not.toBe(JSON.stringify(envelope));
});

it('signs with two proofs, the second one right [I237]', async () => {
  const { came } = await taken('two_proofs');
  expect(came[0]?.header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect(came.map(({ isGenuine }) => isGenuine)).toEqual([true]);
});

it('sends first an event of a type that no one knows, rightly signed [I237]', async () => {
  const { came } = await taken('unknown_type');
  expect(came.map(({ type, isGenuine }) => [type, isGenuine])).toEqual([
    ['account.notice.created', true],
    [DONE, true],
  ]);
});

it('sends first the event of a job that another member ordered and paid [I237]', async () => {
  const { came, account, jobId } = await taken('foreign');
  const [foreign, own] = came;
  expect(came.map(({ isGenuine }) => isGenuine)).toEqual([true, true]);
  expect(own?.data.id).toBe(jobId);
  expect(foreign?.data.id).not.toBe(jobId);
  expect(foreign?.data.seed).not.toBe(own?.data.seed);
  expect((await account.get(String(foreign?.data.result_url))).status).toBe(200);
  expect((await account.get(`/music/generations/${foreign?.data.id}`)).status).toBe(404);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -3']);
  expect((await emulator.control('GET', '/deliveries')).body.data).toContainEqual(
    expect.objectContaining({ fault: 'foreign', status: 'delivered' }),
  );
  expect((await emulator.invariants()).ok).toBe(true);
});

it('delivers after all once nothing else has started for 3 s, however often a job is read, and lets others by [I237]', async () => {
  const { receiver, account } = await subscribed();
  // The same song again is there at once.
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

it('ends an instant job, its event delivered, before its order is answered [I237]', async () => {
  const { receiver, account } = await subscribed();
  await rule(account, { job: 'instant' });
  const { status, body } = await account.post('/music/generations', SONG);
  expect([status, receiver.requests.length]).toEqual([202, 1]);
  expect(body.data[0].status).not.toBe('succeeded');
  expect((await account.get(`/music/generations/${body.data[0].id}`)).body.status).toBe('succeeded');
});

it('shows an unpolled job as processing until its event was answered [I237]', async () => {
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
  await idle(account);
  expect((await account.get(path)).body.status).toBe('succeeded');
});

it('ends a late job at its fourth read and no sooner [I237]', async () => {
  const { account } = await subscribed();
  await rule(account, { job: 'late' });
  const { body } = await account.post('/music/generations', SONG);
  const statuses: string[] = [];
  for (let n = 0; n < 4; n += 1)
    statuses.push((await account.get(`/music/generations/${body.data[0].id}`)).body.status);
  expect(statuses.slice(0, 3)).not.toContain('succeeded');
  expect(statuses[3]).toBe('succeeded');
});

it('ends a late job that no one reads after a while [I237]', async () => {
  const { account, receiver } = await subscribed();
  await rule(account, { job: 'late' });
  await account.post('/music/generations', SONG);
  await receiver.received(1);
  const [job] = await account.jobs();
  expect(job).toMatchObject({ status: 'succeeded' });
});
