import { expect, it } from 'vitest';
import { CHAT, exchange, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world({
  cors: ['https://app.example.com'],
  allowHost: 'emulator.internal',
  publicUrl: 'https://media.example.com/base',
});
// Loads the handler of unknown paths. During that wait the server would hang up on `raw`, which half-closes its connection.
await emulator.call('GET', '/nowhere');
const FOREIGN = { origin: 'https://evil.example' };

/** Sends a request with exactly this target and Host. */
async function raw(target: string, host: string, header = '') {
  const sent = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\n${header}connection: close\r\n\r\n`;
  const [head = '', body = ''] = (await exchange(emulator, sent)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), code: JSON.parse(body).error?.code };
}

it.each([
  'localhost',
  'LOCALHOST:4600',
  'a.localhost:80',
  '127.0.0.1',
  '127.9.9.9:1',
  '[::1]:4600',
  'host.docker.internal',
  'emulator.internal',
  'media.example.com',
])('accepts the Host %s, which is local or named by --allow-host or --public-url [I095]', async (host) => {
  expect(await raw('/v1/models', host)).toEqual({ status: 200, code: undefined });
});

it.each(['evil.example', 'localhost.evil.example', '10.0.0.1', '127.0.0.1.evil.example', '0.0.0.0:4600'])(
  'rejects the Host %s on known and unknown paths [I095 I165]',
  async (host) => {
    for (const target of ['/v1/models', '/_emulator/health', '/', '/nowhere']) {
      expect(await raw(target, host)).toEqual({ status: 403, code: 'forbidden_host' });
    }
  },
);

it.each(['a b', 'user@localhost', 'local host', 'localhost/x', ':::'])(
  'rejects the Host %j, from which no URL can be built [I144]',
  async (host) => {
    expect(await raw('/v1/models', host)).toEqual({ status: 400, code: 'invalid_request' });
  },
);

it.each([
  ['GET', '/_emulator/health'],
  ['GET', '/_emulator/accounts'],
  ['POST', '/_emulator/reset'],
  ['GET', '/_emulator/nowhere'],
])('rejects %s %s from a web page of another origin [I095 I165]', async (method, path) => {
  expectError(await emulator.call(method, path, undefined, FOREIGN), 403, 'forbidden_origin');
  const unknown = await emulator.call(method, path, undefined, { origin: 'null' });
  expectError(unknown, 403, 'forbidden_origin');
});

it.each([
  ['POST', '/_emulator/reset', 'same-site'],
  ['PUT', '/_emulator/clock', 'same-site'],
  ['DELETE', '/_emulator/faults', 'same-site'],
  ['POST', '/_emulator/mcp', 'same-site'],
  ['POST', '/_emulator/reset', 'cross-site'],
  ['GET', '/_emulator/inbox/port', 'same-site'],
  ['GET', '/_emulator/inbox/port/messages', 'same-site'],
])('rejects %s %s from another web page if the browser sends Sec-Fetch-Site: %s [I228]', async (method, path, site) => {
  const { status } = await emulator.call(method, path, undefined, { 'sec-fetch-site': site });
  expect(status).toBe(403);
  expect((await emulator.control('GET', '/inbox/port/messages')).body.data).toEqual([]);
});

it('accepts a link from another web page to a control operation that only reads [I228]', async () => {
  const { status } = await emulator.call('GET', '/_emulator/accounts', undefined, { 'sec-fetch-site': 'cross-site' });
  expect(status).toBe(200);
});

it.each([
  '/_EMULATOR/accounts',
  '/_Emulator/accounts',
  '//_emulator/accounts',
  '/%5Femulator/accounts',
  'http://localhost/_emulator/accounts',
])('rejects control operations from a web page of another origin also with the spelling %s [I095]', async (target) => {
  const { status } = await raw(target, 'localhost', 'origin: https://evil.example\r\n');
  expect([403, 404]).toContain(status);
});

it('accepts control operations from web pages of its own origin, local or public [I095]', async () => {
  for (const origin of [emulator.url, 'https://media.example.com']) {
    const { status } = await emulator.call('GET', '/_emulator/accounts', undefined, { origin });
    expect(status).toBe(200);
  }
});

it.each(['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:1', 'https://app.example.com'])(
  'allows the origin %s, which is local or named by --cors, to call the service [I163]',
  async (origin) => {
    const asked = { origin, 'access-control-request-method': 'POST' };
    const preflight = await emulator.call('OPTIONS', '/v1/chat/completions', undefined, asked);
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization/);
    const answer = await emulator.call('GET', '/v1/models', undefined, { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(answer.headers.get('access-control-expose-headers')).toMatch(/svc-emulator-warnings/);
  },
);

it('allows apps, extensions and pages without an origin to call the service if --cors names them [I163]', async () => {
  const apps = ['capacitor://localhost', 'chrome-extension://abcdefghijklmnop', 'app://-', 'null'];
  const named = await world({ cors: apps });
  for (const origin of apps) {
    const granted = await named.call('GET', '/v1/models', undefined, { origin });
    expect(granted.headers.get('access-control-allow-origin')).toBe(origin);
    const other = await emulator.call('GET', '/v1/models', undefined, { origin });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    expectError(await named.call('GET', '/_emulator/health', undefined, { origin }), 403, 'forbidden_origin');
  }
});

it('lets a web page of an allowed origin read errors too [I163]', async () => {
  const origin = 'http://localhost:5173';
  const answer = await emulator.call('POST', '/v1/chat/completions', CHAT, { origin });
  expectError(answer, 401, 'missing_api_key');
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
});

it.each(['https://evil.example', 'https://app.example.com.evil.example', 'null'])(
  'does not allow the origin %s to call the service [I163]',
  async (origin) => {
    const { headers } = await emulator.call('GET', '/v1/models', undefined, { origin });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const control = await emulator.call('GET', '/_emulator/health', undefined, { origin });
    expect(control.headers.get('access-control-allow-origin')).toBeNull();
  },
);

it('builds URLs with --public-url, not with the Host of the request [I144 I158]', async () => {
  const account = await emulator.account();
  const order = { prompt: 'a lighthouse', response_format: 'url' };
  const { body } = await account.post('/images/generations', order);
  expect(body.data[0].url).toMatch(/^https:\/\/media\.example\.com\/base\/cdn\//);
});
