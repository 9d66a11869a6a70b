import { once } from 'node:events';
import { createServer } from 'node:http';
import { test as base } from 'svc-emulator/vitest';
import { expect } from 'vitest';
import { recordShop } from './records.js';

const EVENTS = ['music.generation.succeeded', 'music.generation.failed'];

async function openShop(emulator, account) {
  const { app, sweep } = recordShop({ baseUrl: emulator.baseUrl, apiKey: account.apiKey, timeoutMs: 5_000 });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const { secret } = await emulator.control.addEndpoint({
    url: `${url}/hooks/media`,
    events: EVENTS,
    workspaceId: account.workspaceId,
  });
  app.locals.secret = secret;

  /** Nothing is under way any more, neither here nor at the service. */
  async function quiet() {
    await app.locals.idle();
    await emulator.waitFor.idle({ accountId: account.id, timeout: 40 });
    await app.locals.idle();
  }

  async function close() {
    await quiet();
    server.closeAllConnections();
    server.close();
    app.locals.close();
  }
  return { url, sweep, quiet, close };
}

const test = base.extend({
  shop: async ({ emulator, account }, use) => {
    const shop = await openShop(emulator, account);
    await use(shop);
    await shop.close();
  },
});

const post = (url, body) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const read = async (shop, id) => (await fetch(`${shop.url}/singles/${id}`)).json();

/** Orders a single and lets two days go by: it is done by then, with or without its webhooks. */
async function buy(shop, prompt) {
  const { id } = await (await post(`${shop.url}/singles`, { buyer: 'mara', prompt })).json();
  await shop.quiet();
  for (let night = 1; night <= 2 && !(await read(shop, id)).isDone; night++) {
    await shop.sweep();
    await shop.quiet();
  }
  return read(shop, id);
}

test('presses both sides of a single', async ({ shop, account }) => {
  expect(await buy(shop, 'a shanty')).toEqual({
    id: 1,
    status: 'accepted',
    isDone: true,
    sides: ['pressed', 'pressed'],
  });
  const sides = await Promise.all(
    [1, 2].map(async (take) => {
      const side = await fetch(`${shop.url}/singles/1/sides/${take}`);
      return Buffer.from(await side.arrayBuffer());
    }),
  );
  expect(sides[0].length).toBeGreaterThan(10_000);
  expect(sides[0].equals(sides[1])).toBe(false);
  await expect(account).toHaveSpent({ credits: 6, refunds: 0 });
});

test('shows which side failed', async ({ shop, account }) => {
  const { isDone, sides } = await buy(shop, 'a shanty [[fail:take=1]]');
  expect(isDone).toBe(true);
  expect(sides).toEqual(['render_failed', 'pressed']);
  await expect(account).toHaveSpent({ credits: 3, refunds: 1 });
});

test('fetches at night what no webhook brought', async ({ shop, emulator, account }) => {
  await emulator.faults.add({
    match: { accountId: account.id, path: '/v1/music' },
    effect: { webhook: 'drop' },
    times: 2,
  });
  expect(await buy(shop, 'a lullaby')).toMatchObject({ isDone: true, sides: ['pressed', 'pressed'] });
  await expect(account).toHaveSpent({ credits: 6, refunds: 0 });
});

test('finishes two singles, one after the other', async ({ shop, account }) => {
  expect(await buy(shop, 'a polka')).toMatchObject({ id: 1, isDone: true });
  expect(await buy(shop, 'a tango')).toMatchObject({ id: 2, isDone: true });
  await expect(account).toHaveSpent({ credits: 12, refunds: 0 });
});

test('orders nothing twice without credits', async ({ emulator }) => {
  const poor = await emulator.account({ credits: 5 });
  const shop = await openShop(emulator, poor);
  expect(await buy(shop, 'a waltz')).toMatchObject({ status: 'rejected', isDone: false });
  await expect(poor).toHaveSpent({ credits: 0, refunds: 0 });
  await shop.close();
});

test('rejects an event that it cannot verify', async ({ shop }) => {
  const event = {
    id: 'evt_1',
    type: EVENTS[0],
    data: { id: 'job_1', seed: 2, take: 1, result_url: 'http://127.0.0.1/' },
  };
  expect((await post(`${shop.url}/hooks/media`, event)).status).toBe(400);
});
