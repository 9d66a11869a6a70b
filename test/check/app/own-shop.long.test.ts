import { expect, it } from 'vitest';
import { ExploreFindings, explore, type StoryParts } from '../../../src/index.ts';
import { SongShop } from '../../scenarios/shop/song-shop.ts';

/** A look that comes to nothing is taken again, a few times. */
const MOST_LOOKS = 5;

/** Sells a song, and looks after it whenever the service has nothing left to do, until it has come, or cannot come. */
function selling() {
  const shops = new Map<string, SongShop>();
  return {
    async story({ emulator, account, atEnd }: StoryParts) {
      const shop = new SongShop({ baseUrl: emulator.baseUrl, apiKey: account.apiKey }, { timeoutMs: 3000 });
      atEnd(() => shop.close());
      shops.set(account.id, shop);
      await shop.open();
      const order = await shop.sell('a waltz');
      for (let left = MOST_LOOKS; left > 0 && (order.status === 'open' || order.status === 'lost'); left -= 1) {
        await emulator.waitFor.idle({ accountId: account.id });
        await shop.catchUp();
      }
      if (order.status === 'open') throw new Error('The song never came.');
    },
    probe: ({ account }: StoryParts) =>
      shops.get(account.id)?.orders.map(({ status, file }) => ({ status, bytes: file?.length ?? 0 })),
  };
}

it('finds nothing any more in the shop of the scenarios, where it found these', async () => {
  const { story, probe } = selling();
  // Each of these broke it before it was mended.
  const only = ['lost_request', 'status:500', 'late', 'fails', 'instant', 'expired', 'truncated'];
  const options = { probe, only, bound: 1, budget: 0, jobs: 8, noSaved: true };
  const report = await explore(story, options).catch((error: unknown) => {
    if (error instanceof ExploreFindings) return error.report;
    throw error;
  });
  expect(report).toMatchObject({ findings: [], schedules_left: 0 });
  expect(Object.keys(report.by_deviation).toSorted()).toEqual(only.toSorted());
});
