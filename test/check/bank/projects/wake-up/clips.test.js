import { once } from 'node:events';
import { createServer } from 'node:http';
import { test as base } from 'svc-emulator/vitest';
import { expect } from 'vitest';
import { clipShop } from './clips.js';

const EVENTS = ['video.generation.succeeded', 'video.generation.failed'];

async function openShop(emulator, account) {
  const app = clipShop({ baseURL: emulator.baseUrl, apiKey: account.apiKey, recheckMs: 1_000, timeout: 5_000 });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const endpoint = { url: `${url}/events`, events: EVENTS, workspaceId: account.workspaceId };
  app.locals.secret = (await emulator.control.addEndpoint(endpoint)).secret;
  app.locals.addCustomer('ada', 60);
  app.locals.addCustomer('bob', 50);
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await app.locals.close();
  };
  return { url, close };
}

const test = base.extend({
  shop: async ({ emulator, account }, use) => {
    const shop = await openShop(emulator, account);
    await use(shop);
    await shop.close();
  },
});

const get = async (shop, path) => (await fetch(`${shop.url}${path}`)).json();

async function order(shop, customer, prompt) {
  const body = JSON.stringify({ customer, prompt });
  const response = await fetch(`${shop.url}/clips`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, ...(await response.json()) };
}

async function finalClip(shop, { id }) {
  await expect
    .poll(async () => (await get(shop, `/clips/${id}`)).status, { timeout: 40_000, interval: 100 })
    .not.toBe('rendering');
  return get(shop, `/clips/${id}`);
}

test('sells a clip and mails once', async ({ shop, emulator, account }) => {
  const placed = await order(shop, 'ada', 'a pier at dusk');
  expect(placed.status).toBe(202);
  expect(await finalClip(shop, placed)).toMatchObject({ status: 'ready', error: null });
  const file = await fetch(`${shop.url}/clips/${placed.id}/file`);
  expect(file.headers.get('content-type')).toBe('video/mp4');
  expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  await emulator.waitFor.idle({ accountId: account.id, timeout: 30 });
  expect(await get(shop, '/customers/ada')).toMatchObject({
    credits: 10,
    mails: ['Your clip "a pier at dusk" is ready.'],
  });
  await expect(account).toHaveSpent({ credits: 36, refunds: 0 });
});

test('gives the credits of a failed clip back', async ({ shop, account }) => {
  const placed = await order(shop, 'ada', 'a pier [[fail]]');
  expect(placed.status).toBe(202);
  expect(await finalClip(shop, placed)).toMatchObject({ status: 'failed', error: 'render_failed' });
  expect(await get(shop, '/customers/ada')).toMatchObject({ credits: 60, mails: [] });
  await expect(account).toHaveSpent({ credits: 0, refunds: 1 });
});

test('serves two customers at the same time', async ({ shop, account }) => {
  const placed = await Promise.all([order(shop, 'ada', 'a red boat'), order(shop, 'bob', 'a blue boat')]);
  expect(placed.map(({ status }) => status)).toEqual([202, 202]);
  for (const clip of placed) expect(await finalClip(shop, clip)).toMatchObject({ status: 'ready' });
  expect(await get(shop, '/customers/bob')).toMatchObject({ credits: 0 });
  await expect(account).toHaveSpent({ credits: 72, refunds: 0 });
});

test('sells nothing to a customer with too few credits', async ({ shop, account }) => {
  const placed = await order(shop, 'bob', 'a pier');
  expect(placed.status).toBe(202);
  expect(await order(shop, 'bob', 'another pier')).toMatchObject({ status: 402 });
  expect(await finalClip(shop, placed)).toMatchObject({ status: 'ready' });
  await expect(account).toHaveSpent({ credits: 36, refunds: 0 });
});

test('returns 502 if the shop itself has no credits', async ({ emulator }) => {
  const poor = await emulator.account({ credits: 10 });
  const shop = await openShop(emulator, poor);
  expect(await order(shop, 'ada', 'a pier')).toMatchObject({ status: 502 });
  expect(await get(shop, '/customers/ada')).toMatchObject({ credits: 60 });
  await shop.close();
});

test('ignores an event without a signature', async ({ shop }) => {
  const body = JSON.stringify({ id: 'evt_1', type: EVENTS[0], data: { id: 'job_1' } });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${shop.url}/events`, { method: 'POST', headers, body })).status).toBe(400);
});
