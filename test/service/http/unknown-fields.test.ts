import { expect, it } from 'vitest';
import { expectScenario, playScenario } from '../../support/scenario.ts';
import { CHAT, expectError, fileForm } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const lenient = await world();
const strict = await world({ strict: true });
const warnings = 'svc-emulator-warnings';
const SENT = { send: 'POST /chat/completions', body: CHAT, ledger: ['charge -1'] };
const PIER = 'https://example.com/a.png';
const text = (more: object) => [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...more }] }];

it.each<[object, string]>([
  [{ top_p: 1 }, 'top_p'],
  [{ top_p: 1, user: 'me' }, 'top_p,user'],
  [{ messages: [{ role: 'user', content: 'Hi', name: 'Ann' }] }, 'messages.0.name'],
  [{ messages: text({ cache: 1 }) }, 'messages.0.content.0.cache'],
  [{ 'a,b;c%': 1 }, 'a%2Cb%3Bc%25'],
  [{ größe: 1 }, 'gr%C3%B6%C3%9Fe'],
  [{ '💡': 1 }, '%F0%9F%92%A1'],
  [{ 'with space': 1 }, 'with%20space'],
])('ignores unknown fields of %j, and names %s [I002 I003 I172]', async (more, named) => {
  const order = { ...SENT, body: { ...CHAT, ...more }, shows: { [warnings]: named } };
  const { body } = await playScenario(lenient, order);
  expect(Object.keys(body)).toEqual(['id', 'object', 'model', 'choices', 'usage']);
});

it('sends no warning if all fields are known [I003]', () =>
  expectScenario(lenient, { ...SENT, shows: { [warnings]: null } }));

it.each([
  ['short', (n: number) => `unknown_${n}`, 20],
  ['long', (n: number) => `${n}_${'ü'.repeat(60)}_is_not_known`, 8],
])(
  'names the first few of 20,000 unknown fields with %s names, in at most 4 KiB, and counts the others [I162 I208]',
  async (_kind, nameOf, least) => {
    const names = Array.from({ length: 20_000 }, (_, n) => nameOf(n));
    const more = Object.fromEntries(names.map((name) => [name, 1]));
    const { headers } = await playScenario(lenient, { ...SENT, body: { ...CHAT, ...more } });
    const header = headers.get(warnings) ?? '';
    const named = header.split(',').slice(0, -1).map(decodeURIComponent);
    expect(named.length).toBeGreaterThanOrEqual(least);
    const cut = (name: string) => (name.length > 64 ? `${name.slice(0, 64)}…` : name);
    expect(named).toEqual(names.slice(0, named.length).map(cut));
    expect(header).toContain(`,and ${20_000 - named.length} more`);
    expect(header.length).toBeLessThanOrEqual(4096);
  },
);

it.each<[string, object, string]>([
  ['/chat/completions', { ...CHAT, top_p: 0.5 }, 'top_p'],
  ['/chat/completions', { ...CHAT, n: 2 }, 'n'],
  ['/chat/completions', { ...CHAT, presence_penalty: 1 }, 'presence_penalty'],
  ['/chat/completions', { ...CHAT, logprobs: true }, 'logprobs'],
  ['/chat/completions', { ...CHAT, tools: [{ type: 'function' }] }, 'tools'],
  ['/chat/completions', { ...CHAT, response_format: { type: 'json_object' } }, 'response_format'],
  ['/chat/completions', { ...CHAT, top_p: null, no_such_field: null }, 'no_such_field'],
  ['/chat/completions', { ...CHAT, messages: [{ role: 'user', content: 'Hi', name: 'Ann' }] }, 'messages.0.name'],
  ['/chat/completions', { ...CHAT, messages: text({ cache: 1 }) }, 'messages.0.content.0.cache'],
  ['/chat/completions', chatAbout({ url: PIER, detail: 'high' }), 'messages.1.content.1.image_url.detail'],
  ['/images/generations', { prompt: 'a pier', n: 2 }, 'n'],
  ['/images/generations', { prompt: 'a pier', size: '512x512' }, 'size'],
  ['/images/generations', { prompt: 'a pier', style: 'natural' }, 'style'],
  ['/images/generations', { prompt: 'a pier', quality: 'hd' }, 'quality'],
  ['/images/generations', { prompt: 'a pier', stream: true }, 'stream'],
  ['/audio/speech', { input: 'Hello', voice: 'aria', speed: 2 }, 'speed'],
  ['/audio/speech', { input: 'Hello', voice: 'aria', response_format: 'wav' }, 'response_format'],
])('rejects POST %s with %j in strict mode, and charges nothing [I004 I175]', (path, body, field) =>
  expectScenario(strict, { send: `POST ${path}`, body, error: { field, says: '--strict' } }),
);

