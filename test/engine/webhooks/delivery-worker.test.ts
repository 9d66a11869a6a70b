import { expect, it } from 'vitest';
import type { Reply } from '../../support/receiver.ts';
import { constructStripeEvent } from './stripe-receiver.ts';
import { openBench, openDelivery } from './webhook-bench.ts';

it.each([
  [201, 'delivered', null],
  [204, 'delivered', null],
  [299, 'delivered', null],
  [301, 'failed', 'returned 301: redirects are not followed, return 2xx'],
  [302, 'failed', 'returned 302: redirects are not followed, return 2xx'],
  [307, 'failed', 'returned 307: redirects are not followed, return 2xx'],
  [308, 'failed', 'returned 308: redirects are not followed, return 2xx'],
  [400, 'failed', 'returned 400, not 2xx'],
  [404, 'failed', 'returned 404, not 2xx'],
  [500, 'failed', 'returned 500, not 2xx'],
  [503, 'failed', 'returned 503, not 2xx'],
])(
  'records a delivery with the response status %i as %s, follows no redirect and does not retry [R043 R217 I073]',
  async (status, outcome, error) => {
    const bench = await openBench();
    const elsewhere = await bench.receiver();
    const receiver = await bench.receiver({
      reply: { status, headers: { location: `${elsewhere.origin}/moved`, 'retry-after': '0' } },
    });
    await bench.endpoint(receiver.origin);
    await bench.publish();
    await bench.webhooks.settled();

    const [delivery, ...more] = bench.deliveries();
    expect(delivery).toMatchObject({ status: outcome, response_status: status, error });
    expect(more).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
    expect(elsewhere.connections).toBe(0);
    const [endpoint] = bench.endpoints();
    expect(endpoint).toMatchObject({
      lastStatus: status,
      lastDeliveryAt: expect.stringMatching(/Z$/),
    });
  },
);

it('deletes an endpoint that returns 410, and sends it no due delivery [R118]', async () => {
  const { bench, receiver } = await openDelivery({ reply: { status: 410 } });
  const { endpoint: other } = await bench.endpoint(`${receiver.origin}/other`, {
    events: ['flow.run.failed'],
  });
  await Promise.all([bench.publish(), bench.publish(), bench.publish()]);
  await bench.closed(3);
  await bench.publish();
  await bench.webhooks.settled();

  expect(receiver.requests).toHaveLength(1);
  expect(bench.deliveries().map(({ status, error }) => ({ status, error }))).toEqual([
    { status: 'failed', error: 'the endpoint was deleted before this delivery was sent' },
    { status: 'failed', error: 'the endpoint was deleted before this delivery was sent' },
    { status: 'failed', error: 'returned 410: the endpoint was deleted' },
  ]);
  expect(bench.endpoints().map(({ id }) => id)).toEqual([other.id]);
});

const NEVER = () => new Promise<never>(() => {});
const SLOW = 'https://slow.example.com/hook';
const LATE = 'timeout: no complete response within 10000 ms';

/** Columns: name, setup, milliseconds until the attempt is given up, and the recorded error. */
it.each<[string, Parameters<typeof openBench>[0] & { reply?: Reply; to?: string }, number, string | RegExp]>([
  ['a response that does not come within 10 s', { reply: 'hang' }, 10_000, LATE],
  ['a response that does not end within 10 s', { reply: { body: 'never', stall: true } }, 10_000, LATE],
  [
    'a host name that does not resolve within 2 s',
    { resolve: NEVER, to: SLOW },
    2000,
    'slow.example.com did not resolve within 2 s',
  ],
  [
    'a host name that does not resolve within the time limit of the attempt',
    { resolve: NEVER, to: SLOW, limits: { attemptMs: 1000 } },
    1000,
    'timeout: no complete response within 1000 ms',
  ],
  [
    'a host name that does not exist',
    {
      resolve: (host) => Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`)),
      to: 'https://nowhere.example.com/',
    },
    0,
    'getaddrinfo ENOTFOUND nowhere.example.com',
  ],
  ['a port where nobody listens', { to: 'http://127.0.0.1:1/' }, 0, /ECONNREFUSED/],
  ['a receiver that hangs up', { reply: 'hang-up' }, 0, /./],
])('fails a delivery because of %s, and records no response status [R218 I130 I131 I182]', async (...row) => {
  const [, { reply = {}, to, ...options }, after, error] = row;
  const bench = await openBench(options);
  const receiver = await bench.receiver({ reply });
  const created = bench.endpoint(to ?? receiver.origin);
  // Creating the endpoint resolves the name too.
  bench.clock.elapse(2000);
  await created;
  await bench.publish();
  await (to ? bench.inFlight() : receiver.received());
  if (after > 0) {
    bench.clock.elapse(after - 1);
    expect(bench.deliveries()).toMatchObject([{ status: 'attempted' }]);
    bench.clock.elapse(1);
  }
  await bench.closed(1);
  expect(bench.deliveries()).toMatchObject([
    { status: 'failed', response_status: null, error: expect.stringMatching(error) },
  ]);
  expect(bench.endpoints()).toMatchObject([{ lastStatus: null, lastDeliveryAt: expect.any(String) }]);
});

it('keeps the first 4 KiB of the response of a receiver, and splits no character', async () => {
  const { bench } = await openDelivery({ reply: { body: `x${'ü'.repeat(100_000)}` } });
  await bench.deliver();
  const [delivery] = bench.deliveries();
  expect(delivery?.status).toBe('delivered');
  expect(delivery?.response_body).toBe(`x${'ü'.repeat(2047)}`);
});

it('records an attempt to deliver before it starts [I075]', async () => {
  const bench = await openBench();
  const seen: unknown[] = [];
  const receiver = await bench.receiver({
    reply: () => {
      seen.push(...bench.deliveries());
      return {};
    },
  });
  await bench.endpoint(receiver.origin);
  await bench.deliver();
  expect(seen).toMatchObject([{ status: 'attempted', attempted_at: expect.any(String) }]);
});

it("signs a delivery with real time, and records the emulator's time [R216 I126]", async () => {
  const bench = await openBench();
  await bench.clock.set({ now: Date.UTC(2031, 0, 1), frozen: true });
  const receiver = await bench.receiver();
  const { secret } = await bench.endpoint(receiver.origin);
  await bench.deliver();
  const [request] = receiver.requests;
  expect(constructStripeEvent(request, secret)).toMatchObject({
    created: Date.UTC(2031, 0, 1) / 1000,
  });
  const [endpoint] = bench.endpoints();
  expect(endpoint?.lastDeliveryAt).toBe('2031-01-01T00:00:00.000Z');
});
