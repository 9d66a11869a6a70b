import { expect, it, onTestFinished } from 'vitest';
import { type TestAccount, world } from '../support/world.ts';
import type { BadHabits } from './shop/bad-habits.ts';
import { SongShop } from './shop/song-shop.ts';

const emulator = await world();

interface BrokenShop {
  habits: BadHabits;
  finding: string;
  /** Brings about what the shop does wrong. */
  story(shop: SongShop, account: TestAccount): Promise<unknown>;
  credits?: number;
  timeoutMs?: number;
}

const fault = (account: TestAccount, effect: object) =>
  emulator.control('POST', '/faults', {
    match: { account_id: account.id, path: '/v1/music' },
    effect,
  });

const BROKEN: BrokenShop[] = [
  {
    habits: { retries402: true },
    finding: 'retried_402',
    credits: 0,
    story: (shop) => shop.sell('a polka'),
  },
  {
    habits: { ignoresRetryAfter: true },
    finding: 'ignored_retry_after',
    async story(shop, account) {
      await fault(account, { status: 429, retry_after: 2 });
      await shop.sell('a tango');
    },
  },
  {
    habits: { repeatsLostOrders: true },
    finding: 'paid_twice',
    timeoutMs: 400,
    async story(shop) {
      expect((await shop.sell('[[slow:600]] a waltz', { withCover: true })).status).toBe('lost');
      await emulator.advance(601);
    },
  },
  {
    habits: { pollsWithoutPause: true },
    finding: 'polled_too_often',
    async story(shop, account) {
      await emulator.control('PUT', '/progression', {
        mode: 'seconds',
        value: 60,
        account_id: account.id,
      });
      await shop.sell('a march');
      await emulator.control('PUT', '/progression', { mode: null, account_id: account.id });
    },
  },
  {
    habits: { trustsAnySignature: true },
    finding: 'accepted_forgery',
    async story(shop, account) {
      await fault(account, { webhook: 'bad_signature' });
      await shop.sell('a reel');
    },
  },
  {
    habits: { trustsOldSignatures: true },
    finding: 'accepted_forgery',
    async story(shop, account) {
      await fault(account, { webhook: 'old_timestamp' });
      await shop.sell('a jig');
    },
  },
  {
    habits: { worksBeforeItAnswers: true },
    finding: 'slow_receiver',
    story: (shop) => shop.sell('a ballad'),
  },
  {
    habits: { keepsLinksInsteadOfFiles: true },
    finding: 'used_expired_url',
    async story(shop, account) {
      const order = await shop.sell('a lullaby');
      await account.idle();
      await emulator.advance(8 * 86_400);
      expect(await shop.download(order)).toBeUndefined();
    },
  },
];

it.each(BROKEN)('reports for a shop with $habits only $finding', async (broken) => {
  const { account, shop } = await openShop(broken);
  await broken.story(shop, account);
  await account.idle();
  expect(await findings(account)).toEqual([broken.finding]);
});

/** A good shop has the file, and no link that could expire: that story says so of itself. */
const GOOD = BROKEN.filter(({ finding }) => finding !== 'used_expired_url');

it.each(GOOD)(
  'reports no finding for a correct shop under the same faults: $finding',
  async ({ habits: _, ...same }) => {
    const { account, shop } = await openShop(same);
    await same.story(shop, account);
    await account.idle();
    expect(await findings(account)).toEqual([]);
  },
);

async function openShop({ habits, timeoutMs, credits = 100 }: Partial<BrokenShop>) {
  const account = await emulator.account({ plan: 'studio', credits });
  const address = { baseUrl: `${emulator.url}/v1`, apiKey: account.key };
  const shop = new SongShop(address, { habits, timeoutMs });
  onTestFinished(() => shop.close());
  await shop.open();
  return { account, shop };
}

async function findings(account: TestAccount): Promise<string[]> {
  const { body } = await emulator.control('GET', `/verdict?account_id=${account.id}`);
  return body.findings.map(({ finding }: { finding: string }) => finding);
}
