import { expect, it } from 'vitest';
import { type Reply, subscribe } from '../../support/receiver.ts';
import { journalled, rule } from '../../support/striking.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const ENDS = ['music.generation.succeeded', 'music.generation.failed'];

async function verdict(account: TestAccount, requests: number) {
  await journalled(account, requests);
  return (await emulator.control('GET', `/verdict?account_id=${account.id}`)).body;
}

/** An account that has ordered a song of one take, which ends on request. `reply` adds a receiver of its events. */
async function ordered(reply?: Reply, fault?: string) {
  const account = await emulator.account({ credits: 20 });
  if (fault) await rule(account, { webhook: fault });
  const receiver = reply && (await subscribe(account, ENDS, reply)).receiver;
  await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  const order = await account.post('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
  const id: string = order.body.data[0].id;
  return {
    ...{ account, id, receiver, request: order.headers.get('x-request-id') },
    read: () => account.get(`/music/generations/${id}`),
    finish: (outcome: 'succeeded' | 'failed') => emulator.control('POST', `/jobs/${id}/finish`, { outcome }),
  };
}

/** Like `ordered`, but the song has failed, and the receiver got its event. */
async function failed(reply: Reply, fault?: string) {
  const order = await ordered(reply, fault);
  await order.finish('failed');
  await order.account.idle();
  return order;
}

it('finds an event that its receiver did not accept, if the job was read only before it ended', async () => {
  const { account, id, receiver, request, read, finish } = await ordered({ status: 500 });
  await read();
  await finish('failed');
  await account.idle();
  const [delivery] = await account.deliveries();
  expect((await verdict(account, 3)).findings).toEqual([
    {
      ...{ finding: 'lost_event', account_id: account.id, request_ids: [request], delivery_ids: [delivery?.id] },
      message: `${receiver?.origin}/hook did not accept the event of ${id} (returned 500), and the job was not read afterwards.`,
      remedy: expect.stringContaining('is not sent again'),
    },
  ]);
  await read();
  expect(await verdict(account, 4)).toMatchObject({ ok: true, findings: [] });
});

it('finds a lost event if its delivery was dropped, or if the receiver closed the connection', async () => {
  for (const { account } of [await failed({}, 'drop'), await failed('hang-up')]) {
    expect((await verdict(account, 2)).findings).toMatchObject([{ finding: 'lost_event' }]);
  }
});

it('finds no lost event if a 410 deleted the endpoint, or if a redelivery was accepted', async () => {
  const [gone, again] = [await failed({ status: 410 }), await failed({ status: 503 })];
  expect((await verdict(again.account, 2)).ok).toBe(false);
  again.receiver?.answer({});
  const [delivery] = await again.account.deliveries();
  await emulator.control('POST', `/deliveries/${delivery?.id}/redeliver`);
  await again.account.idle();
  for (const { account } of [gone, again]) expect(await verdict(account, 2)).toMatchObject({ ok: true, findings: [] });
});

it('finds no lost event if a receiver rejected a forgery and accepted the genuine delivery', async () => {
  const { account } = await failed((_request, n) => ({ status: n === 1 ? 400 : 200 }), 'forged');
  expect(await verdict(account, 2)).toMatchObject({ ok: true, findings: [] });
});

it('reports a paid job that the client stopped reading before it succeeded', async () => {
  const { account, id, read, finish } = await ordered();
  const reads = [await read(), await read()].map(({ headers }) => headers.get('x-request-id'));
  await finish('succeeded');
  expect(await verdict(account, 3)).toMatchObject({
    ok: false,
    uncollected: { jobs: 1, credits: 3 },
    findings: [
      {
        ...{ finding: 'uncollected_job', account_id: account.id, request_ids: reads, delivery_ids: [] },
        message: `${id} succeeded and cost 3 credits, and nobody collected it after its last read.`,
        remedy: expect.stringContaining('until it is final'),
      },
    ],
  });
  expect(await account.balance()).toBe(17);
});

it('reports an uncollected job if its event was delivered but not accepted', async () => {
  const { account, read, finish } = await ordered({ status: 500 });
  await read();
  await finish('succeeded');
  await account.idle();
  const { uncollected, findings } = await verdict(account, 3);
  expect(uncollected).toEqual({ jobs: 1, credits: 3 });
  expect(findings.map(({ finding }: { finding: string }) => finding)).toEqual(['lost_event', 'uncollected_job']);
});

it('delays a verdict for up to a second after the last read of a job, and reports no uncollected job if the job is read meanwhile', async () => {
  const { account, read, finish } = await ordered();
  await read();
  await finish('succeeded');
  await journalled(account, 2);
  const [found] = await Promise.all([verdict(account, 2), read()]);
  expect(found).toMatchObject({ ok: true, uncollected: { jobs: 0, credits: 0 } });
});

type Ordered = Awaited<ReturnType<typeof ordered>>;

async function readFile({ account }: Ordered): Promise<void> {
  const { body } = await account.get(`/webhooks/samples?event=${ENDS[0]}`);
  expect((await fetch(body.events[0].data.result_url)).status).toBe(200);
}

/** Reads before the end, the outcome, the reply of a receiver, and what happens afterwards. */
it.each<[string, number, 'succeeded' | 'failed' | undefined, Reply?, ((of: Ordered) => Promise<void>)?]>([
  ['that the client never began to read', 0, 'succeeded'],
  ['whose event an endpoint accepted', 1, 'succeeded', {}, ({ account }) => account.idle()],
  ['whose file was read', 1, 'succeeded', undefined, readFile],
  ['that failed and was refunded', 1, 'failed'],
  ['that is still open', 1, undefined],
])('reports no uncollected job for a job %s', async (_, reads, outcome, reply, follows = async () => {}) => {
  const order = await ordered(reply);
  for (let n = 0; n < reads; n += 1) await order.read();
  if (outcome) await order.finish(outcome);
  await follows(order);
  const requests = 1 + reads + (reply ? 1 : 0) + (follows === readFile ? 1 : 0);
  const found = await verdict(order.account, requests);
  expect(found).toMatchObject({ ok: true, uncollected: { jobs: 0, credits: 0 } });
  expect(await order.account.balance()).toBe(outcome === 'failed' ? 20 : 17);
});
