import { expect, it } from 'vitest';
import type { Received } from '../../support/receiver.ts';
import { cert, key } from './untrusted-certificate.ts';
import { openBench, openDelivery } from './webhook-bench.ts';

/** Requests that wait until the test lets them go. */
class Gate {
  readonly #waiting: (() => void)[] = [];

  pass(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets the oldest waiting request continue. Returns false if none waits. */
  open(): boolean {
    const next = this.#waiting.shift();
    next?.();
    return next !== undefined;
  }
}

const jobOf = (request: Received) => JSON.parse(request.body).data.id;

it('sends deliveries to an endpoint one at a time, in the order of events [I074]', async () => {
  const bench = await openBench();
  let open = 0;
  let most = 0;
  const receiver = await bench.receiver({
    reply: async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      return {};
    },
  });
  await bench.endpoint(receiver.origin);
  const ids = Array.from({ length: 20 }, (_, n) => `job_${n}`);
  await Promise.all(ids.map((id) => bench.publish({ id })));
  await bench.closed(20);
  expect(receiver.requests.map(jobOf)).toEqual(ids);
  expect(most).toBe(1);
});

it('does not delay the deliveries to other endpoints if one endpoint is slow [I074]', async () => {
  const bench = await openBench();
  const gate = new Gate();
  const slow = await bench.receiver({ reply: () => gate.pass().then(() => ({})) });
  const quick = await bench.receiver();
  await bench.endpoint(slow.origin);
  await bench.endpoint(quick.origin);
  await bench.publish({ id: 'job_1' });
  await bench.publish({ id: 'job_2' });
  await bench.closed(2);
  await slow.received(1);
  expect(quick.requests.map(jobOf)).toEqual(['job_1', 'job_2']);
  expect(slow.requests.map(jobOf)).toEqual(['job_1']);
  expect(bench.pending()).toBe(2);

  gate.open();
  await slow.received(2);
  gate.open();
  await bench.webhooks.settled();
  expect(slow.requests.map(jobOf)).toEqual(['job_1', 'job_2']);
  expect(bench.pending()).toBe(0);
});

it('sends at most 64 deliveries at the same time, and the others when these have ended', async () => {
  const bench = await openBench();
  const gate = new Gate();
  const receiver = await bench.receiver({ reply: () => gate.pass().then(() => ({})) });
  const workspaces = ['ws_a', 'ws_b', 'ws_c', 'ws_d'];
  for (const id of workspaces) {
    await bench.addWorkspace(id, [`acct_${id}`]);
    for (let n = 0; n < 20; n += 1) {
      await bench.endpoint(`${receiver.origin}/${id}/${n}`, { workspaceId: id });
    }
  }
  const type = 'image.generation.succeeded' as const;
  await bench.database.transact((tx) => {
    for (const workspaceId of workspaces) {
      const accountId = `acct_${workspaceId}`;
      bench.webhooks.publish(tx, { type, workspaceId, accountId, data: { id: 'job_1' } });
    }
  });
  await receiver.received(64);
  const having = (wanted: string) => bench.deliveries().filter(({ status }) => status === wanted);
  expect(having('attempted')).toHaveLength(64);
  expect(having('due')).toHaveLength(16);
  while (gate.open());
  await receiver.received(80);
  while (gate.open());
  await bench.webhooks.settled();
  expect(having('delivered')).toHaveLength(80);
  expect(new Set(receiver.requests.map(({ path }) => path)).size).toBe(80);
});

it('sends no due delivery to a deleted endpoint [R119]', async () => {
  const { bench, receiver, endpoint } = await openDelivery({ reply: 'hang' });
  await bench.publish({ id: 'job_1' });
  await bench.publish({ id: 'job_2' });
  await receiver.received(1);
  expect(await bench.webhooks.removeEndpoint('ws_1', endpoint.id)).toBe(true);
  await bench.publish({ id: 'job_3' });
  await bench.webhooks.settled();

  expect(receiver.requests.map(jobOf)).toEqual(['job_1']);
  expect(bench.deliveries().map(({ status, error }) => ({ status, error }))).toEqual([
    { status: 'failed', error: 'the endpoint was deleted before this delivery was sent' },
    { status: 'failed', error: 'the endpoint was deleted during this attempt' },
  ]);
  expect(bench.events({ limit: 10 })).toHaveLength(3);
});

it('opens no connection for a delivery whose endpoint is deleted at the same time [R119]', async () => {
  const { bench, receiver, endpoint } = await openDelivery();
  await bench.publish();
  await bench.webhooks.removeEndpoint('ws_1', endpoint.id);
  await bench.webhooks.settled();
  expect(receiver.connections).toBe(0);
  expect(bench.deliveries()).toMatchObject([{ status: 'failed', response_status: null }]);
});

const tls = { key, cert };

it.each([['127.0.0.1'], ['::ffff:127.0.0.1'], ['10.0.0.1']])(
  'sends nothing to a host name that was public when its endpoint was created and resolves to %s at the delivery [R193]',
  async (inner) => {
    const answers = ['93.184.216.34', inner];
    const bench = await openBench({ resolve: async () => [{ address: answers.shift() ?? inner, family: 4 }] });
    const receiver = await bench.receiver({ tls });
    await bench.endpoint(`https://rebound.example.com:${receiver.port}/`);
    await bench.deliver();
    expect(receiver.connections).toBe(0);
    expect(bench.deliveries()).toMatchObject([
      {
        status: 'failed',
        response_status: null,
        error: `rebound.example.com resolves to ${inner}, which is not a public address`,
      },
    ]);
  },
);

it('resolves a host name only once for a delivery', async () => {
  const asked: string[] = [];
  const bench = await openBench({
    resolve: async (host) => {
      asked.push(host);
      return [{ address: asked.length > 1 ? '192.168.0.1' : '93.184.216.34', family: 4 }];
    },
  });
  await bench.endpoint('https://rebound.example.com/');
  asked.length = 0;
  asked.push('at creation');
  await bench.deliver();
  expect(asked).toEqual(['at creation', 'rebound.example.com']);
});

it('does not connect in strict mode to a loopback URL that was accepted without it [R193 I071]', async () => {
  const { bench, receiver } = await openDelivery();
  await bench.webhooks.stop();
  bench.webhooks = bench.build({ strict: true });
  await bench.webhooks.start();
  await bench.deliver();
  expect(receiver.connections).toBe(0);
  expect(bench.deliveries()).toMatchObject([{ status: 'failed', error: expect.stringContaining('--strict') }]);
});

it.each([['https://localhost'], ['https://127.0.0.1'], ['https://hooks.localhost']])(
  'accepts an untrusted certificate of a local receiver at %s [I183]',
  async (base) => {
    const bench = await openBench();
    const receiver = await bench.receiver({ tls });
    await bench.endpoint(`${base}:${receiver.port}/`);
    await bench.deliver();
    expect(bench.deliveries()).toMatchObject([{ status: 'delivered', error: null }]);
  },
);

it('requires a valid certificate of a loopback receiver in strict mode [I183]', async () => {
  const forwards = new Map<string, string>();
  const bench = await openBench({ forwards, strict: true });
  const receiver = await bench.receiver({ tls });
  forwards.set('https://app.example.com', receiver.origin);
  await bench.endpoint('https://app.example.com/');
  await bench.deliver();
  expect(receiver.requests).toEqual([]);
  expect(bench.deliveries()).toMatchObject([
    { status: 'failed', error: expect.stringMatching(/SELF_SIGNED|self-signed/) },
  ]);
});
