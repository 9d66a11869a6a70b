import { expect, it } from 'vitest';
import { callHook, makeFlow, settledRun } from '../../support/flow-rig.ts';
import { CHAT } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const here = await world({ journalLimit: 100 });

/** Sends requests until the journal has dropped the given one. */
async function forgotten(account: TestAccount, requestId: string): Promise<void> {
  for (;;) {
    await Promise.all(Array.from({ length: 50 }, () => account.get('/models')));
    if ((await here.control('GET', `/requests/${requestId}`)).status === 404) return;
  }
}

interface Shown {
  kind: string;
  data: { amount?: number };
}

async function timeline(id: string): Promise<{ id: string; steps: string[]; money: unknown }> {
  const { status, body } = await here.control('GET', `/timeline/${id}`);
  expect([id, status]).toEqual([id, 200]);
  const steps = body.steps.map(({ kind, data }: Shown) =>
    data.amount === undefined ? kind : `${kind} ${data.amount}`,
  );
  return { id: body.id, steps, money: body.line.status.money };
}

it('shows both takes of a song and their charges in one timeline, even if the journal has lost the request [R047]', async () => {
  const ana = await here.account();
  const { body, headers } = await ana.post('/music/generations', { prompt: 'a song of the sea', seconds: 30, n: 2 });
  const [first, second] = body.data.map(({ id }: { id: string }) => id);
  await ana.idle();
  await forgotten(ana, headers.get('x-request-id') ?? '');
  const [one, other] = [await timeline(first), await timeline(second)];
  expect(one).toEqual(other);
  expect(one.id).toBe(first);
  expect(one.steps.filter((step) => step.startsWith('charged'))).toEqual(['charged -3', 'charged -3']);
  expect(one.steps.filter((step) => step === 'succeeded')).toHaveLength(2);
  expect(one.money).toMatchObject({ charged: 6 });
  const [entry] = (await ana.entries()).slice(-1);
  expect(await timeline(entry?.id ?? '')).toEqual(one);
});

it('shows the charge of a chat and its refund in one timeline, even if the journal has lost the request', async () => {
  const ana = await here.account();
  const { headers, status } = await ana.post('/chat/completions', { ...CHAT, context: '[[fail]]' });
  expect(status).toBe(502);
  await forgotten(ana, headers.get('x-request-id') ?? '');
  const [, charge, refund] = await ana.entries();
  const shown = await timeline(charge?.id ?? '');
  expect(shown.steps).toEqual(['charged -1', 'refunded 1']);
  expect(await timeline(refund?.id ?? '')).toEqual(shown);
  expect((await here.invariants()).ok).toBe(true);
});

it('describes a flow run by how many jobs it has, and a song by the number and length of its takes', async () => {
  const ana = await here.account({ credits: 1000 });
  const flow = await makeFlow(ana, [
    { nodeId: 'cover', type: 'image', params: { prompt: 'a lamp' } },
    { nodeId: 'spoken', type: 'speech', params: { input: 'A lamp.', voice: 'aria' } },
  ]);
  await settledRun(ana, await callHook(ana, flow.hook_url, {}));
  await ana.post('/music/generations', { prompt: 'a song of the sea', seconds: 30, n: 2 });
  await ana.idle();
  const { body } = await here.control('GET', `/orders?account_id=${ana.id}`);
  expect(body.data.map(({ request }: { request: { kind: string } }) => request.kind)).toEqual([
    '2 takes of 30 s',
    '2 jobs',
  ]);
});
