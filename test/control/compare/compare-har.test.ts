import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { compareHar } from '../../../src/control/compare/compare-har.ts';
import { parseHar } from '../../../src/control/compare/read-har.ts';
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
  /** Other fields of the response, of its content, and of the request. */
  response?: object;
  content?: object;
  request?: object;
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
      ...more.request,
    },
    response: {
      status: more.status ?? 200,
      headers: [{ name: 'set-cookie', value: SECRET }],
      content: {
        mimeType: more.type ?? 'application/json',
        text: more.text,
        encoding: more.encoding,
        ...more.content,
      },
      ...more.response,
    },
  }));
  return JSON.stringify({ log: { version: '1.2', entries } });
}

const compared = (...recorded: Recorded[]) => compareHar(parseHar(harOf(...recorded)));
const differences = (...recorded: Recorded[]) =>
  compared(...recorded).operations.flatMap((each) => each.differences.map(({ kind, where }) => `${kind} ${where}`));

const picture = (await account.post('/images/generations', { prompt: 'a pier' })).body;
const sent = { prompt: 'a pier' };
const { created: _, ...incomplete } = picture;
const text = JSON.stringify(picture);
const refusal = { message: 'No.', type: 'insufficient_credits', param: null };

it.each<[string, Recorded, string[]]>([
  ['a missing field', { text: JSON.stringify(incomplete) }, ['missing created']],
  ['an extra field', { text: JSON.stringify({ ...picture, tier: 'gold' }) }, ['extra tier']],
  ['another type', { text: JSON.stringify({ ...picture, created: 'today' }) }, ['type created']],
  ['another status', { status: 201, text }, ['status ']],
  ['another status, even if the body was not recorded', { status: 201 }, ['status ']],
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
  ['a stream without an event', { path: '/v1/chat/completions', type: 'text/event-stream', text: '' }, ['body ']],
  ['a compressed body that cannot be decompressed', { text: 'H4sIAAAA', encoding: 'base64' }, ['body ']],
  ['a request that the emulator refuses', { sent: { prompt: 7 }, text }, ['request prompt']],
  ['a sound of another type', { path: '/v1/audio/speech', type: 'audio/wav', text: 'x' }, ['body ']],
])('compares a HAR recording with the emulator, and reports %s', (_what, recorded, expected) => {
  const others = { '/v1/audio/speech': { input: 'x', voice: 'aria' }, '/v1/chat/completions': CHAT };
  const body = Object.entries(others).find(([path]) => path === recorded.path)?.[1] ?? sent;
  expect(differences({ sent: body, ...recorded })).toEqual(expected);
});

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
const coded = (name: string) => ({ headers: [{ name: 'Content-Encoding', value: name }] });
const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');

it.each<[string, Recorded]>([
  ['gzip without a header', { text: base64(gzipSync(text)), encoding: 'base64' }],
  ['brotli', { text: base64(brotliCompressSync(text)), encoding: 'base64', response: coded('br') }],
  ['deflate', { text: base64(deflateSync(text)), encoding: 'base64', response: coded('deflate') }],
  [
    'deflate without its header',
    { text: base64(deflateRawSync(text)), encoding: 'base64', response: coded('deflate') },
  ],
  [
    'two codings',
    { text: base64(gzipSync(brotliCompressSync(text))), encoding: 'base64', response: coded('br, gzip') },
  ],
  ['a coding that the recording tool has already removed', { text, response: coded('br') }],
  ['base64 that is not marked as base64', { text: base64(text) }],
  ['base64 in lines', { text: base64(text).replaceAll(/.{76}/g, '$&\r\n'), encoding: 'BASE64' }],
  ['text that is marked as base64', { text, encoding: 'base64' }],
  ['text with a byte-order mark', { text: `\ufeff${text}` }],
  ['base64 with a byte-order mark', { text: base64(`\ufeff${text}`), encoding: 'base64' }],
  ['UTF-16', { text: base64(utf16), encoding: 'base64' }],
  ['compressed bytes as text', { text: gzipSync(text).toString('latin1') }],
])('reads a response body in %s', (_what, recorded) => {
  expect(compared({ sent, ...recorded }).operations).toMatchObject([{ entries: 1, fit: 1, not_recorded: 0 }]);
});

