import { it } from 'vitest';
import { expectTold, type Row } from './rows.ts';
import {
  chat,
  deletion,
  endpoints,
  failedChat,
  failedSong,
  files,
  halfSong,
  image,
  limited,
  poor,
  refusals,
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
  upload,
} from './stories.ts';
import { TwoWorlds } from './two-worlds.ts';

const worlds = await TwoWorlds.start();

const MONEY = ['balance.body.credits', 'balance.body.usage_30d', 'ledger'];
const POLLS = ['take 1', 'take 2', 'take 1 again', 'take 2 again'];
const EVENTS = ['events.0', 'events.1'];
const ORDERED = ['order.body', 'order.body.data.0', 'order.body.data.1'];
const REFUSALS = ['wrong', 'missing', 'blocked'];

/** These ends of each of these beginnings. */
const ends = (begins: readonly string[], ...paths: string[]) =>
  paths.flatMap((path) => begins.map((begin) => `${begin}.${path}`));

/** The same story, of whose events fewer come under the lie. */
function silent(story: Story): Story {
  return (teller) => {
    if (teller.isLiedTo) teller.silent = 0;
    return story(teller);
  };
}

const ROWS: Row[] = [
  { lie: 'file.other_take', story: songFiles, differs: ['sound 2'] },
  { lie: 'file.cut', story: songFiles, differs: ['file 1.body.bytes', 'file 2.body.bytes', 'sound 1', 'sound 2'] },
  { lie: 'file.cut', story: speech, differs: ['speech.body'] },
  { lie: 'file.page', story: speech, differs: ['speech.headers.content-type', 'speech.body'] },
  {
    lie: 'file.page',
    story: signed,
    match: { content_type: 'image/' },
    differs: ['read.headers.content-type', 'read.body'],
  },
  { lie: 'file.short', story: songFiles, differs: ['file 1.body', 'file 2.body', 'sound 1', 'sound 2'] },
  { lie: 'file.small', story: signed, differs: ['read.body'] },
  { lie: 'file.small', story: image, differs: ['image.body.data.0.b64_json'] },
  { lie: 'duration.asked', story: song, differs: ['take 1.body.duration', 'take 1 again.body.duration', 'take 2'] },
  { lie: 'bytes.wrong', story: upload, differs: ['upload.body.bytes'] },
  { lie: 'b64.cut', story: image, differs: ['image.body.data.0.b64_json'] },
  { lie: 'lyrics.other', story: song, differs: ['order.body.lyrics', 'order.body.data.', 'take 1', 'take 2'] },
  { lie: 'model.other', story: chat, differs: ['chat.body.model'], told: { 'chat/body/model': 'svc-rp-plus' } },
  { lie: 'chat.empty', story: chat, differs: ['chat.body.choices.0.message.content'] },
  { lie: 'chat.empty', story: streamed, differs: ['stream'] },
  { lie: 'chat.cut_as_stop', story: chat, differs: ['chat.body.choices.0.message.content'] },
  { lie: 'chat.cut_as_stop', story: streamed, differs: ['stream'] },
  { lie: 'chat.markup', story: chat, differs: ['chat.body.choices.0.message.content'] },
  { lie: 'chat.markup', story: streamed, differs: ['stream'] },
  { lie: 'stream.delta_twice', story: streamed, differs: ['stream'] },
  { lie: 'stream.no_usage', story: streamed, differs: ['stream.'] },
  {
    lie: 'field.missing',
    field: 'choices.*.finish_reason',
    story: chat,
    differs: ['chat.body.choices.0.finish_reason'],
  },
  {
    lie: 'field.null',
    field: 'choices',
    story: chat,
    differs: ['chat.body.choices'],
    told: { 'chat/body/choices': null },
  },
  { lie: 'field.text', field: 'bytes', story: upload, differs: ['upload.body.bytes'] },
  {
    lie: 'field.missing',
    field: 'data.seed',
    match: { event: 'music.generation.succeeded' },
    story: song,
    differs: ends(EVENTS, 'body.data.seed'),
  },
  { lie: 'error.no_code', story: refusals, differs: ends(REFUSALS, 'body.error.code') },
  { lie: 'error.text', story: refusals, differs: ends(REFUSALS, 'body.error') },
  { lie: 'error.html', story: refusals, differs: ends(REFUSALS, 'body', 'headers.content-type') },
  {
    lie: 'status.400_as_500',
    story: refusals,
    differs: ['wrong.status', 'blocked.status'],
    told: { 'wrong/status': 500 },
  },
  { lie: 'status.404_as_200', story: refusals, differs: ['missing.status'], told: { 'missing/status': 200 } },
  { lie: 'status.201_as_200', story: endpoints, differs: ['endpoint.status'], told: { 'endpoint/status': 200 } },
  {
    lie: 'blocked.renamed',
    story: refusals,
    differs: ['blocked.body.error.code'],
    told: { 'blocked/body/error/code': 'content_policy' },
  },
  { lie: '429.bare', story: limited, differs: ['limited.headers.retry-after'] },
  {
    lie: '429.date',
    story: limited,
    differs: ['limited.headers.retry-after'],
    told: { 'limited/headers/retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' },
  },
  {
    lie: 'time.ms',
    story: song,
    differs: [...ends(ORDERED, 'created'), 'take 1', 'take 2', ...ends(EVENTS, 'body.created')],
  },
  { lie: 'time.local', story: files, match: { path: '/v1/storage' }, differs: ['list.body.data', 'page.body.data'] },
  { lie: 'list.bare', story: files, differs: ['list.body', 'page.body'] },
  { lie: 'list.oldest', story: endpoints, differs: ['list.body.webhooks'] },
  { lie: 'refund.none', story: failedChat, differs: MONEY, ledger: ['charge -3'] },
  { lie: 'refund.none', story: failedSong, differs: MONEY, ledger: ['charge -3', 'charge -3'] },
  { lie: 'refund.one_of_two', story: failedSong, differs: MONEY, ledger: ['charge -3', 'charge -3', 'refund 3'] },
  { lie: 'refund.short', story: failedChat, differs: MONEY, ledger: ['charge -3', 'refund 2'] },
  { lie: 'refund.twice', story: failedChat, differs: MONEY, ledger: ['charge -3', 'refund 3', 'refund 3'] },
  { lie: 'refund.of_success', story: chat, differs: MONEY, ledger: ['charge -1', 'refund 1'] },
  { lie: 'charge.one_more', story: chat, differs: ['chat.body.usage', ...MONEY], ledger: ['charge -2'] },
  { lie: 'charge.twice', story: chat, differs: ['chat.body.usage', ...MONEY], ledger: ['charge -1', 'charge -1'] },
  { lie: 'charge.none', story: chat, differs: ['chat.body.usage', ...MONEY], ledger: ['charge 0'] },
  {
    lie: 'charge.one_take',
    story: song,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', ...MONEY],
    ledger: ['charge -3', 'charge 0'],
  },
  {
    lie: 'charge.one_take',
    story: halfSong,
    differs: ['order.body.usage', 'order.body.data.1.credits', 'take 2', 'ledger'],
    ledger: ['charge -3', 'charge 0'],
  },
  { lie: 'charge.blocked', story: refusedSong, differs: MONEY, ledger: ['charge -12', 'charge -12'] },
  { lie: 'charge.blocked', story: refusedLyrics, differs: MONEY, ledger: ['charge -3', 'charge -3'] },
  { lie: 'charge.store_free', story: storedImage, differs: ['image.body.usage', ...MONEY], ledger: ['charge -10'] },
  { lie: 'spent.zero', story: chat, differs: ['chat.body.usage.credits_spent'] },
  { lie: 'spent.zero', story: speech, differs: ['speech.headers.svc-emulator-credits-spent'] },
  { lie: 'spent.one_more', story: streamed, differs: ['stream.'] },
  { lie: 'remaining.stale', story: chat, differs: ['chat.body.usage.credits_remaining'] },
  { lie: 'remaining.other', story: chat, differs: ['chat.body.usage.credits_remaining'] },
  { lie: 'usage.missing', story: chat, differs: ['chat.body.usage'] },
  { lie: 'usage.text', story: song, differs: ['order.body.usage.'] },
  { lie: '402.as_200', story: poor, differs: ['chat.status', 'chat.headers', 'chat.body'] },
  { lie: '402.as_429', story: poor, differs: ['chat.status', 'chat.headers.retry-after', 'chat.body'] },
  { lie: 'hook.unsigned', story: song, differs: ends(EVENTS, 'signed', 'proof') },
  { lie: 'hook.other_secret', story: song, differs: ends(EVENTS, 'proof') },
  { lie: 'hook.altered', story: song, differs: ['events.'] },
  { lie: 'hook.old', story: song, differs: ends(EVENTS, 'proof') },
  { lie: 'key.any', story: revoked, differs: ['revoked'], lied: true },
  { lie: 'list.foreign', story: files, differs: ['list.body.data.22', 'page.body.data.2'] },
  { lie: 'url.any_signature', story: signed, differs: ['altered.'], told: { 'altered/status': 200 } },
  { lie: 'event.none', story: silent(song), differs: ['events'] },
  {
    lie: 'event.failed_as_done',
    story: failedSong,
    differs: [...ends(EVENTS, 'body.type', 'body.data.error'), 'events.'],
  },
  { lie: 'event.done_as_failed', story: song, differs: ends(EVENTS, 'body.type', 'body.data') },
  { lie: 'event.other_job', story: song, differs: ends(EVENTS, 'body.data.id') },
  { lie: 'event.takes_swapped', story: song, differs: ends(EVENTS, 'body.data.take', 'body.data.seed') },
  { lie: 'event.no_error', story: failedSong, differs: ends(EVENTS, 'body.data.error') },
  { lie: 'job.for_ever', story: song, differs: ends(POLLS, 'body') },
  { lie: 'job.no_url', story: song, differs: ends(POLLS, 'body.result_url') },
  { lie: 'job.new_status', story: failedSong, differs: ends(POLLS, 'body.status') },
  { lie: 'job.back', story: song, differs: ['take 1 again.body', 'take 2 again.body'] },
  { lie: 'job.404', story: song, differs: ['take 1.', 'take 2.', 'take 1 again.', 'take 2 again.'] },
  { lie: '202.one_job', story: song, differs: ['order.body.data.1'] },
  { lie: '202.swapped', story: song, differs: ['order.body.data.0', 'order.body.data.1'] },
  { lie: '202.as_200', story: song, differs: ['order.status', 'order.body'] },
  {
    lie: 'seed.same',
    story: song,
    differs: ['order.body.data.1.seed', 'take 2.body.seed', 'take 2 again.body.seed', 'events.'],
  },
  { lie: 'list.cut', story: files, differs: ['list.body.data.20', 'list.body.data.21'] },
  { lie: 'delete.kept', story: deletion, differs: ['file.'], told: { 'file/status': 200 }, lied: true },
];

it.each(ROWS)('tells $lie in row %# as it says, to one account alone', (row) => expectTold(worlds, row));
