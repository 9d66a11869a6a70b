import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { openReceiver } from '../../support/receiver.ts';
import { exchange, expectError } from '../../support/wire.ts';
import { FIRST_KEY, type World, world } from '../../support/world.ts';

const TOKEN = 'a-token-of-the-test';
const emulator = await world({ host: '0.0.0.0', controlToken: TOKEN });
const WITH_TOKEN = { authorization: `Bearer ${TOKEN}` };

it.each(['/_emulator/health', '/_emulator/health/'])(
  'serves %s without the control token if --host is not loopback [I188]',
  async (path) => {
    expect((await emulator.call('GET', path)).status).toBe(200);
  },
);

it.each(['/_emulator/accounts', '/_emulator/jobs', '/_emulator/healthy', '/', '/dashboard'])(
  'requires the control token for %s if --host is not loopback [I095 I188]',
  async (path) => {
    expectError(await emulator.call('GET', path), 401, 'missing_api_key');
    const wrong = { authorization: 'Bearer another-token-of-test' };
    expectError(await emulator.call('GET', path, undefined, wrong), 401, 'invalid_api_key');
    const { status } = await emulator.call('GET', path, undefined, WITH_TOKEN);
    expect([200, 404]).toContain(status);
  },
);

it('serves /v1 without the control token, for different Hosts, if --host is not loopback [I095]', async () => {
  for (const host of ['localhost', 'emulator.internal:4600', 'media.example.com']) {
    const sent = `GET /v1/models HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    expect(await exchange(emulator, sent)).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(emulator.emulator.controlToken).toBe(TOKEN);
});

it('generates a control token if --host is not loopback and no token is set [I095]', async () => {
  const { emulator: made } = await world({ host: '0.0.0.0' });
  expect(made.controlToken).toMatch(/^[0-9A-Za-z]{32}$/);
});

it('accepts the control token in the URL of an inbox, but not in the URL of another control operation [I091 I095]', async () => {
  const inbox = '/_emulator/inbox/far';
  expectError(await emulator.call('POST', inbox, 'x'), 401, 'missing_api_key');
  expectError(await emulator.call('POST', `${inbox}?token=wrong`, 'x'), 401, 'missing_api_key');
  expect((await emulator.call('POST', `${inbox}?token=${TOKEN}`, 'x')).status).toBe(200);
  const elsewhere = await emulator.call('GET', `/_emulator/accounts?token=${TOKEN}`);
  expectError(elsewhere, 401, 'missing_api_key');
});

const EVENTS = ['image.generation.succeeded'];
const KEY = { authorization: `Bearer ${FIRST_KEY}` };

function register(here: World, url: string) {
  return here.call('POST', '/v1/webhooks', { url, events: EVENTS }, KEY);
}

function order(here: World) {
  return here.call('POST', '/v1/images/generations', { prompt: 'a lighthouse' }, KEY);
}

async function deliveries(here: World) {
  await here.call('GET', '/_emulator/wait?for=idle&timeout=60', undefined, WITH_TOKEN);
  return (await here.call('GET', '/_emulator/deliveries', undefined, WITH_TOKEN)).body.data;
}

it('rejects webhook receivers on this machine if --host is not loopback, and names --forward, which allows them', async () => {
  const receiver = await openReceiver();
  const { port } = new URL(receiver.origin);
  const before = (await emulator.call('GET', '/v1/account', undefined, KEY)).body.credits;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '0x7f000001', '127.1', 'a.localhost']) {
    const { param, message } = expectError(
      await register(emulator, `http://${host}:${port}/x`),
      400,
      'invalid_request',
    );
    expect([param, message]).toEqual(['url', expect.stringContaining('--forward https://your.host=http://')]);
  }
  expect((await order(emulator)).status).toBe(200);
  expect(await deliveries(emulator)).toEqual([]);
  expect(receiver.connections).toBe(0);
  expect((await emulator.call('GET', '/v1/account', undefined, KEY)).body.credits).toBeLessThan(before);
});

it('delivers to a receiver that --forward names, and to an inbox, if --host is not loopback [I072 I227]', async () => {
  const receiver = await openReceiver();
  const forward = [`https://app.example.com=${receiver.origin}`];
  const here = await world({ host: '0.0.0.0', controlToken: TOKEN, forward });
  const inbox = `${here.url.replace('0.0.0.0', '127.0.0.1')}/_emulator/inbox/own?token=${TOKEN}`;
  for (const url of ['https://app.example.com/a', `${receiver.origin}/b`, inbox]) {
    expect((await register(here, url)).status).toBe(201);
  }
  await order(here);
  expect((await deliveries(here)).map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('delivered'));
  expect(receiver.requests.map(({ path }) => path).sort()).toEqual(['/a', '/b']);
});

it('does not deliver to a receiver on this machine that was registered before a restart with a --host that is not loopback', async () => {
  const receiver = await openReceiver();
  const options = { ephemeral: false, dataDir: `${emptyFolder()}/data`, controlToken: TOKEN };
  const near = await world(options);
  expect((await register(near, `${receiver.origin}/x`)).status).toBe(201);
  await near.close();
  const here = await world({ ...options, host: '0.0.0.0' });
  await order(here);
  const [delivery] = await deliveries(here);
  expect(delivery).toMatchObject({ status: 'failed', response_status: null });
  expect(delivery.error).toContain('--forward https://your.host=http://127.0.0.1');
  expect(receiver.connections).toBe(0);
});
