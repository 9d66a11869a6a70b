import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Directives,
  extractDirectives,
  findMistypedDirectives,
  mergeDirectives,
} from '../../../src/engine/faults/directives.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

it.each<[string, Directives]>([
  ['[[fail]]', { fail: { code: 'render_failed' } }],
  ['[[fail:gpu_lost_2]]', { fail: { code: 'gpu_lost_2' } }],
  ['[[fail:take=2]]', { fail: { code: 'render_failed', take: 2 } }],
  ['[[block]]', { block: 'request' }],
  ['[[block:lyrics]]', { block: 'lyrics' }],
  ['[[slow:3]]', { slowSeconds: 3 }],
  ['[[slow:0.25]]', { slowSeconds: 0.25 }],
  ['[[slow:0]]', { slowSeconds: 0 }],
  ['[[status:429]]', { status: 429 }],
  ['[[bytes:3MB]]', { bytes: 3_000_000 }],
  ['[[bytes:1.5 MiB]]', { bytes: 1_572_864 }],
  ['[[bytes:12345]]', { bytes: 12_345 }],
  ['[[status:599]]', { status: 599 }],
  ['[[fail:quota]][[fail:take=2]]', { fail: { code: 'quota', take: 2 } }],
  ['[[fail]] [[slow:2]]', { fail: { code: 'render_failed' }, slowSeconds: 2 }],
])('parses %s in a prompt, and removes it from the text [I094 I152]', (text, directives) => {
  expect(extractDirectives(text)).toEqual({ text: '', directives });
});

it.each([
  ['[[fail]] a song', 'a song'],
  ['a song [[fail]]', 'a song'],
  ['a [[fail]] song', 'a song'],
  ['a [[fail]] [[slow:1]] song', 'a song'],
  ['a [[fail]] [[slow:1]]', 'a'],
  ['so[[fail]]ng', 'song'],
  ['a song[[fail]], please', 'a song, please'],
  ['one\n[[fail]]\ntwo', 'one\ntwo'],
  ['one\r\n[[fail]]\r\ntwo', 'one\r\ntwo'],
  ['one [[fail]]\ntwo', 'one\ntwo'],
  ['one\n[[fail]]', 'one'],
  ['[[[fail]]]', '[]'],
  ['[[nap]] and [[fail]] on', '[[nap]] and on'],
])('removes directives from %j to leave %j, without a gap [I094 I152]', (text, rest) => {
  expect(extractDirectives(text).text).toBe(rest);
});

it('does not change a prompt without directives', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      fc.pre(!text.includes('[['));
      expect(extractDirectives(text)).toEqual({ text, directives: {} });
    }),
  );
});

it('parses any mixture of brackets in a prompt without an error or an added character', () => {
  const piece = fc.constantFrom('[[', ']]', '[', 'fail', ':', 'take=2', 'slow:1', ' ', '\n', 'é😀');
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      expect(extractDirectives(text).text.length).toBeLessThanOrEqual(text.length);
    }),
  );
});

it.each<[Directives, Directives, Directives]>([
  [{}, {}, {}],
  [{ slowSeconds: 1 }, { status: 503 }, { slowSeconds: 1, status: 503 }],
  [{ slowSeconds: 1 }, { slowSeconds: 2 }, { slowSeconds: 2 }],
  [{ block: 'request' }, { block: 'lyrics' }, { block: 'request' }],
  [{ block: 'lyrics' }, {}, { block: 'lyrics' }],
  [{ fail: { code: 'quota' } }, { fail: { code: 'render_failed', take: 1 } }, { fail: { code: 'quota', take: 1 } }],
])('merges the directives %j and %j of two texts into %j [I152]', (a, b, joined) => {
  expect(mergeDirectives(a, b)).toEqual(joined);
});

const emulator = await world();
const strict = await world({ strict: true });
const PICTURE = '/images/generations';
const SONG = '/music/generations';

