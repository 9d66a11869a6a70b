import { it } from 'vitest';
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
    ledger: ['charge -1', 'refund 1'],
  },
  {
    lie: 'charge.one_take',
    story: song,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', BALANCE, USAGE, 'ledger'],
    ledger: ['charge -3', 'charge -1', 'refund 1'],
  },
  {
    lie: 'charge.one_take',
    story: halfSong,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', 'ledger'],
    ledger: ['charge -3', 'charge -1', 'refund 1'],
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

it.each(ROWS)('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
