import { test as base } from 'svc-emulator/vitest';
import { expect } from 'vitest';
import { startShop } from './app.js';

const FAST = { sweepMs: 200, settleMs: 3_000, timeoutMs: 5_000, log: () => {} };

/** A shop with its own account and database, and a customer with 100 credits. */
const test = base.extend({
  shop: async ({ emulator, account }, use) => {
    const shop = await startShop({ baseUrl: emulator.baseUrl, apiKey: account.apiKey, file: ':memory:', ...FAST });
    shop.store.addCustomer('ada', 100);
    await use(shop);
    await shop.close();
  },
});

async function buy(shop, kind, prompt = 'a lighthouse') {
  const response = await fetch(`${shop.url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer: 'ada', kind, prompt }),
  });
  return { status: response.status, id: (await response.json()).id };
}

/** Waits until the order is final. */
async function finalOrder(shop, id) {
  let order;
  await expect
    .poll(
      async () => {
        order = await (await fetch(`${shop.url}/orders/${id}`)).json();
        return order.status;
      },
      { timeout: 50_000, interval: 100 },
    )
    .toMatch(/done|failed/);
  return order;
}

async function fileOf(shop, id) {
  const response = await fetch(`${shop.url}/orders/${id}/file`);
  expect(response.status).toBe(200);
  return { type: response.headers.get('content-type'), size: (await response.arrayBuffer()).byteLength };
}

const PAID = { image: 12, video: 36, song: 3 };
const SOLD = { image: 15, video: 50, song: 5 };
const TYPES = { image: 'image/png', video: 'video/mp4', song: 'audio/mpeg' };

test.for(['image', 'video', 'song'])('sells one %s', async (kind, { shop, account }) => {
  const { id } = await buy(shop, kind);
  expect(await finalOrder(shop, id)).toMatchObject({ status: 'done', credits: 100 - SOLD[kind] });
  const { type, size } = await fileOf(shop, id);
  expect(type).toBe(TYPES[kind]);
  expect(size).toBeGreaterThan(1_000);
  await expect(account).toHaveSpent({ credits: PAID[kind], refunds: 0 });
});

test('gives the price of a failed song back', async ({ shop, account }) => {
  const { id } = await buy(shop, 'song', 'a waltz [[fail]]');
  expect(await finalOrder(shop, id)).toMatchObject({ status: 'failed', error: 'render_failed', credits: 100 });
  await expect(account).toHaveSpent({ credits: 0, refunds: 1 });
});

test('sells nothing to a customer without credits', async ({ shop, account }) => {
  await buy(shop, 'video');
  await buy(shop, 'video');
  expect(await buy(shop, 'image')).toMatchObject({ status: 402 });
  for (const id of [1, 2]) expect(await finalOrder(shop, id)).toMatchObject({ status: 'done', credits: 0 });
  await expect(account).toHaveSpent({ credits: 72, refunds: 0 });
});
