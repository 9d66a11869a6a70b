import { expect, it } from 'vitest';
import { openBench } from './webhook-bench.ts';

it('removes the oldest events beyond a limit and their deliveries, and returns an empty page after an event that it removed [I216]', async () => {
  const bench = await openBench({ limits: { keptRecords: 50 } });
  const receiver = await bench.receiver();
  await bench.endpoint(`${receiver.origin}/all`, { events: ['image.generation.succeeded'] });
  const first = await bench.publish();
  for (let count = 1; count < 200; count += 1) await bench.publish();
  await bench.webhooks.settled();
  // Every 100th event removes old records. Deliveries that are in flight then stay, and so do their events.
  const [events, deliveries] = [bench.events({ limit: 1000 }), bench.deliveries({ limit: 1000 })];
  expect(receiver.requests).toHaveLength(200);
  expect(events.length).toBeLessThan(200);
  expect(events.length).toBeGreaterThanOrEqual(50);
  expect(deliveries.length).toBeLessThan(200);
  const known = new Set(events.map(({ id }) => id));
  expect(deliveries.every(({ event_id }) => known.has(event_id))).toBe(true);
  expect(known.has(first)).toBe(false);
  expect(bench.events({ limit: 10, after: first })).toEqual([]);
  expect(() => bench.events({ limit: 10, after: 'evt_0' })).toThrow(/must be the id of an item/);
});

it('keeps every due delivery, even beyond the limit of kept records', async () => {
  const bench = await openBench({ limits: { keptRecords: 10 } });
  const receiver = await bench.receiver();
  await bench.webhooks.stop();
  await bench.endpoint(`${receiver.origin}/all`, { events: ['image.generation.succeeded'] });
  for (let count = 0; count < 120; count += 1) await bench.publish();
  expect(bench.events({ limit: 1000 })).toHaveLength(120);
  await bench.webhooks.start();
  await bench.webhooks.settled();
  expect(receiver.requests).toHaveLength(120);
});
