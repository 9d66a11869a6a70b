import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
const text = { text: 'x' };

it.each<[string, object, string, RegExp]>([
  ['an unknown field', { matc: {}, answer: text }, 'matc', /Did you mean match\?/],
  ['an unknown field of a match', { match: { modl: 'x' }, answer: text }, 'match.modl', /model/],
  [
    ...(['an unknown way to compare', { match: { message: { regx: 'a' } }, answer: text }] as const),
    ...(['match.message.regx', /Did you mean regex\?/] as const),
  ],
  [
    ...(['two ways to compare', { match: { message: { equals: 'a', regex: 'b' } }, answer: text }] as const),
    ...(['match.message', /exactly one of equals, contains and regex/] as const),
  ],
  ['an unknown operation', { match: { operation: 'chat' }, answer: text }, 'match.operation', /must/],
  ['an unknown model', { match: { model: 'gpt-4o' }, answer: text }, 'match.model', /no model/],
  [
    ...(['an unknown account', { match: { account_id: 'acct_none' }, answer: text }] as const),
    ...(['match.account_id', /names no account/] as const),
  ],
  ['no answer', { match: {} }, 'answer', /is missing/],
  ['an empty answer', { answer: {} }, 'answer', /says nothing/],
  ['a text and an error', { answer: { text: 'x', error: { status: 500 } } }, 'answer.error', /both/],
  ['an answer and answers', { answer: text, answers: [text] }, 'answers', /both/],
  ['no answers', { answers: [] }, 'answers', /at least 1/],
  ['a status that is no error', { answer: { error: { status: 200 } } }, 'answer.error.status', /400/],
  ['a negative delay', { answer: { pieces: [{ text: 'x', delay_ms: -1 }] } }, 'answer.pieces.0.delay_ms', /0/],
  ['no uses', { answer: text, times: 0 }, 'times', /at least 1/],
  [
    'turns of a picture',
    { match: { operation: 'createImage', turn: 2 }, answer: { fail: 'x' } },
    'match.turn',
    /createChatCompletion/,
  ],
  [
    'a message of audio',
    { match: { operation: 'createTranscription', message: 'x' }, answer: text },
    'match.message',
    /createTranscription/,
  ],
  [
    'a model of another kind',
    { match: { operation: 'createSong', model: 'svc-rp-mini' }, answer: { fail: 'x' } },
    'match.model',
    /createChatCompletion/,
  ],
  ['lyrics of a chat', { match: { model: 'svc-rp-mini' }, answer: { lyrics: 'x' } }, 'answer.lyrics', /createSong/],
  ['answers for different operations', { answers: [text, { lyrics: 'x' }] }, 'answers.1.lyrics', /createSong/],
  ['a look-around', { match: { message: { regex: '(?=a)' } }, answer: text }, 'match.message.regex', /RE2/],
  ['a backreference', { match: { message: { regex: '(a)\\1' } }, answer: text }, 'match.message.regex', /RE2/],
  ['an expression without end', { match: { message: { regex: '(' } }, answer: text }, 'match.message.regex', /RE2/],
  [
    'one that blows up',
    { match: { message: { regex: '((a{30}){30}){30}' } }, answer: text },
    'match.message.regex',
    /repeat/,
  ],
  [
    'one that is too large',
    { match: { message: { regex: '(?:abcd){600}' } }, answer: text },
    'match.message.regex',
    /too large/,
  ],
  [
    'a part that is too long',
    { match: { message: { contains: 'a'.repeat(1001) } }, answer: text },
    'match.message.contains',
    /at most 1000/,
  ],
  [
    'one that is too long',
    { match: { message: { regex: 'a'.repeat(1001) } }, answer: text },
    'match.message.regex',
    /1000/,
  ],
])('refuses %s, and changes nothing', async (_, fixture, field, told) => {
  const before = await emulator.control('GET', '/fixtures');
  // A good one before it is not made either.
  const fixtures = [{ answer: text }, fixture];
  const refused = await emulator.control('POST', '/fixtures', { fixtures });
  const { param, message } = expectError(refused, 400, 'invalid_request');
  expect(param).toBe(`fixtures.1.${field}`);
  expect(message).toMatch(told);
  expect((await emulator.control('GET', '/fixtures')).body).toEqual(before.body);
});

it('takes expressions as long as all together find room', async () => {
  const large = (more: number) => ({ match: { message: { regex: `(?:abcd){${40 + more}}` } }, answer: text });
  const full = Array.from({ length: 140 }, () => large(0));
  const { status, body } = await emulator.control('POST', '/fixtures', { fixtures: full.slice(0, 80) });
  expect([status, body.data?.length]).toEqual([201, 80]);
  const refused = await emulator.control('POST', '/fixtures', { fixtures: full });
  const { param, message } = expectError(refused, 400, 'invalid_request');
  expect(param).toBe('fixtures.43.match.message.regex');
  expect(message).toMatch(/all expressions together may have 20000/);
  expect((await emulator.control('GET', '/fixtures')).body.data).toHaveLength(80);
  await emulator.control('DELETE', '/fixtures');
  expect((await emulator.control('POST', '/fixtures', { fixtures: full.slice(0, 81) })).status).toBe(201);
  await emulator.control('DELETE', '/fixtures');
});

it('lists page by page, of one account or all', async () => {
  const [one, other] = [await emulator.account(), await emulator.account()];
  const of = ({ id }: { id: string }, name: string) => ({
    ...{ name, match: { account_id: id }, answer: text },
  });
  await emulator.control('POST', '/fixtures', { fixtures: [of(one, 'a'), of(one, 'b')] });
  await emulator.control('POST', '/fixtures', { fixtures: [of(other, 'c'), of(one, 'd')] });
  const page = async (query: string) => {
    const { body } = await emulator.control('GET', `/fixtures?account_id=${one.id}${query}`);
    return body.data as { id: string; name: string }[];
  };
  expect((await page('')).map(({ name }) => name)).toEqual(['d', 'a', 'b']);
  const [first] = await page('&limit=1');
  expect((await page(`&after=${first?.id}`)).map(({ name }) => name)).toEqual(['a', 'b']);
  const lost = await emulator.control('GET', '/fixtures?after=fix_none');
  expectError(lost, 400, 'invalid_request');
});
