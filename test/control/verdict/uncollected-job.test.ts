import { expect, it } from 'vitest';
import { type Reply, subscribe } from '../../support/receiver.ts';
import { journalled } from '../../support/striking.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const END = 'music.generation.succeeded';

async function verdict(account: TestAccount, requests: number) {
  await journalled(account, requests);
  return (await emulator.control('GET', `/verdict?account_id=${account.id}`)).body;
}

const finish = (id: string, outcome: 'succeeded' | 'failed' = 'succeeded') =>
  emulator.control('POST', `/jobs/${id}/finish`, { outcome });

/** An account that has ordered a song of one take, which ends when the test says so. */
async function ordered(reply?: Reply) {
  const account = await emulator.account({ credits: 20 });
  if (reply) await subscribe(account, [END], reply);
  await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  const order = await account.post('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
  const id: string = order.body.data[0].id;
  return { account, id, read: () => account.get(`/music/generations/${id}`) };
}

it('reports a paid job that the client stopped reading before it succeeded', async () => {
  const { account, id, read } = await ordered();
  const reads = [await read(), await read()].map(({ headers }) => headers.get('x-request-id'));
  await finish(id);
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
  const { account, id, read } = await ordered({ status: 500 });
  await read();
  await finish(id);
  await account.idle();
  const { uncollected, findings } = await verdict(account, 3);
  expect(uncollected).toEqual({ jobs: 1, credits: 3 });
  expect(findings.map(({ finding }: { finding: string }) => finding)).toEqual(['lost_event', 'uncollected_job']);
});

it('reports no uncollected job if the client reads the job once more within a second of its last read', async () => {
  const { account, id, read } = await ordered();
  await read();
  await finish(id);
  await journalled(account, 2);
  const [found] = await Promise.all([verdict(account, 2), read()]);
  expect(found).toMatchObject({ ok: true, uncollected: { jobs: 0, credits: 0 } });
});

it('reports no `uncollected_job` for a job that the client never began to read', async () => {
  const { account, id } = await ordered();
  await finish(id);
  expect(await verdict(account, 1)).toMatchObject({ ok: true, uncollected: { jobs: 0, credits: 0 } });
});

it('reports no uncollected job if an endpoint accepted the event', async () => {
  const { account, id, read } = await ordered({});
  await read();
  await finish(id);
  await account.idle();
  expect(await verdict(account, 3)).toMatchObject({ ok: true, uncollected: { jobs: 0, credits: 0 } });
});

it('reports no uncollected job if its file was read', async () => {
  const { account, id, read } = await ordered();
  await read();
  await finish(id);
  const { body } = await account.get(`/webhooks/samples?event=${END}`);
  expect((await fetch(body.events[0].data.result_url)).status).toBe(200);
  expect(await verdict(account, 3)).toMatchObject({ ok: true, uncollected: { jobs: 0, credits: 0 } });
});

it('reports no uncollected job for a job that failed and was refunded, or that is still open', async () => {
  const [failed, open] = [await ordered(), await ordered()];
  await failed.read();
  await open.read();
  await finish(failed.id, 'failed');
  expect(await verdict(failed.account, 2)).toMatchObject({ ok: true });
  expect(await verdict(open.account, 2)).toMatchObject({ ok: true });
  expect([await failed.account.balance(), await open.account.balance()]).toEqual([20, 17]);
});
