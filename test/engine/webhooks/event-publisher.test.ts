import { expect, it } from 'vitest';
import { openBench, openDelivery } from './webhook-bench.ts';

it('records every event, with or without a subscriber [I128]', async () => {
  const bench = await openBench();
  await bench.clock.set({ now: Date.UTC(2030, 0, 1), frozen: true });
  const id = await bench.publish({ id: 'job_1' });
  expect(bench.events({ limit: 10 })).toEqual([
    {
      id,
      type: 'image.generation.succeeded',
      account_id: 'acct_1',
      workspace_id: 'ws_1',
      created: Date.UTC(2030, 0, 1) / 1000,
      envelope: { id, type: 'image.generation.succeeded', created: Date.UTC(2030, 0, 1) / 1000, data: { id: 'job_1' } },
    },
  ]);
  expect(id).toMatch(/^evt_[0-9a-f]{24}$/);
  expect(bench.deliveries()).toEqual([]);
});

it('neither records nor sends an event of an undone transaction', async () => {
  const { bench, receiver } = await openDelivery();
  const failed = bench.database.transact((tx): string => {
    const type = 'image.generation.succeeded' as const;
    const data = { id: 'job_1' };
    bench.webhooks.events.publish(tx, { type, workspaceId: 'ws_1', accountId: 'acct_1', data });
    throw new Error('taken back');
  });
  await expect(failed).rejects.toThrow('taken back');
  await bench.webhooks.settled();
  expect(bench.events({ limit: 10 })).toEqual([]);
  expect(bench.deliveries()).toEqual([]);
  expect(receiver.connections).toBe(0);
  expect(bench.changes).toEqual([]);
});

it('sends each type to its subscribers only [R211]', async () => {
  const bench = await openBench();
  const receiver = await bench.receiver();
  await bench.endpoint(`${receiver.origin}/failed`, { events: ['image.generation.failed'] });
  await bench.endpoint(`${receiver.origin}/both`, {
    events: ['image.generation.failed', 'image.generation.succeeded'],
  });
  await bench.publish();
  await bench.webhooks.settled();
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/both']);
});

it('sends the events of its flow runs only to an endpoint with a flow [R195 I222]', async () => {
  const bench = await openBench();
  await bench.addFlow('flow_a', 'ws_1', 'acct_1');
  const receiver = await bench.receiver();
  const events = ['flow.run.succeeded' as const, 'image.generation.succeeded' as const];
  await bench.endpoint(`${receiver.origin}/one`, { events, flowId: 'flow_a' });
  await bench.endpoint(`${receiver.origin}/all`, { events });
  for (const flowId of ['flow_a', 'flow_b']) {
    await bench.database.transact((tx) =>
      bench.webhooks.events.publish(tx, {
        ...{ type: 'flow.run.succeeded', workspaceId: 'ws_1', accountId: 'acct_1', flowId },
        data: { flow: { id: flowId } },
      }),
    );
  }
  await bench.publish({ id: 'job_1' });
  await bench.webhooks.settled();
  const got = (path: string) =>
    receiver.requests
      .filter((request) => request.path === path)
      .map(({ body }) => JSON.parse(body).data)
      .map(({ flow, id }) => flow?.id ?? id);
  expect(got('/one')).toEqual(['flow_a']);
  expect(got('/all')).toEqual(['flow_a', 'flow_b', 'job_1']);
});

it('notifies observers of events and final deliveries after the commit, until they leave', async () => {
  const { bench } = await openDelivery({ reply: { status: 500 } });
  const seen: unknown[] = [];
  const leave = bench.webhooks.observe((change) => {
    const known = change.kind === 'event' ? bench.events({ limit: 1 }) : [];
    seen.push([change, known.length]);
  });
  const id = await bench.deliver();
  leave();
  await bench.publish();
  const type = 'image.generation.succeeded';
  const [delivery] = bench.deliveries({ limit: 1, accountId: 'acct_1' });
  expect(seen).toEqual([
    [{ kind: 'event', id, type, accountId: 'acct_1' }, 1],
    [
      {
        ...{ kind: 'delivery', id: expect.stringMatching(/^dlv_/), eventId: id, type },
        ...{ accountId: 'acct_1', status: 'failed' },
      },
      0,
    ],
  ]);
  expect(delivery?.account_id).toBe('acct_1');
});

it('keeps the newest events and deliveries, and continues after one that was removed [I216]', async () => {
  const bench = await openBench({ limits: { keptRecords: 150 } });
  const receiver = await bench.receiver();
  await bench.endpoint(`${receiver.origin}/all`, { events: ['image.generation.succeeded'] });
  const first = await bench.publish();
  for (let count = 1; count < 400; count += 1) await bench.publish();
  await bench.webhooks.settled();
  // The last hundred come after the last look; until then deliveries in flight stay, and their events with them.
  const [events, deliveries] = [bench.events({ limit: 1000 }), bench.deliveries({ limit: 1000 })];
  expect(receiver.requests).toHaveLength(400);
  expect(events.length).toBeLessThan(400);
  expect(events.length).toBeGreaterThanOrEqual(150);
  expect(deliveries.length).toBeLessThan(400);
  const known = new Set(events.map(({ id }) => id));
  expect(deliveries.every(({ event_id }) => known.has(event_id))).toBe(true);
  expect(known.has(first)).toBe(false);
  expect(bench.events({ limit: 10, after: first })).toEqual([]);
  expect(() => bench.events({ limit: 10, after: 'evt_0' })).toThrow(/must be the id of an item/);
});

it('keeps every due delivery, even if it is old', async () => {
  const bench = await openBench({ limits: { keptRecords: 10 } });
  const receiver = await bench.receiver();
  await bench.webhooks.stop();
  await bench.endpoint(`${receiver.origin}/all`, { events: ['image.generation.succeeded'] });
  for (let count = 0; count < 250; count += 1) await bench.publish();
  expect(bench.events({ limit: 1000 })).toHaveLength(250);
  await bench.webhooks.start();
  await bench.webhooks.settled();
  expect(receiver.requests).toHaveLength(250);
});
