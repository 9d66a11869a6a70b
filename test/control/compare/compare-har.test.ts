import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compareHar, readHar } from '../../../src/control/compare/compare-har.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const account = await emulator.account({ credits: 100 });
const SECRET = 'svc_sk_never_printed';

interface Recorded {
  path?: string;
  method?: string;
  sent?: unknown;
  status?: number;
  type?: string;
  text?: string;
  encoding?: string;
}

/** A HAR as developer tools write it, with a key in its headers. */
function harOf(...recorded: Recorded[]): string {
  const entries = recorded.map(({ path = '/v1/images/generations', method = 'POST', ...more }) => ({
    request: {
      method,
      url: `https://api.example.test${path}`,
      headers: [{ name: 'authorization', value: `Bearer ${SECRET}` }],
      ...(more.sent === undefined
        ? {}
        : { postData: { mimeType: 'application/json', text: JSON.stringify(more.sent) } }),
    },
    response: {
      status: more.status ?? 200,
      headers: [{ name: 'set-cookie', value: SECRET }],
      content: { mimeType: more.type ?? 'application/json', text: more.text, encoding: more.encoding },
    },
  }));
  return JSON.stringify({ log: { version: '1.2', entries } });
}

const compared = (...recorded: Recorded[]) => compareHar(readHar(harOf(...recorded)));
const differences = (...recorded: Recorded[]) =>
  compared(...recorded).operations.flatMap((each) => each.differences.map(({ kind, where }) => `${kind} ${where}`));

const picture = (await account.post('/images/generations', { prompt: 'a pier' })).body;
const sent = { prompt: 'a pier' };
const { created: _, ...incomplete } = picture;
const text = JSON.stringify(picture);
const refusal = { message: 'No.', type: 'insufficient_credits', param: null };

it('finds no difference in what the emulator itself returns, encoded or not', async () => {
  const chat = await account.post('/chat/completions', CHAT);
  const refused = await account.post('/chat/completions', {});
  const gzip = gzipSync(text).toString('base64');
  const found = compared(
    { sent, text },
    { sent, text: Buffer.from(text).toString('base64'), encoding: 'base64' },
    { sent, text: gzip, encoding: 'base64' },
    { path: '/v1/chat/completions', sent: CHAT, text: JSON.stringify(chat.body) },
    { path: '/v1/chat/completions', sent: {}, status: 400, text: JSON.stringify(refused.body) },
  );
  expect(found.operations.map(({ operation, entries, fit }) => [operation, entries, fit])).toEqual([
    ['createImage', 3, 3],
    ['createChatCompletion', 2, 2],
  ]);
  expect(found.operations.flatMap((each) => each.differences)).toEqual([]);
});

it.each<[string, Recorded, string[]]>([
  ['a missing field', { text: JSON.stringify(incomplete) }, ['missing created']],
  ['an extra field', { text: JSON.stringify({ ...picture, tier: 'gold' }) }, ['extra tier']],
  ['another type', { text: JSON.stringify({ ...picture, created: 'today' }) }, ['type created']],
  ['another status', { status: 201, text }, ['status ']],
  ['another shape of an error', { status: 402, text: '{"error": "no credits"}' }, ['type error']],
  [
    'another status of an error',
    { status: 400, text: JSON.stringify({ error: { ...refusal, code: 'insufficient_credits' } }) },
    ['error status'],
  ],
  [
    'an unknown error',
    { status: 402, text: JSON.stringify({ error: { ...refusal, code: 'poor' } }) },
    ['error error.code'],
  ],
  ['an HTML answer', { type: 'text/html', text: '<h1>Bad gateway</h1>' }, ['body ']],
  ['an empty answer', { text: '' }, ['body ']],
  ['an answer that was not recorded', {}, ['body ']],
  ['a body that is not gzip after all', { text: 'H4sIAAAA', encoding: 'base64' }, ['body ']],
  ['a request that the emulator refuses', { sent: { prompt: 7 }, text }, ['request prompt']],
  ['a sound of another type', { path: '/v1/audio/speech', type: 'audio/wav', text: 'x' }, ['body ']],
])('reports %s', (_what, recorded, expected) => {
  expect(differences({ sent: recorded.path ? { input: 'x', voice: 'aria' } : sent, ...recorded })).toEqual(expected);
});

it('counts the same difference once for each entry, and skips other paths and requests without a response', () => {
  const wrong = { sent, text: JSON.stringify(incomplete) };
  const found = compared(wrong, { path: '/favicon.ico', method: 'GET' }, { sent, status: 0 }, wrong, {
    path: '/v1/nothing',
  });
  expect(found).toMatchObject({ entries: 5, compared: 2, skipped: { other_path: 2, no_response: 1 } });
  expect(found.operations).toMatchObject([{ entries: 2, fit: 0, differences: [{ entries: 2, first: 1 }] }]);
});

it('prints neither headers nor values, and no control characters of a field', () => {
  const hostile = { ...picture, 'a\u001b[2J\u202e': SECRET, b: 'x'.repeat(1000) };
  const report = JSON.stringify(compared({ sent, text: JSON.stringify(hostile) }));
  expect(report).not.toContain(SECRET);
  expect(report).not.toContain('xxxx');
  expect(report).toContain('"where":"a?[2J?"');
});

it.each(['', '{}', '[]', '{"log": {"entries": [{"request": {}}]}}', '<html>'])(
  'refuses %j, which is no HAR',
  (file) => {
    expect(() => readHar(file)).toThrow('The file is not a HAR');
  },
);
