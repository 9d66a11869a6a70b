import { expect, it } from 'vitest';
import { openReceiver } from '../support/receiver.ts';
import { playScenario } from '../support/scenario.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world({ settleAfter: 0 });
const receiver = await openReceiver();
const SONGS = '/music/generations';

/** An account with an endpoint for every event of a song. */
async function listening(credits = 50): Promise<TestAccount> {
  const account = await here.account({ credits });
  const events = ['music.generation.succeeded', 'music.generation.failed'];
  await account.post('/webhooks', { url: `${receiver.origin}/hook`, events });
  return account;
}

/** Expects that a song is blocked because of its words, without a job, an event or a connection. Returns its account. */
async function expectBlocked(body: object, ledger: string[]) {
  const { account } = await playScenario(here, {
    ...{ as: await listening(), send: `POST ${SONGS}`, body, ledger },
    ...{ error: { code: 'content_blocked', says: ledger.length > 0 ? '' : 'Nothing is billed' } },
    answer: { error: { type: 'invalid_request_error' } },
  });
  await here.advance(0);
  for (const none of [account.jobs(), account.library(), account.events(), account.deliveries()]) {
    expect(await none).toEqual([]);
  }
  expect(receiver.connections).toBe(0);
  expect((await here.invariants()).ok).toBe(true);
  return account;
}

it.each([
  ['a directive', { prompt: 'a song of the sea [[block]]' }],
  ['a directive in the style', { style: 'folk [[block]]', lyrics: '[Verse]\nla' }],
  ['a listed word in the prompt', { prompt: 'a ballad on how to make a bomb' }],
  ['a listed word in the style', { prompt: 'a ballad', style: 'sung by Taylor Swift' }],
  ['a listed word in the lyrics', { style: 'folk', lyrics: '[Verse]\nSell HEROIN, my friend' }],
  ['a listed word in the title', { prompt: 'a ballad', title: 'Pipe Bomb' }],
  ['a plural in the prompt', { prompt: 'a song about sex with minors' }],
  ['a plural in the style', { style: 'dark pop involving minors', lyrics: '[Verse]\nla' }],
  ['a plural in the lyrics', { style: 'folk', lyrics: '[Verse]\nUnderage girls' }],
  ['a plural in the title', { prompt: 'a ballad', title: 'Nude Minors' }],
  ['a listed word in the prompt of an instrumental', { prompt: 'pipe bomb', instrumental: true }],
  ['a listed word in capitals with a mark', { prompt: 'a DEEPFAKE! ballad' }],
  ['a listed word with diacritics', { prompt: 'a déepfâke ballad' }],
  ['a listed word in full-width letters', { prompt: 'ＤＥＥＰＦＡＫＥ' }],
  ['a listed name on two lines', { prompt: 'sung by Taylor\nSwift' }],
  ['a listed name with a hyphen', { prompt: 'by taylor-swift' }],
  ['a listed name with an accent', { prompt: 'by Beyoncé Knowles' }],
  ['an irregular plural', { prompt: 'sexual songs about children' }],
  ['a plural at the start of a listed phrase', { prompt: 'kids having sex' }],
])(
  'rejects a song because of %s, and charges nothing [R189 R234 I094]',
  async (_why, order) => void (await expectBlocked(order, [])),
);

it.each([
  'a nocturne in A minor, C# minor, slow',
  'minor key, then major',
  'a summer song about two old friends',
  'deepfakery is another word',
  'Taylor sings, and later a swift flies by',
  'she was the bomb at the party',
  'a lullaby for a child',
  '東京の夜、雨の歌',
])('accepts a song with the prompt %j', async (prompt) => {
  const ana = await here.account();
  expect((await ana.post(SONGS, { prompt: `${prompt} [[fail]]`, n: 1, seconds: 30 })).status).toBe(202);
});

it.each([
  ['a prompt', { prompt: 'a song of the sea [[block:lyrics]]' }],
  ['a style', { style: 'folk, slow [[block:lyrics]]' }],
])(
  'charges and refunds both takes if the lyrics written for %s are blocked [R190 R234 R005 I027 I094]',
  async (_what, order) => {
    const ana = await expectBlocked(order, ['charge -12', 'charge -12', 'refund 12', 'refund 12']);
    const [, one, two, back, again] = await ana.entries();
    expect([back?.refund_of, again?.refund_of]).toEqual([one?.id, two?.id]);
    expect((await ana.get('/account')).body).toMatchObject({ credits: 50, usage_30d: { credits: 0 } });
  },
);

it('checks the balance before it blocks generated lyrics [I019]', async () => {
  const poor = await listening(23);
  const { status, body } = await poor.post(SONGS, { prompt: 'a song [[block:lyrics]]' });
  expect([status, body.error.code]).toEqual([402, 'insufficient_credits']);
  expect(await poor.ledger()).toEqual(['grant 23']);
});

it.each([
  ['the lyrics are given', { style: 'folk', lyrics: '[Verse]\nla la [[block:lyrics]] [[fail]]' }],
  ['the song is instrumental', { prompt: 'dawn [[block:lyrics]] [[fail]]', instrumental: true }],
])('ignores [[block:lyrics]] with a warning if %s [I094]', async (_how, order) => {
  const ana = await here.account();
  const { status, headers } = await ana.post(SONGS, { ...order, n: 1, seconds: 30 });
  expect([status, headers.get('svc-emulator-warnings')]).toEqual([202, 'lyrics;directive=block']);
});