function chatAbout(image_url: object) {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url },
  ];
  return { ...CHAT, messages: [...CHAT.messages, { role: 'user', content }] };
}

const USAGE_CLIENTS = 'ai 6.0, @langchain/openai 1.5 and @openai/agents 0.20';

/** Fields that clients send by default: the client, the operation, and its extra fields. */
const UNASKED: [string, string, object][] = [
  ['openai 6.49', '/chat/completions', {}],
  ['ai 6.0 with @ai-sdk/openai 3.0', '/images/generations', { n: 1, response_format: 'b64_json' }],
  ['ai 6.0 with @ai-sdk/openai 3.0', '/audio/speech', { response_format: 'mp3' }],
  ['@langchain/openai 1.5', '/images/generations', { n: 1, size: '1024x1024', style: 'vivid', quality: 'standard' }],
  ['@llamaindex/openai 0.4', '/chat/completions', { temperature: 0.1, top_p: 1, stream: false }],
  [USAGE_CLIENTS, '/chat/completions', { stream: true, stream_options: { include_usage: true } }],
  ['@continuedev/openai-adapters 1.37', '/chat/completions', { stream: false }],
  ['token.js 0.7', '/chat/completions', { stream: true }],
  ['multi-llm-ts 5.1', '/chat/completions', { stream: true, stream_options: { include_usage: false } }],
  ['@mastra/core 0.24', '/chat/completions', { temperature: 0 }],
];

const NEUTRAL: [string, string, object][] = [
  ['a client', '/chat/completions', { n: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, logprobs: false }],
  ['a client', '/chat/completions', { user: 'ada', metadata: { a: 'b' }, store: false, service_tier: 'auto' }],
  ['a client', '/chat/completions', { tools: [], tool_choice: 'auto', stop: null, seed: null, logit_bias: {} }],
  ['a client', '/chat/completions', { response_format: { type: 'text' }, modalities: ['text'] }],
  ['a client', '/chat/completions', { messages: [{ role: 'user', content: 'Hi', name: null, refusal: null }] }],
  ['a client', '/chat/completions', chatAbout({ url: PIER, detail: 'auto' })],
  ['a client', '/images/generations', { size: 'auto', quality: 'auto', background: 'auto', output_format: 'png' }],
  ['a client', '/images/generations', { stream: false, user: 'ada', partial_images: 0, moderation: 'auto' }],
  ['a client', '/audio/speech', { speed: 1, stream_format: 'audio' }],
];

it.each([...UNASKED, ...NEUTRAL])(
  'accepts in strict mode the fields that %s adds to %s: %j [I162]',
  async (_who, path, more) => {
    const account = await strict.account();
    const plain = { '/images/generations': { prompt: 'a pier' }, '/audio/speech': { input: 'Hello', voice: 'aria' } };
    const body = path === '/chat/completions' ? CHAT : plain[path as keyof typeof plain];
    expect((await account.post(path, { ...body, ...more })).status).toBe(200);
  },
);

it.each([
  ['accepts', { response_format: 'json', temperature: '0', stream: 'false' }, undefined],
  ['rejects', { response_format: 'srt' }, 'response_format'],
  ['rejects', { stream: 'true' }, 'stream'],
])('%s a transcription with %j in strict mode', async (_verdict, fields, refused) => {
  const account = await strict.account();
  const speech = await account.post('/audio/speech', { input: 'Hello', voice: 'aria' });
  const answer = await account.post('/audio/transcriptions', fileForm(speech.bytes, 'a.mp3', fields));
  if (refused === undefined) expect(answer.status).toBe(200);
  else expectError(answer, 400, 'invalid_request', refused);
});

