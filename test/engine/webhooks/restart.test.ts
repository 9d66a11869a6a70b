import { expect, it } from 'vitest';
import { roomOf } from '../../support/full-disk.ts';
import { lookUntil } from '../../support/look-until.ts';
import { openBench, openDelivery } from './webhook-bench.ts';

it('does not repeat a delivery that a crash interrupted [R217]', async () => {
  const { bench, receiver, endpoint } = await openDelivery();
  await bench.webhooks.stop();
  await bench.publish({ id: 'job_1' });
  await bench.publish({ id: 'job_2' });
  await bench.markAttempted(bench.deliveries().at(-1)?.id ?? '');

  bench.webhooks = bench.build();
  await bench.webhooks.start();
  await bench.closed(2);
  expect(receiver.requests.map(({ body }) => JSON.parse(body).data.id)).toEqual(['job_2']);
  expect(bench.deliveries()).toMatchObject([
    { endpoint_id: endpoint.id, status: 'delivered' },
    {
      status: 'failed',
      response_status: null,
      error: 'interrupted: the emulator ended during this only attempt',
    },
  ]);
});

it('ends an open delivery 2 s after a stop, records that, and keeps the next one due', async () => {
  const { bench, receiver } = await openDelivery({ reply: 'hang' });
  await bench.publish({ id: 'job_1' });
  await bench.publish({ id: 'job_2' });
  await receiver.received();
  const stopped = bench.webhooks.stop();
  bench.clock.elapse(1_999);
  expect(bench.deliveries()).toMatchObject([{ status: 'due' }, { status: 'attempted' }]);
  bench.clock.elapse(1);
  await stopped;
  expect(bench.deliveries()).toMatchObject([
    { status: 'due' },
    { status: 'failed', error: 'interrupted: the emulator was stopped during this attempt' },
  ]);
  expect(receiver.requests).toHaveLength(1);
});

it('records the result of a delivery that ends within 2 s of a stop', async () => {
  const bench = await openBench();
  const seen: Promise<void>[] = [];
  const receiver = await bench.receiver({
    reply: () => {
      seen.push(bench.webhooks.stop());
      return { status: 201 };
    },
  });
  await bench.endpoint(receiver.origin);
  await bench.deliver();
  await Promise.all(seen);
  expect(bench.deliveries()).toMatchObject([{ status: 'delivered', response_status: 201 }]);
});

it('records the result of a delivery after a full disk has space again, and sends nothing twice [R217]', async () => {
  const bench = await openBench();
  const disk = roomOf(bench.database);
  const body = 'x'.repeat(4096);
  const reply = () => disk.fill().then(() => ({ body }));
  const receiver = await bench.receiver({ reply });
  await bench.endpoint(receiver.origin);
  await bench.publish();
  await lookUntil(() => bench.errors.length > 0);
  await disk.free();
  bench.clock.elapse(1000);
  await bench.closed(1);
  expect(bench.deliveries()).toMatchObject([{ status: 'delivered', response_body: body }]);
  expect(receiver.requests).toHaveLength(1);
});
