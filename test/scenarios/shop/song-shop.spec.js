import { startEmulator } from 'svc-emulator';
import { test as withEmulator } from 'svc-emulator/vitest';
import { expect } from 'vitest';
import { SongShop } from './song-shop.ts';

/** A shop of its own for each test, on an account of its own. */
const test = withEmulator.extend({
  shop: async ({ emulator, account }, use) => {
    const shop = new SongShop({ baseUrl: emulator.baseUrl, apiKey: account.apiKey });
    await shop.open();
    await use(shop);
    shop.close();
    expect((await account.verdict()).findings).toEqual([]);
  },
});

const music = (account) => ({ account_id: account.id, path: '/v1/music' });
const settled = (emulator, account) => emulator.waitFor.idle({ accountId: account.id, timeout: 60 });

test('sells a song that can be played', async ({ emulator, account, shop }) => {
  const order = await shop.sell('a waltz for two');
  await settled(emulator, account);
  expect(order.status).toBe('ready');
  expect((await shop.download(order)).length).toBeGreaterThan(10_000);
  await expect(account).toHaveSpent({ credits: 3, refunds: 0 });
  await expect(account).toHaveDelivered('music.generation.succeeded');
});

test('gives the money back when a song fails', async ({ emulator, account, shop }) => {
  await emulator.faults.add({ match: music(account), effect: { fail_job: 'render_failed' } });
  const order = await shop.sell('a march');
  await settled(emulator, account);
  expect(order.status).toBe('refunded');
  await expect(account).toHaveSpent({ credits: 0, refunds: 1 });
});

test('sells nothing that it cannot pay for, and asks once', async ({ emulator }) => {
  const poor = await emulator.account({ plan: 'studio', credits: 0 });
  const shop = new SongShop({ baseUrl: emulator.baseUrl, apiKey: poor.apiKey });
  await shop.open();
  expect((await shop.sell('a polka')).status).toBe('unpaid');
  shop.close();
  await expect(poor).toHaveSpent({ credits: 0 });
  expect((await poor.verdict()).findings).toEqual([]);
});

test('comes again when it is asked to', async ({ emulator, account, shop }) => {
  await emulator.faults.add({ match: music(account), effect: { status: 429, retry_after: 1 } });
  expect((await shop.sell('a tango')).status).toBe('open');
  await settled(emulator, account);
  await expect(account).toHaveSpent({ credits: 3, refunds: 0 });
});

test('hears of each song once, whatever happens on the way', async ({ emulator, account, shop }) => {
  await emulator.faults.add({ match: music(account), effect: { webhook: 'duplicate' } });
  await emulator.faults.add({ match: music(account), effect: { webhook: 'bad_signature' } });
  const [first, second] = [await shop.sell('a reel'), await shop.sell('a jig')];
  await settled(emulator, account);
  expect([first.status, second.status]).toEqual(['ready', 'open']);
});

withEmulator('hands out what it sold when the links are long over', async () => {
  const emulator = await startEmulator();
  const account = await emulator.account({ plan: 'studio', credits: 50 });
  const shop = new SongShop({ baseUrl: emulator.baseUrl, apiKey: account.apiKey });
  await shop.open();
  const order = await shop.sell('a lullaby');
  await emulator.waitFor.idle({ timeout: 60 });
  await emulator.clock.advance({ days: 8 });
  expect((await fetch(order.link)).status).toBe(403);
  expect((await shop.download(order)).length).toBeGreaterThan(10_000);
  shop.close();
  await emulator.close();
});