it('names stream: true in the warnings of an operation that does not stream', async () => {
  const { body, headers } = await playScenario(lenient, {
    ...{ as: { credits: 50 }, send: 'POST /images/generations', body: { prompt: 'a pier', stream: true } },
    ...{ ledger: ['charge -10'], events: [expect.any(String)], shows: { [warnings]: 'stream' } },
  });
  expect(Object.keys(body)).toEqual(['created', 'model', 'data', 'usage']);
  expect(headers.get('content-type')).toMatch(/json/);
  const account = await lenient.account();
  const speech = await account.post('/audio/speech', { input: 'Hello', voice: 'aria' });
  const heard = await account.post('/audio/transcriptions', fileForm(speech.bytes, 'a.mp3', { stream: 'true' }));
  expect([heard.status, heard.headers.get(warnings)]).toEqual([200, 'stream']);
});

it.each<[string, string, object | undefined, RegExp]>([
  ['GET', '/accounts?limit=1&colour=red', undefined, /^Unknown field colour\. Accepted: limit, /],
  ['DELETE', '/faults?accountId=x', undefined, /^Unknown field accountId\. Did you mean account_id\?/],
  ['DELETE', '/faults', { account_id: 'x' }, /^Unknown field account_id\. No field is accepted here; leave it out\.$/],
  ['PUT', '/progression', { mode: 'manual', accountId: 'x' }, /^Unknown field accountId\. Did you mean account_id\?/],
  [
    'POST',
    '/faults',
    { match: { accountid: 'x' }, effect: { drop: true } },
    /^Unknown field match\.accountid\. Did you mean account_id\?/,
  ],
  ['POST', '/clock/advance', { second: 1 }, /^Unknown field second\. Did you mean seconds\?/],
  ['POST', '/reset?account_id=x', undefined, /^Unknown field account_id/],
  ['POST', '/reset', { account_id: 'x' }, /^Unknown field account_id/],
  ['GET', '/clock?frozn=1', undefined, /^Unknown field frozn/],
])('rejects %s /_emulator%s with %j, with or without --strict, and names the unknown field [I233]', async (...row) => {
  const [method, path, body, told] = row;
  const account = await lenient.account();
  const match = { account_id: account.id, path: '/v1/images' };
  const rule = await lenient.control('POST', '/faults', { match, effect: { status: 500 } });
  for (const emulator of [lenient, strict]) {
    const { message } = expectError(await emulator.control(method, path, body), 400, 'invalid_request');
    expect(message).toMatch(told);
  }
  // Nothing was done: the rule and the account still exist, and the progression is unchanged.
  const { body: rules } = await lenient.control('GET', `/faults?account_id=${account.id}`);
  expect(rules.data.map(({ id }: { id: string }) => id)).toEqual([rule.body.id]);
  expect((await lenient.control('GET', '/progression')).body).toEqual({ mode: 'render' });
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('accepts an empty object as the body of a control operation without fields, and any query and body for an inbox [I233]', async () => {
  expect((await lenient.control('POST', `/accounts/${(await lenient.account()).id}/keys`, {})).status).toBe(201);
  const taken = await lenient.control('POST', '/inbox/strict?colour=red', { colour: 'red' });
  expect([taken.status, taken.headers.get(warnings)]).toEqual([200, null]);
});

it('warns of an Idempotency-Key, which does not prevent a second charge', async () => {
  const headers = { 'idempotency-key': 'once' };
  const shows = { [warnings]: 'idempotency-key;unsupported' };
  const { account } = await playScenario(lenient, { ...SENT, headers, shows });
  await expectScenario(lenient, { ...SENT, as: account, headers, shows });
  await expectScenario(lenient, { send: 'GET /models', headers, shows: { [warnings]: null } });
});
