import Stripe from 'stripe';
import { afterEach, expect, it } from 'vitest';
import type { WebhooksOptions } from '../../src/webhooks/webhooks.ts';
import { cert, key } from './untrusted-certificate.ts';
import { WebhookBench } from './webhook-bench.ts';

const benches: WebhookBench[] = [];
afterEach(async () => {
  await Promise.all(benches.splice(0).map((bench) => bench.close()));
});

async function openBench(options?: Partial<WebhooksOptions>): Promise<WebhookBench> {
  const bench = await WebhookBench.open(options);
  benches.push(bench);
  return bench;
}

it('sends an event once, signed over the exact bytes that the stripe package accepts [R210 R211 R212 R214 R215 R216 R217]', async () => {
  const bench = await openBench();
  const receiver = await bench.receiver({ reply: { body: 'thanks' } });
  const { secret, endpoint } = await bench.endpoint(`${receiver.origin}/hook?x=1`);
  const id = await bench.announce({ id: 'job_1', note: 'Grüße ☂' });
  await bench.closed(1);

  expect(receiver.requests).toHaveLength(1);
  const [request] = await receiver.received();
  expect(request).toMatchObject({ method: 'POST', path: '/hook?x=1' });
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'svc-emulator-event': id,
  });
  const header = String(request?.headers['svc-signature']);
  expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  const event = new Stripe('sk_test').webhooks.constructEvent(request?.body ?? '', header, secret);
  expect(event).toEqual({
    id,
    type: 'image.generation.succeeded',
    created: expect.any(Number),
    data: { id: 'job_1', note: 'Grüße ☂' },
  });
  expect(bench.deliveries()).toEqual([
    {
      id: request?.headers['svc-emulator-delivery'],
      event_id: id,
      type: 'image.generation.succeeded',
      account_id: 'acct_1',
      endpoint_id: endpoint.id,
      url: `${receiver.origin}/hook?x=1`,
      status: 'delivered',
      redelivery_of: null,
      attempted_at: expect.stringMatching(/Z$/),
      duration_ms: expect.any(Number),
      response_status: 200,
      response_body: 'thanks',
      signature: header,
      error: null,
      created: expect.any(Number),
    },
  ]);
});
