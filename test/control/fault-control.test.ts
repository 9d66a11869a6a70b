import { expect, it } from 'vitest';
import { reply } from '../support/scripting.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { type World, world } from '../support/world.ts';

const emulator = await world();
const STATUS = { status: 503 };

async function made(here: World, order: object): Promise<string> {
  const { status, body } = await here.control('POST', '/faults', order);
  expect(status).toBe(201);
  return body.id;
}

async function ids(here: World, query = ''): Promise<string[]> {
  const { body } = await here.control('GET', `/faults${query}`);
  return body.data.map(({ id }: { id: string }) => id);
}

it('returns a fault rule as created, with the numbers of past and remaining applications [I088 I143]', async () => {
  const account = await emulator.account();
  const match = { path: '/v1/chat', model: 'svc-rp-mini', contains: 'there', account_id: account.id };
  const order = { match, times: 3, effect: { status: 503, code: 'overloaded', retry_after: 2 } };
  const ordered = await emulator.control('POST', '/faults', { ...order, ttl_seconds: 60 });
  expect([ordered.status, ordered.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^flt_[0-9a-f]{24}$/),
      ...order,
      text: 'Returns 503 overloaded, retry after 2 s',
      applied: 0,
      remaining: 3,
      probability: 1,
      ttl_seconds: 60,
      created: expect.any(Number),
      expires: ordered.body.created + 60,
    },
  ]);
  const appliedFault = await account.post('/chat/completions', CHAT);
  expectError(appliedFault, 503, 'overloaded');
  expect(appliedFault.headers.get('retry-after')).toBe('2');
  const { body } = await emulator.control('GET', `/faults?account_id=${account.id}`);
  expect(body.data).toEqual([{ ...ordered.body, applied: 1, remaining: 2 }]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('lists fault rules in pages, newest first, and removes one rule, those of an account, or all [I088 I146]', async () => {
  const here = await world();
  const ana = await here.account();
  const ben = await here.account();
  const of = (account_id: string) => ({ match: { account_id }, effect: STATUS });
  const first = await made(here, { effect: { delay_ms: 1 } });
  const anas = await made(here, of(ana.id));
  const bens = await made(here, of(ben.id));
  expect(await ids(here)).toEqual([bens, anas, first]);
  expect(await ids(here, `?limit=1&after=${bens}`)).toEqual([anas]);
  expect(await ids(here, `?account_id=${ana.id}`)).toEqual([anas]);

  expect((await here.control('DELETE', `/faults?account_id=${ana.id}`)).status).toBe(204);
  expect((await ana.get('/account')).status).toBe(200);
  expect(await ids(here)).toEqual([bens, first]);
  expect((await here.control('DELETE', `/faults/${bens}`)).status).toBe(204);
  expect((await ben.get('/account')).status).toBe(200);
  expectError(await here.control('DELETE', `/faults/${bens}`), 404, 'not_found');
  expect((await here.control('DELETE', '/faults')).status).toBe(204);
  expect(await ids(here)).toEqual([]);
});

const on = (match: object, effect: object = STATUS) => ({ match, effect });
it.each<[string, object | null, string | null]>([
  ['a path that no operation has', on({ path: '/v2' }), 'match.path'],
  ['a path of control operations', on({ path: '/_emulator' }), 'match.path'],
  ['a path without its slash', on({ path: 'v1' }), 'match.path'],
  ['an unknown model', on({ model: 'gpt-4o' }), 'match.model'],
  ['an unknown account', on({ account_id: 'acct_x' }), 'match.account_id'],
  ['a misspelt field of match', on({ pth: '/v1' }), 'match.pth'],
  ['a misspelt field', { time: 3, effect: STATUS }, 'time'],
  ['a model of another kind than the path', on({ path: '/v1/images', model: 'svc-rp-mini' }), 'match.model'],
  ['a text to find in requests that have no body', on({ path: '/v1/account', contains: 'x' }), 'match.contains'],
  ['no effect', {}, 'effect'],
  ['an empty effect', { effect: {} }, 'effect'],
  ['an unknown effect', { effect: { explode: true } }, 'effect.explode'],
  ['two effects', { effect: { ...STATUS, drop: true } }, 'effect.drop'],
  ['a code without a status', { effect: { drop: true, code: 'x' } }, 'effect.code'],
  ['a status that is no error', { effect: { status: 200 } }, 'effect.status'],
  ['a code that contains spaces', { effect: { status: 500, code: 'Out of memory' } }, 'effect.code'],
  ['the value false for drop', { effect: { drop: false } }, 'effect.drop'],
  ['a delay of 0', { effect: { delay_ms: 0 } }, 'effect.delay_ms'],
  ['a stream effect without a change', { effect: { stream: {} } }, 'effect.stream'],
  [
    'a broken event after the cut',
    { effect: { stream: { cut_after: 2, malformed_at: 3 } } },
    'effect.stream.malformed_at',
  ],
  ['event number 0', { effect: { stream: { cut_after: 0 } } }, 'effect.stream.cut_after'],
  ['an unknown effect on a delivery', { effect: { webhook: 'lost' } }, 'effect.webhook'],
  ['a stream effect on a path without one', on({ path: '/v1/images' }, { stream: { cut_after: 1 } }), 'effect.stream'],
  ['a webhook effect on a path without events', on({ path: '/v1/audio' }, { webhook: 'late' }), 'effect.webhook'],
  ['the effect fail_job on a path that charges nothing', on({ path: '/cdn' }, { fail_job: 'x' }), 'effect.fail_job'],
  ['times below 0', { times: -1, effect: STATUS }, 'times'],
  ['a probability of 0', { probability: 0, effect: STATUS }, 'probability'],
  ['a probability over 1', { probability: 1.1, effect: STATUS }, 'probability'],
  ['a time to live of 0', { ttl_seconds: 0, effect: STATUS }, 'ttl_seconds'],
])('rejects a fault rule with %s, names the field, and creates no rule [I088]', async (_what, order, param) => {
  const before = await ids(emulator);
  const answer = await emulator.control('POST', '/faults', order);
  const { message } = expectError(answer, 400, 'invalid_request', param);
  expect(message).toContain(param);
  expect(await ids(emulator)).toEqual(before);
});

const text = { text: 'x' };
const fitting = (match: object, answer: object = text) => ({ match, answer });
const saying = (message: object) => fitting({ message });

it.each<[string, object, string, RegExp]>([
  ['an unknown field', { matc: {}, answer: text }, 'matc', /Did you mean match\?/],
  ['an unknown field of a match', fitting({ modl: 'x' }), 'match.modl', /model/],
  ['an unknown way to compare', saying({ regx: 'a' }), 'match.message.regx', /Did you mean regex\?/],
  [
    'two ways to compare',
    saying({ equals: 'a', regex: 'b' }),
    'match.message',
    /exactly one of equals, contains and regex/,
  ],
  ['an unknown operation', fitting({ operation: 'chat' }), 'match.operation', /must/],
  ['an unknown model', fitting({ model: 'gpt-4o' }), 'match.model', /must be the id of a model/],
  ['an unknown account', fitting({ account_id: 'acct_none' }), 'match.account_id', /must be the id of an account/],
  ['no answer', { match: {} }, 'answer', /is missing/],
  ['an empty answer', { answer: {} }, 'answer', /is empty/],
  ['a text and an error', { answer: { text: 'x', error: { status: 500 } } }, 'answer.error', /both/],
  ['an answer and answers', { answer: text, answers: [text] }, 'answers', /both/],
  ['an empty list of answers', { answers: [] }, 'answers', /at least 1/],
  ['a status that is no error', { answer: { error: { status: 200 } } }, 'answer.error.status', /400/],
  ['a negative delay', { answer: { pieces: [{ text: 'x', delay_ms: -1 }] } }, 'answer.pieces.0.delay_ms', /0/],
  ['a limit of 0 uses', { answer: text, times: 0 }, 'times', /from 1 to/],
  [
    'a turn of a chat to match for an image',
    fitting({ operation: 'createImage', turn: 2 }, { fail: 'x' }),
    'match.turn',
    /createChatCompletion/,
  ],
  [
    'a message to match for a transcription',
    fitting({ operation: 'createTranscription', message: 'x' }),
    'match.message',
    /createTranscription/,
  ],
  [
    'a model of another kind',
    fitting({ operation: 'createSong', model: 'svc-rp-mini' }, { fail: 'x' }),
    'match.model',
    /createChatCompletion/,
  ],
  ['lyrics for a chat', fitting({ model: 'svc-rp-mini' }, { lyrics: 'x' }), 'answer.lyrics', /createSong/],
  ['answers for different operations', { answers: [text, { lyrics: 'x' }] }, 'answers.1.lyrics', /createSong/],
  ['a look-around in its expression', saying({ regex: '(?=a)' }), 'match.message.regex', /RE2/],
  ['a backreference in its expression', saying({ regex: '(a)\\1' }), 'match.message.regex', /RE2/],
  ['an expression without end', saying({ regex: '(' }), 'match.message.regex', /RE2/],
  ['an expression that repeats too often', saying({ regex: '((a{30}){30}){30}' }), 'match.message.regex', /repeat/],
  ['an expression that is too large', saying({ regex: '(?:abcd){600}' }), 'match.message.regex', /too large/],
  [
    'a text to contain that is too long',
    saying({ contains: 'a'.repeat(1001) }),
    'match.message.contains',
    /at most 1000/,
  ],
  ['an expression that is too long', saying({ regex: 'a'.repeat(1001) }), 'match.message.regex', /1000/],
])('rejects a scripted answer with %s, and changes nothing', async (_, fixture, field, told) => {
  const before = await emulator.control('GET', '/fixtures');
  // A valid fixture in the same request is not created either.
  const fixtures = [{ answer: text }, fixture];
  const refused = await emulator.control('POST', '/fixtures', { fixtures });
  const { message } = expectError(refused, 400, 'invalid_request', `fixtures.1.${field}`);
  expect(message).toMatch(told);
  expect((await emulator.control('GET', '/fixtures')).body).toEqual(before.body);
});

it('accepts a thousand scripted answers with regular expressions in one request', async () => {
  const account = await emulator.account();
  const written = Array.from({ length: 999 }, (_, at) => saying({ regex: `(?:abcd){40}${at}$` }));
  const fixtures = [...written, { ...fitting({ message: { regex: 'lantern$' } }, { text: 'IT IS LIT' }) }];
  const { status, body } = await emulator.control('POST', '/fixtures', { fixtures });
  expect([status, body.data?.length]).toEqual([201, 1000]);
  expect(await reply(account, 'the lantern')).toBe('IT IS LIT');
  await emulator.control('DELETE', '/fixtures');
});
