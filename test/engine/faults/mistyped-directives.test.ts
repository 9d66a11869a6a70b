import fc from 'fast-check';
import { expect, it } from 'vitest';
import { extractDirectives } from '../../../src/engine/faults/directives.ts';
import { findMistyped } from '../../../src/engine/faults/mistyped-directives.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const strict = await world({ strict: true });
const PICTURE = '/images/generations';
const SONG = '/music/generations';

it.each([
  ['fial', 'fail'],
  ['fai', 'fail'],
  ['faill', 'fail'],
  ['Fail', 'fail'],
  ['FAIL:take=2', 'fail:take=2'],
  [' fail ', 'fail'],
  ['fail:take=3', 'fail:take=2'],
  ['fail:take=0', 'fail:take=1'],
  ['fail:GPU lost', 'fail:gpu_lost'],
  ['fail=quota', 'fail:quota'],
  ['fail:', 'fail'],
  ['blok', 'block'],
  ['block:words', 'block'],
  ['block:Lyrics', 'block:lyrics'],
  ['slow', 'slow:1'],
  ['slow:abc', 'slow:1'],
  ['slow:-1', 'slow:0'],
  ['slow:1e3', 'slow:1000'],
  ['slow 30', 'slow:30'],
  ['slwo:5', 'slow:5'],
  ['status:200', 'status:400'],
  ['status:600', 'status:599'],
  ['status:4xx', 'status:400'],
  ['staus:429', 'status:429'],
  ['bytes', 'bytes:3MB'],
  ['bytes:5mb', 'bytes:5MB'],
])('finds [[%s]] mistyped and [[%s]] the nearest directive', (written, nearest) => {
  expect(findMistyped(`a pier [[${written}]] at night`)).toEqual([{ written, nearest }]);
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
])('leaves %j alone: it is no attempt at a directive', (text) => {
  expect(findMistyped(text)).toEqual([]);
});

it('names a directive for everything that it finds in any text', () => {
  const pieces = fc.constantFrom(
    '[[',
    ']]',
    'fail',
    'Slow',
    'statsu',
    'bytes',
    'blck',
    ':',
    '=',
    ' ',
    'take=9',
    '-1',
    'x',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      for (const { nearest } of findMistyped(parts.join(''))) {
        expect(extractDirectives(`[[${nearest}]]`).text).toBe('');
      }
    }),
  );
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
])('answers POST %s with a warning that names what was mistyped', async (path, body, warnings) => {
  const account = await emulator.account({ credits: 100 });
  const answer = await account.post(path, body);
  expect([answer.status < 300, answer.headers.get('svc-emulator-warnings')]).toEqual([true, warnings]);
});

it('names what was mistyped in the explanation of the request, beside the directives that act', async () => {
  const account = await emulator.account();
  const { headers } = await account.post(PICTURE, { prompt: 'a pier [[fail:lost]] [[Slow:abc]]' });
  const { body } = await emulator.control('GET', `/explain/${headers.get('x-request-id')}`);
  const step = body.steps.find((each: { step: string }) => each.step === 'directives');
  expect(step).toEqual({
    step: 'directives',
    text: 'The texts ask for a failure (lost). [[Slow:abc]] in prompt is no directive and had no effect; the nearest is [[slow:1]].',
    directives: { fail: { code: 'lost' } },
    mistyped: [{ field: 'prompt', written: 'Slow:abc', nearest: 'slow:1' }],
  });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10', 'refund 10']);
});

it('refuses what was mistyped in strict mode, names the nearest directive and charges nothing', async () => {
  const account = await strict.account();
  const answer = await account.post(PICTURE, { prompt: 'a pier [[fial]]' });
  expectError(answer, 400, 'invalid_request', 'prompt');
  expect(answer.body.error.message).toBe(
    'prompt has [[fial]], which is no directive. Write [[fail]], or use other brackets where it belongs to the text.',
  );
  expect((await account.post(PICTURE, { prompt: 'a pier [[Some page]]' })).status).toBe(200);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
});
