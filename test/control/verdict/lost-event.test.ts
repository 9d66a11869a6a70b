import { expect, it } from 'vitest';
import { type Reply, subscribe } from '../../support/receiver.ts';
import { journalled } from '../../support/striking.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const END = 'music.generation.failed';

async function verdict(account: TestAccount) {
  return (await emulator.control('GET', `/verdict?account_id=${account.id}`)).body;
}

/** A song is ordered and fails, which is told to a receiver that answers so. */
async function orderOf(account: TestAccount, reply: Reply, whileOpen = async (_id: string) => {}) {
  const { receiver } = await subscribe(account, [END], reply);
  await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  const ordered = await account.post('/music/generations', { prompt: 'a waltz', seconds: 30, n: 1 });
  const id: string = ordered.body.data[0].id;
  await whileOpen(id);
  await emulator.control('POST', `/jobs/${id}/finish`, { outcome: 'failed' });
  await emulator.wait(`delivery:${END}`, { account_id: account.id });
  const [delivery] = await account.deliveries();
  return { id, receiver, request: ordered.headers.get('x-request-id'), delivery: delivery?.id ?? '' };
}

it('finds an event that its receiver did not accept, if the job was read only before it ended', async () => {
  const account = await emulator.account({ credits: 20 });
  const read = (id: string) => account.get(`/music/generations/${id}`);
  const { id, receiver, request, delivery } = await orderOf(account, { status: 500 }, async (job) => {
    await read(job);
  });
  await journalled(account, 3);
  expect((await verdict(account)).findings).toEqual([
    {
      ...{ finding: 'lost_event', account_id: account.id, request_ids: [request], delivery_ids: [delivery] },
      message: `${receiver.origin}/hook did not accept the event of ${id} (returned 500), and the job was not read afterwards.`,
      remedy: expect.stringContaining('is not sent again'),
    },
  ]);
  await read(id);
  await journalled(account, 4);
  expect(await verdict(account)).toMatchObject({ ok: true, findings: [] });
});

it('finds a lost event if its delivery was dropped, or if the receiver closed the connection', async () => {
  const [dropped, refused] = [await emulator.account(), await emulator.account()];
  await emulator.control('POST', '/faults', { match: { account_id: dropped.id }, effect: { webhook: 'drop' } });
  await orderOf(dropped, {});
  await orderOf(refused, 'hang-up');
  for (const account of [dropped, refused]) {
    await journalled(account, 2);
    expect((await verdict(account)).findings).toMatchObject([{ finding: 'lost_event' }]);
  }
});

it('finds no lost event if a 410 deleted the endpoint, or if a redelivery was accepted', async () => {
  const [gone, again] = [await emulator.account(), await emulator.account()];
  await orderOf(gone, { status: 410 });
  const { receiver, delivery } = await orderOf(again, { status: 503 });
  await journalled(again, 2);
  expect((await verdict(again)).ok).toBe(false);
  receiver.answer({});
  await emulator.control('POST', `/deliveries/${delivery}/redeliver`);
  await emulator.wait(`delivery:${END}`, { account_id: again.id, after: delivery });
  await journalled(gone, 2);
  for (const account of [gone, again]) expect(await verdict(account)).toMatchObject({ ok: true, findings: [] });
});

it('finds no lost event if a receiver rejected a forgery and accepted the genuine delivery', async () => {
  const forged = await emulator.account();
  await emulator.control('POST', '/faults', { match: { account_id: forged.id }, effect: { webhook: 'forged' } });
  await orderOf(forged, (_request, n) => ({ status: n === 1 ? 400 : 200 }));
  await forged.idle();
  await journalled(forged, 2);
  expect(await verdict(forged)).toMatchObject({ ok: true, findings: [] });
});