it.each<[string, object]>([
  ['base64', { postData: { text: base64('{"prompt": 7}'), encoding: 'base64' } }],
  ['base64 that is not marked as base64', { postData: { text: base64('{"prompt": 7}') } }],
  ['the field of HTTP Toolkit', { _content: { text: base64('{"prompt": 7}'), encoding: 'base64', size: 13 } }],
  ['gzip', { postData: { text: base64(gzipSync('{"prompt": 7}')), encoding: 'base64' } }],
  ['text with a byte-order mark', { postData: { text: '\ufeff{"prompt": 7}' } }],
])('reads a request body in %s', (_what, request) => {
  expect(differences({ text, request })).toEqual(['request prompt']);
});

const chat = { path: '/v1/chat/completions', sent: CHAT };
const stream = { ...chat, type: 'text/event-stream' };
const refused = { ...chat, status: 402 };

it.each<[string, Recorded]>([
  ['has no text', { sent }],
  ['is in another file', { sent, content: { _file: '1f.json', size: 231 } }],
  ['is empty, but has a size', { sent, text: '', content: { size: 231 } }],
  ['is empty, but has a size on the wire', { sent, text: '', response: { bodySize: 90 } }],
  ['has only the size of its transfer', { sent, response: { content: {}, headersSize: -1, _transferSize: 812 } }],
  [
    'is empty, but has a content-length',
    { sent, text: '', response: { headers: [{ name: 'Content-Length', value: '9' }] } },
  ],
  ['is shorter than its size', { sent, text: text.slice(0, -9), content: { size: text.length } }],
  ['is a stream without text', stream],
  ['is a stream with only a size', { ...stream, text: '', response: { _transferSize: 812 } }],
  ['is a stream that is shorter than its size', { ...stream, text: 'data: {"id', content: { size: 812 } }],
  ['is an error without text', refused],
  ['is an error without content', { ...refused, response: { content: undefined } }],
  ['of the request has no text', { text, request: { bodySize: 16, postData: { mimeType: 'application/json' } } }],
  ['of the request has no data', { text, request: { bodySize: 16 } }],
  [
    'is a sound of an unknown type',
    { path: '/v1/audio/speech', sent: { input: 'x', voice: 'aria' }, type: 'x-unknown' },
  ],
])('counts a HAR entry as not recorded if a body %s', (_what, recorded) => {
  const found = compared(recorded);
  expect(found).toMatchObject({ entries: 1, compared: 0, skipped: { not_recorded: 1 } });
  expect(found.operations).toMatchObject([{ entries: 0, fit: 0, not_recorded: 1, differences: [] }]);
});

it('reads only the bodies of known operations, and rejects a HAR if one body is over 16 MiB or all are over 500 MiB', () => {
  const bomb = base64(gzipSync('x'.repeat(17 * 1_048_576)));
  const wide = base64(gzipSync(`{"data": [${'0,'.repeat(300_000)}0]}`));
  expect(differences({ sent, text: wide, encoding: 'base64' })).toContain('type data[]');
  expect(compared({ path: '/photo', text: bomb, encoding: 'base64' }).compared).toBe(0);
  expect(() => compared({ sent, text }, { sent, text: bomb, encoding: 'base64' })).toThrow(
    'the body of entry 2 is over 16 MiB when decompressed',
  );
  const large = { sent, text: base64(gzipSync('x'.repeat(15 * 1_048_576))), encoding: 'base64' };
  expect(() => compared(...Array.from({ length: 40 }, () => large))).toThrow(
    /the bodies up to entry \d+ are over 500 MiB when decompressed/,
  );
});

it('lists a difference of several entries once with their number, and skips other paths and requests without a response', () => {
  const wrong = { sent, text: JSON.stringify(incomplete) };
  const found = compared(wrong, { path: '/favicon.ico', method: 'GET' }, { sent, status: 0 }, wrong, {
    path: '/v1/nothing',
  });
  expect(found).toMatchObject({ entries: 5, compared: 2, skipped: { other_path: 2, no_response: 1 } });
  expect(found.operations).toMatchObject([{ entries: 2, fit: 0, differences: [{ entries: 2, first: 1 }] }]);
});

it('prints no headers, no values, and no control characters of a field name', () => {
  const hostile = { ...picture, 'a\u001b[2J\u202e': SECRET, b: 'x'.repeat(1000) };
  const report = JSON.stringify(compared({ sent, text: JSON.stringify(hostile) }));
  expect(report).not.toContain(SECRET);
  expect(report).not.toContain('xxxx');
  expect(report).toContain('"where":"a?[2J?"');
});

it.each(['', '{}', '[]', '{"log": {"entries": [[], {}]}}', '{"log": {"entries": [{"request": {}}]}}', '<html>'])(
  'rejects %j, which is not a HAR',
  (file) => {
    expect(() => parseHar(file)).toThrow('it is not a HAR, because ');
  },
);