it.each([
  ['Fail', 'fail'],
  ['FAIL:take=2', 'fail:take=2'],
  [' fail ', 'fail'],
  ['fail:take=0', 'fail:take=1'],
  ['fail:GPU lost', 'fail:gpu_lost'],
  ['fail=quota', 'fail:quota'],
  ['fail:', 'fail'],
  ['blok', 'block'],
  ['block:words', 'block'],
  ['block:Lyrics', 'block:lyrics'],
  ['slow', 'slow:1'],
  ['slow:-1', 'slow:0'],
  ['slow:1e3', 'slow:1000'],
  ['slwo:5', 'slow:5'],
  ['status:600', 'status:599'],
  ['status:4xx', 'status:400'],
  ['bytes', 'bytes:3MB'],
  ['bytes:5mb', 'bytes:5MB'],
  ['fail:take=-1', 'fail:take=1'],
  ['bytes:many', 'bytes:3MB'],
  ['bytes:-1', 'bytes:3MB'],
])('keeps the mistyped directive [[%s]] as plain text, and suggests [[%s]] [I094]', (written, nearest) => {
  expect(extractDirectives(`[[${written}]]`)).toEqual({ text: `[[${written}]]`, directives: {} });
  expect(findMistypedDirectives(`a pier [[${written}]] at night`)).toEqual([{ written, nearest }]);
  expect(extractDirectives(`[[${nearest}]]`).text).toBe('');
});

it.each([
  '[[Verse]]',
  '[[Some page]]',
  '[[Chorus 2]]',
  '[[slow motion]]',
  '[[fail',
  '[fial]',
  '[[]]',
  '[[fail\n]]',
  '[[[x]]]',
  '[[constructor]]',
  'a [b] [[c]] d',
])('does not treat %j as a directive, or as a mistyped one', (text) => {
  expect(extractDirectives(text)).toEqual({ text, directives: {} });
  expect(findMistypedDirectives(text)).toEqual([]);
});

it.each<[string, object, string]>([
  [PICTURE, { prompt: 'a pier [[fial]]' }, 'prompt;directive=fial;nearest=fail'],
  [PICTURE, { prompt: 'a pier [[fail:take=3]]' }, 'prompt;directive=fail:take=3;nearest=fail:take=2'],
  [PICTURE, { prompt: 'a pier', negative_prompt: '[[Block]]' }, 'negative_prompt;directive=Block;nearest=block'],
  ['/audio/speech', { input: 'Hello [[slow 3]]', voice: 'aria' }, 'input;directive=slow%203;nearest=slow:3'],
  [
    '/chat/completions',
    { ...CHAT, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi [[status:200]]' }] }] },
    'messages.0.content.0.text;directive=status:200;nearest=status:400',
  ],
  [
    SONG,
    { style: 'slow piano', lyrics: '[[Verse]]\nLa la [[slow:abc]]\n[[Some page]]', seconds: 30 },
    'lyrics;directive=slow:abc;nearest=slow:1',
  ],
])('returns a warning for POST %s that names the mistyped directive', async (path, body, warnings) => {
  const account = await emulator.account({ credits: 100 });
  const answer = await account.post(path, body);
  expect([answer.status < 300, answer.headers.get('svc-emulator-warnings')]).toEqual([true, warnings]);
});

it('names mistyped directives in the explanation of the request, next to valid ones', async () => {
  const account = await emulator.account();
  const { headers } = await account.post(PICTURE, { prompt: 'a pier [[fail:lost]] [[Slow:abc]]' });
  const { body } = await emulator.control('GET', `/explain/${headers.get('x-request-id')}`);
  const step = body.steps.find((each: { kind: string }) => each.kind === 'directives');
  expect(step).toMatchObject({
    text: 'The texts request a failure (lost). [[Slow:abc]] in prompt is not a directive and had no effect; the closest is [[slow:1]].',
    directives: { fail: { code: 'lost' } },
    mistyped: [{ field: 'prompt', written: 'Slow:abc', nearest: 'slow:1' }],
  });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10', 'refund 10']);
});

it('rejects a mistyped directive in strict mode, suggests the closest one, and charges nothing', async () => {
  const account = await strict.account();
  const answer = await account.post(PICTURE, { prompt: 'a pier [[fial]]' });
  expectError(answer, 400, 'invalid_request', 'prompt');
  expect(answer.body.error.message).toBe(
    'prompt contains [[fial]], which is not a directive. Write [[fail]], or use other brackets if it belongs to the text.',
  );
  expect((await account.post(PICTURE, { prompt: 'a pier [[Some page]]' })).status).toBe(200);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
});
