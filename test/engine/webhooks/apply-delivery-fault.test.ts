import { expect, it } from 'vitest';
import type { DeliveryFault } from '../../../src/engine/faults/delivery-fault-table.ts';
import type { JobFaults } from '../../../src/engine/faults/request-faults.ts';
import type { Receiver } from '../../support/receiver.ts';
import { constructStripeEvent } from './stripe-receiver.ts';
import { openBench, openDelivery, type WebhookBench } from './webhook-bench.ts';

const HELD = 2_000;

/** Publishes an image event of a job with these faults. */
function appliedFault(bench: WebhookBench, job: string, faults: JobFaults): Promise<string> {
  const type = 'image.generation.succeeded' as const;
  const event = { type, workspaceId: 'ws_1', accountId: 'acct_1', data: { id: job }, faults };
  return bench.database.transact((tx) => bench.webhooks.publish(tx, event));
}

function jobs(receiver: Receiver): string[] {
  return receiver.requests.map(({ body }) => JSON.parse(body).data.id);
}

/** Lets the worker take the deliveries that were just published. */
const turn = () => new Promise(setImmediate);

it('delays a delivery with the effect late by 2 s of real time, and with it the later deliveries to the same endpoint [I142 I196]', async () => {
  const bench = await openBench();
  const [slow, other] = [await bench.receiver(), await bench.receiver()];
  const { secret } = await bench.endpoint(slow.origin);
  await appliedFault(bench, 'job_1', { webhook: 'late' });
  await bench.endpoint(other.origin);
  await bench.deliver({ id: 'job_2' });
  bench.clock.elapse(HELD - 1);
  await turn();
  expect([jobs(slow), jobs(other)]).toEqual([[], ['job_2']]);
  expect(bench.pending()).toBe(2);
  bench.clock.elapse(1);
  await slow.received(2);
  expect(jobs(slow)).toEqual(['job_1', 'job_2']);
  expect(constructStripeEvent(slow.requests[0], secret)).toMatchObject({ data: { id: 'job_1' } });
});

it('sends a delivery with the effect reorder after 2 s if no other delivery follows [I142]', async () => {
  const { bench, receiver } = await openDelivery();
  await appliedFault(bench, 'job_1', { webhook: 'reorder' });
  await turn();
  bench.clock.elapse(HELD - 1);
  await turn();
  expect(receiver.connections).toBe(0);
  bench.clock.elapse(1);
  await bench.closed(1);
  expect(jobs(receiver)).toEqual(['job_1']);
});

it.each<DeliveryFault>(['late', 'reorder'])(
  'keeps at a stop a delivery that the effect %s delays, and sends it after the next start [I142]',
  async (webhook) => {
    const { bench, receiver } = await openDelivery();
    await appliedFault(bench, 'job_1', { webhook });
    await turn();
    await bench.webhooks.stop();
    expect(receiver.connections).toBe(0);
    expect(bench.deliveries()).toMatchObject([{ status: 'due', fault: webhook }]);

    bench.webhooks = bench.build();
    await bench.webhooks.start();
    await turn();
    bench.clock.elapse(HELD);
    await bench.closed(1);
    expect(jobs(receiver)).toEqual(['job_1']);
  },
);

it.each<DeliveryFault>(['late', 'reorder'])(
  'does not send a delivery that the effect %s delays if its endpoint is deleted meanwhile [I142]',
  async (webhook) => {
    const { bench, receiver, endpoint } = await openDelivery();
    await appliedFault(bench, 'job_1', { webhook });
    await turn();
    await bench.webhooks.removeEndpoint('ws_1', endpoint.id);
    await bench.webhooks.settled();
    expect(receiver.connections).toBe(0);
    expect(bench.deliveries()).toMatchObject([{ status: 'failed', attempted_at: null }]);
  },
);
