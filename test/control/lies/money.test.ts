import { expect, it } from 'vitest';
import { sampleOf } from '../../support/sample.ts';
import { world } from '../../support/world.ts';
import { expectTold, type Row } from './rows.ts';
import {
  chat,
  failedChat,
  failedSong,
  halfSong,
  poor,
  refusedLyrics,
  refusedSong,
  song,
  speech,
  storedImage,
  streamed,
} from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

const BALANCE = 'balance.body.credits';
const USAGE = 'balance.body.usage_30d';

const ROWS: Row[] = [
  { lie: 'refund.none', story: failedChat, differs: [BALANCE, USAGE, 'ledger'], ledger: ['charge -3'] },
  { lie: 'refund.none', story: failedSong, differs: [BALANCE, USAGE, 'ledger'], ledger: ['charge -3', 'charge -3'] },
  {
    lie: 'refund.one_of_two',
    story: failedSong,
    differs: [BALANCE, USAGE, 'ledger'],
    ledger: ['charge -3', 'charge -3', 'refund 3'],
  },
  { lie: 'refund.short', story: failedChat, differs: [BALANCE, USAGE, 'ledger'], ledger: ['charge -3', 'refund 2'] },
  {
    lie: 'refund.twice',
    story: failedChat,
    differs: [BALANCE, USAGE, 'ledger'],
    ledger: ['charge -3', 'refund 3', 'refund 3'],
  },
  { lie: 'refund.of_success', story: chat, differs: [BALANCE, USAGE, 'ledger'], ledger: ['charge -1', 'refund 1'] },
  {
    lie: 'charge.one_more',
    story: chat,
    differs: ['chat.body.usage', BALANCE, USAGE, 'ledger'],
    ledger: ['charge -2'],
  },
  {
    lie: 'charge.twice',
    story: chat,
    differs: ['chat.body.usage', BALANCE, USAGE, 'ledger'],
    ledger: ['charge -1', 'charge -1'],
  },
  {
    lie: 'charge.none',
    story: chat,
    differs: ['chat.body.usage', BALANCE, USAGE, 'ledger'],
    ledger: ['charge 0'],
  },
  {
    lie: 'charge.one_take',
    story: song,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', BALANCE, USAGE, 'ledger'],
    ledger: ['charge -3', 'charge 0'],
  },
  {
    lie: 'charge.one_take',
    story: halfSong,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', 'ledger'],
    ledger: ['charge -3', 'charge 0'],
  },
  {
    lie: 'charge.blocked',
    story: refusedSong,
    differs: [BALANCE, USAGE, 'ledger'],
    ledger: ['charge -12', 'charge -12'],
  },
  {
    lie: 'charge.blocked',
    story: refusedLyrics,
    differs: [BALANCE, USAGE, 'ledger'],
    ledger: ['charge -3', 'charge -3'],
  },
  {
    lie: 'charge.store_free',
    story: storedImage,
    differs: ['image.body.usage', BALANCE, USAGE, 'ledger'],
    ledger: ['charge -10'],
  },
  { lie: 'spent.zero', story: chat, differs: ['chat.body.usage.credits_spent'] },
  { lie: 'spent.zero', story: speech, differs: ['speech.headers.svc-emulator-credits-spent'] },
  { lie: 'spent.one_more', story: streamed, differs: ['stream.'] },
  { lie: 'remaining.stale', story: chat, differs: ['chat.body.usage.credits_remaining'] },
  { lie: 'remaining.other', story: chat, differs: ['chat.body.usage.credits_remaining'] },
  { lie: 'usage.missing', story: chat, differs: ['chat.body.usage'] },
  { lie: 'usage.text', story: song, differs: ['order.body.usage.'] },
  { lie: '402.as_200', story: poor, differs: ['chat.status', 'chat.headers', 'chat.body'] },
  { lie: '402.as_429', story: poor, differs: ['chat.status', 'chat.headers.retry-after', 'chat.body'] },
];

it.each(sampleOf(ROWS, 8))('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));

const emulator = await world();

it('charges nothing of an account that has nothing, and gives nothing back where that fails [R001 R005]', async () => {
  const account = await emulator.account({ credits: 0 });
  const match = { account_id: account.id };
  const { body: rule } = await emulator.control('POST', '/faults', { match, effect: { lie: 'charge.none' } });
  const order = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello' }] };
  const answered = await account.post('/chat/completions', order);
  expect([answered.status, answered.body.usage]).toEqual([200, { credits_spent: 0, credits_remaining: 0 }]);
  const failing = { ...order, model: 'svc-rp-plus', messages: [{ role: 'user', content: '[[fail]]' }] };
  expect((await account.post('/chat/completions', failing)).status).toBe(502);
  const song = await account.post('/music/generations', { prompt: 'A song about fog [[fail]]', seconds: 30, n: 2 });
  expect([song.status, song.body.usage]).toEqual([202, { credits_spent: 0, credits_remaining: 0 }]);
  await account.idle();
  expect(await account.ledger()).toEqual(['charge 0', 'charge 0', 'charge 0', 'charge 0']);
  expect((await emulator.control('GET', '/invariants')).body).toMatchObject({ ok: true, broken: [] });
  await emulator.control('DELETE', `/faults/${rule.id}`);
  expect((await account.post('/chat/completions', order)).status).toBe(402);
});
