import { expect, it } from 'vitest';
import { cert, key } from './untrusted-certificate.ts';
import { openBench } from './webhook-bench.ts';

const tls = { key, cert };

it('sends what is due to a public URL to the local one it is forwarded to, asking no name server [I072 I131]', async () => {
  const forwards = new Map<string, string>();
  const asked: string[] = [];
  const bench = await openBench({
    forwards,
    strict: true,
    resolve: (host) => {
      asked.push(host);
      return Promise.reject(new Error('asked'));
    },
  });
  const receiver = await bench.receiver();
  forwards.set('https://app.example.com', receiver.origin);
  await bench.endpoint('https://app.example.com/hook?x=1');
  await bench.publish();
  await bench.closed(1);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook?x=1']);
  expect(receiver.requests[0]?.headers.host).toBe(`127.0.0.1:${receiver.port}`);
  expect(asked).toEqual([]);
  expect(bench.deliveries()).toMatchObject([{ status: 'delivered', url: 'https://app.example.com/hook?x=1' }]);
});

it.each([['127.0.0.1'], ['::ffff:127.0.0.1'], ['10.0.0.1']])(
  'does not connect to a name that was public when it was given and resolves to %s now [R193]',
  async (inner) => {
    const answers = ['93.184.216.34', inner];
    const bench = await openBench({
      resolve: async () => [{ address: answers.shift() ?? inner, family: 4 }],
    });
    const receiver = await bench.receiver({ tls });
    await bench.endpoint(`https://rebound.example.com:${receiver.port}/`);
    await bench.publish();
    await bench.closed(1);
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

it('asks for the addresses of a name once a delivery, and uses those that it judged', async () => {
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
  await bench.publish();
  await bench.closed(1);
  expect(asked).toEqual(['at creation', 'rebound.example.com']);
});

it('refuses at delivery a name that does not resolve [I131]', async () => {
  const bench = await openBench({
    resolve: (host) => Promise.reject(new Error(`getaddrinfo ENOTFOUND ${host}`)),
  });
  await bench.endpoint('https://nowhere.example.com/');
  await bench.publish();
  await bench.closed(1);
  expect(bench.deliveries()).toMatchObject([{ status: 'failed', error: 'getaddrinfo ENOTFOUND nowhere.example.com' }]);
  expect(bench.webhooks.listEndpoints('ws_1')).toMatchObject([
    { lastStatus: null, lastDeliveryAt: expect.any(String) },
  ]);
});

it('does not connect in strict mode to a loopback URL that was given without [R193 I071]', async () => {
  const bench = await openBench();
  const receiver = await bench.receiver();
  await bench.endpoint(receiver.origin);
  await bench.webhooks.rest();
  bench.webhooks = bench.build({ strict: true });
  await bench.webhooks.wake();
  await bench.publish();
  await bench.closed(1);
  expect(receiver.connections).toBe(0);
  expect(bench.deliveries()).toMatchObject([{ status: 'failed', error: expect.stringContaining('--strict') }]);
});

it.each([['https://localhost'], ['https://127.0.0.1'], ['https://hooks.localhost']])(
  'takes any certificate of a receiver at %s, which need not be a name that resolves [I183]',
  async (base) => {
    const bench = await openBench();
    const receiver = await bench.receiver({ tls });
    await bench.endpoint(`${base}:${receiver.port}/`);
    await bench.publish();
    await bench.closed(1);
    expect(bench.deliveries()).toMatchObject([{ status: 'delivered', error: null }]);
  },
);

it('wants a valid certificate of a loopback receiver in strict mode [I183]', async () => {
  const forwards = new Map<string, string>();
  const bench = await openBench({ forwards, strict: true });
  const receiver = await bench.receiver({ tls });
  forwards.set('https://app.example.com', receiver.origin);
  await bench.endpoint('https://app.example.com/');
  await bench.publish();
  await bench.closed(1);
  expect(receiver.requests).toEqual([]);
  expect(bench.deliveries()).toMatchObject([
    { status: 'failed', error: expect.stringMatching(/SELF_SIGNED|self-signed/) },
  ]);
});
