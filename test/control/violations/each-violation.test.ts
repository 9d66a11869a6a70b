import { it } from 'vitest';
import { expectTold, type Row } from './rows.ts';
import {
  chat,
  deletion,
  failedChat,
  failedSong,
  files,
  halfSong,
  image,
  poor,
  refusedLyrics,
  refusedSong,
  revoked,
  type Story,
  signed,
  song,
  songFiles,
  speech,
  storedImage,
  streamed,
} from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

const MONEY = ['balance.body.credits', 'balance.body.usage_30d', 'ledger'];
const POLLS = ['take 1', 'take 2', 'take 1 again', 'take 2 again'];
const EVENTS = ['events.0', 'events.1'];

/** These ends of each of these beginnings. */
const ends = (begins: readonly string[], ...paths: string[]) =>
  paths.flatMap((path) => begins.map((begin) => `${begin}.${path}`));

/** The same story, of whose events fewer come under the violation. */
function silent(story: Story): Story {
  return (teller) => {
    if (teller.isViolated) teller.silent = 0;
    return story(teller);
  };
}

const ROWS: Row[] = [
  { violation: 'file.other_take', story: songFiles, differs: ['sound 2'] },
  {
    violation: 'file.cut',
    story: songFiles,
    differs: ['file 1.body.bytes', 'file 2.body.bytes', 'sound 1', 'sound 2'],
  },
  { violation: 'file.cut', story: speech, differs: ['speech.body'] },
  { violation: 'file.page', story: speech, differs: ['speech.headers.content-type', 'speech.body'] },
  {
    violation: 'file.page',
    story: signed,
    match: { content_type: 'image/' },
    differs: ['read.headers.content-type', 'read.body'],
  },
  { violation: 'file.short', story: songFiles, differs: ['file 1.body', 'file 2.body', 'sound 1', 'sound 2'] },
  { violation: 'file.small', story: signed, differs: ['read.body'] },
  { violation: 'file.small', story: image, differs: ['image.body.data.0.b64_json'] },
  { violation: 'stream.delta_twice', story: streamed, differs: ['stream'] },
  { violation: 'stream.no_usage', story: streamed, differs: ['stream.'] },
  { violation: 'refund.none', story: failedChat, differs: MONEY, ledger: ['charge -3'] },
  { violation: 'refund.none', story: failedSong, differs: MONEY, ledger: ['charge -3', 'charge -3'] },
  { violation: 'refund.one_of_two', story: failedSong, differs: MONEY, ledger: ['charge -3', 'charge -3', 'refund 3'] },
  { violation: 'refund.short', story: failedChat, differs: MONEY, ledger: ['charge -3', 'refund 2'] },
  { violation: 'refund.twice', story: failedChat, differs: MONEY, ledger: ['charge -3', 'refund 3', 'refund 3'] },
  { violation: 'refund.of_success', story: chat, differs: MONEY, ledger: ['charge -1', 'refund 1'] },
  { violation: 'charge.one_more', story: chat, differs: ['chat.body.usage', ...MONEY], ledger: ['charge -2'] },
  {
    violation: 'charge.twice',
    story: chat,
    differs: ['chat.body.usage', ...MONEY],
    ledger: ['charge -1', 'charge -1'],
  },
  { violation: 'charge.none', story: chat, differs: ['chat.body.usage', ...MONEY], ledger: ['charge 0'] },
  {
    violation: 'charge.one_take',
    story: song,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', ...MONEY],
    ledger: ['charge -3', 'charge 0'],
  },
  {
    violation: 'charge.one_take',
    story: halfSong,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', 'ledger'],
    ledger: ['charge -3', 'charge 0'],
  },
  { violation: 'charge.blocked', story: refusedSong, differs: MONEY, ledger: ['charge -12', 'charge -12'] },
  { violation: 'charge.blocked', story: refusedLyrics, differs: MONEY, ledger: ['charge -3', 'charge -3'] },
  {
    violation: 'charge.store_free',
    story: storedImage,
    differs: ['image.body.usage', ...MONEY],
    ledger: ['charge -10'],
  },
  { violation: 'spent.zero', story: chat, differs: ['chat.body.usage.credits_spent'] },
  { violation: 'spent.zero', story: speech, differs: ['speech.headers.svc-emulator-credits-spent'] },
  { violation: 'spent.one_more', story: streamed, differs: ['stream.'] },
  { violation: 'remaining.stale', story: chat, differs: ['chat.body.usage.credits_remaining'] },
  { violation: 'remaining.other', story: chat, differs: ['chat.body.usage.credits_remaining'] },
  { violation: 'usage.missing', story: chat, differs: ['chat.body.usage'] },
  { violation: 'usage.text', story: song, differs: ['order.body.usage.'] },
  { violation: '402.as_200', story: poor, differs: ['chat.status', 'chat.headers', 'chat.body'] },
  { violation: '402.as_429', story: poor, differs: ['chat.status', 'chat.headers.retry-after', 'chat.body'] },
  { violation: 'hook.unsigned', story: song, differs: ends(EVENTS, 'signed', 'proof') },
  { violation: 'hook.other_secret', story: song, differs: ends(EVENTS, 'proof') },
  { violation: 'hook.altered', story: song, differs: ['events.'] },
  { violation: 'hook.old', story: song, differs: ends(EVENTS, 'proof') },
  { violation: 'key.any', story: revoked, differs: ['revoked'], violated: true },
  { violation: 'list.foreign', story: files, differs: ['list.body.data.22', 'page.body.data.2'] },
  { violation: 'url.any_signature', story: signed, differs: ['altered.'], told: { 'altered/status': 200 } },
  { violation: 'event.none', story: silent(song), differs: ['events'] },
  {
    violation: 'event.failed_as_done',
    story: failedSong,
    differs: [...ends(EVENTS, 'body.type', 'body.data.error'), 'events.'],
  },
  { violation: 'event.done_as_failed', story: song, differs: ends(EVENTS, 'body.type', 'body.data') },
  { violation: 'event.other_job', story: song, differs: ends(EVENTS, 'body.data.id') },
  { violation: 'event.takes_swapped', story: song, differs: ends(EVENTS, 'body.data.take', 'body.data.seed') },
  { violation: 'event.no_error', story: failedSong, differs: ends(EVENTS, 'body.data.error') },
  { violation: 'job.for_ever', story: song, differs: ends(POLLS, 'body') },
  { violation: 'job.no_url', story: song, differs: ends(POLLS, 'body.result_url') },
  { violation: 'job.new_status', story: failedSong, differs: ends(POLLS, 'body.status') },
  { violation: 'job.back', story: song, differs: ['take 1 again.body', 'take 2 again.body'] },
  { violation: 'job.404', story: song, differs: ['take 1.', 'take 2.', 'take 1 again.', 'take 2 again.'] },
  { violation: '202.one_job', story: song, differs: ['order.body.data.1'] },
  { violation: '202.swapped', story: song, differs: ['order.body.data.0', 'order.body.data.1'] },
  { violation: '202.as_200', story: song, differs: ['order.status', 'order.body'] },
  {
    violation: 'seed.same',
    story: song,
    differs: ['order.body.data.1.seed', 'take 2.body.seed', 'take 2 again.body.seed', 'events.'],
  },
  { violation: 'list.cut', story: files, differs: ['list.body.data.20', 'list.body.data.21'] },
  { violation: 'delete.kept', story: deletion, differs: ['file.'], told: { 'file/status': 200 }, violated: true },
];

it.each(ROWS)('applies $violation in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
