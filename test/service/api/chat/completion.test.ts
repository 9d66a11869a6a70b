import { expect, it } from 'vitest';
import { countTokens } from '../../../../src/media/text/tokenizer.ts';
import { openReceiver } from '../../../support/receiver.ts';
import { expectScenario, playScenario, scenarios } from '../../../support/scenario.ts';
import { CHAT } from '../../../support/wire.ts';
import { type TestAccount, world } from '../../../support/world.ts';

const emulator = await world();
const user = (content: unknown) => ({ role: 'user', content });
const say = (content: unknown) => ({ ...CHAT, messages: [user(content)] });
const SENT = { send: 'POST /chat/completions', body: CHAT, ledger: ['charge -1'] };
const REFUNDED = { status: 502, ledger: ['charge -1', 'refund 1'] };
const WARNINGS = 'svc-emulator-warnings';
const PIXEL = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

/** The engine prompt of the account's last request, from the journal. */
async function enginePrompt({ id }: TestAccount) {
  const { body } = await emulator.control('GET', `/requests?account_id=${id}&limit=1`);
  return body.data[0].engine_prompt.map(({ role, text }: Record<string, string>) => `${role}: ${text}`);
}

it('returns a completion as JSON with exactly the documented fields [R009 R012 R013 R014 R015 R016 R017 R018 I001]', async () => {
  const { body, headers } = await playScenario(emulator, SENT);
  expect(body).toEqual({
    id: expect.stringMatching(/^chatcmpl_\w+$/),
    object: 'chat.completion',
    model: 'svc-rp-mini',
    choices: [
      { index: 0, message: { role: 'assistant', content: expect.stringMatching(/\w/) }, finish_reason: 'stop' },
    ],
    usage: { credits_spent: 1, credits_remaining: 49 },
  });
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  // The reply was not cut off, so its text has exactly the counted tokens.
  const [{ message }] = body.choices;
  expect(String(countTokens(message.content))).toBe(headers.get('svc-emulator-completion-tokens'));
});

it.each([
  ['svc-rp-plus', 3],
  ['svc-rp-mini', 1],
])(
  'charges for a chat with %s %i credits, and returns the balance of the account [R002 R003 R004 R122 R123 R207]',
  async (model, credits) => {
    const order = { ...SENT, body: { ...CHAT, model }, ledger: [`charge -${credits}`] };
    const { account, body } = await playScenario(emulator, order);
    expect(body.usage).toEqual({ credits_spent: credits, credits_remaining: 50 - credits });
    expect(await account.balance()).toBe(50 - credits);
    const [, charge] = await account.entries();
    expect(charge).toMatchObject({ operation: 'chat.completion', job_id: null, refund_of: null });
  },
);

it.each<[string, unknown[], number]>([
  ['an object', [user([PIXEL])], 3],
  ['a bare URL', [user([{ type: 'image_url', image_url: 'https://example.com/a.png' }])], 3],
  ['two in one turn', [user([PIXEL, { type: 'text', text: 'Look.' }, PIXEL])], 5],
  ['one in each of two turns', [user([PIXEL]), { role: 'assistant', content: 'Oh.' }, user([PIXEL])], 5],
])('charges 2 more credits for each image, given as %s [R124 R139 I032]', (_name, messages, spent) =>
  expectScenario(emulator, {
    ...{ ...SENT, body: { ...CHAT, messages }, ledger: [`charge -${spent}`] },
    answer: { usage: { credits_spent: spent } },
  }),
);

it('does not fetch the remote image of a chat [I032]', async () => {
  const receiver = await openReceiver();
  const body = say([{ type: 'image_url', image_url: { url: `${receiver.origin}/a.png` } }]);
  await expectScenario(emulator, { ...SENT, body, ledger: ['charge -3'] });
  expect(receiver.connections).toBe(0);
});

const MIRA = { role: 'system', content: 'Be Mira.' };
const asText = (text: string) => ({ type: 'text', text });
const PIER = { context: 'A pier.' };
const AT = 'system: A pier.';
const TURNS = ['system: Be Mira.', 'user: Hi'];
const MESSAGING = { messages: [MIRA, user('Hi')], context: '', mode: 'messaging' };
const ANY_SYSTEM = expect.stringMatching(/^system: \w/);
const PREAMBLE = expect.stringMatching(/^system: .*character/);

it.each<[string, string, object, unknown[]]>([
  ['the context after the system turns', 'R140', { messages: [user('Hi'), MIRA], ...PIER }, [TURNS[0], AT, TURNS[1]]],
  ['the context after the default preamble', 'R141', { messages: [user('Hi')], ...PIER }, [PREAMBLE, AT, TURNS[1]]],
  ['nothing for an empty context', 'R140', { messages: [MIRA, user('Hi')], context: '' }, TURNS],
  [
    'the text parts of a message as separate lines',
    'R139',
    { messages: [user(['One', 'two'].map(asText))] },
    [PREAMBLE, 'user: One\ntwo'],
  ],
  ['one message for the mode messaging', 'R143', MESSAGING, [TURNS[0], ANY_SYSTEM, TURNS[1]]],
])('adds to the prompt of a chat %s [%s I092]', async (_what, _rule, more, prompt) => {
  const { account } = await playScenario(emulator, { ...SENT, body: { ...CHAT, ...more } });
  expect(await enginePrompt(account)).toEqual(prompt);
});

it('writes a shorter reply with the mode messaging than with the mode scene, which is the default [R142 R143]', async () => {
  const account = await emulator.account({ credits: 1000 });
  const model = 'svc-rp-plus';
  const reply = async (more: object) => {
    const { body } = await account.post('/chat/completions', { ...CHAT, model, ...more });
    return body.choices[0].message.content as string;
  };
  const scene = await reply({});
  expect(await reply({ mode: 'scene' })).toBe(scene);
  const text = await reply({ mode: 'messaging' });
  expect(countTokens(text)).toBeLessThan(countTokens(scene));
  expect(text).not.toMatch(/\n\n/);
});

it('ends a reply at max_tokens with finish_reason length [I033 I107]', async () => {
  const account = await emulator.account();
  const { body, headers } = await account.post('/chat/completions', { ...CHAT, max_tokens: 3 });
  const [{ message, finish_reason }] = body.choices;
  expect([finish_reason, countTokens(message.content)]).toEqual(['length', 3]);
  expect(headers.get('svc-emulator-completion-tokens')).toBe('3');
  const whole = await account.post('/chat/completions', CHAT);
  expect(whole.body.choices[0].message.content.startsWith(message.content)).toBe(true);
});

it('returns token counts of prompt and reply in headers, not in the body [I002 I107]', async () => {
  const account = await emulator.account();
  const { body, headers } = await account.post('/chat/completions', CHAT);
  const prompt = await enginePrompt(account);
  const texts = prompt.map((line: string) => line.slice(line.indexOf(' ') + 1));
  const counted = texts.reduce((sum: number, text: string) => sum + countTokens(text), 0);
  expect(headers.get('svc-emulator-prompt-tokens')).toBe(String(counted));
  const written = countTokens(body.choices[0].message.content);
  expect(headers.get('svc-emulator-completion-tokens')).toBe(String(written));
  expect(Object.keys(body.usage)).toEqual(['credits_spent', 'credits_remaining']);
});

it('gives every completion its own id', async () => {
  const account = await emulator.account();
  const posts = Array.from({ length: 10 }, () => account.post('/chat/completions', CHAT));
  const ids = (await Promise.all(posts)).map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(10);
});

scenarios(emulator, SENT, {
  'rejects a chat with a model of another kind [I102]': {
    ...{ body: { ...CHAT, model: 'svc-image-one' }, ledger: [], error: { field: 'model' } },
  },
  'ignores [[block]] in a chat, with a warning [I122]': {
    ...{ body: say('[[block]] Hello there.'), shows: { [WARNINGS]: 'messages;directive=block' } },
  },
  'ignores [[bytes:3MB]] in a chat, with a warning': {
    ...{ body: say('[[bytes:3MB]] Hello there.'), shows: { [WARNINGS]: 'messages;directive=bytes' } },
  },
  'replies to a message that contains only a directive [I152]': {
    ...{ body: say('[[slow:0]]'), answer: { choices: [{ finish_reason: 'stop' }] } },
  },
});

it.each([
  [408, 'timeout', 'api_error'],
  [409, 'conflict', 'api_error'],
  [429, 'rate_limited', 'rate_limit_error'],
  [400, 'injected_fault', 'api_error'],
  [402, 'insufficient_credits', 'insufficient_credits'],
  [503, 'injected_fault', 'api_error'],
])(
  'returns the status %i of a directive with the error code %s, and charges nothing [I171 I206]',
  (status, code, type) =>
    expectScenario(emulator, {
      ...{ send: SENT.send, body: say(`[[status:${status}]]`), status, error: { code }, answer: { error: { type } } },
      shows: { 'retry-after': status === 429 ? '1' : null },
    }),
);

it.each<[string, object]>([
  ['a system turn', { messages: [{ role: 'system', content: '[[fail]]' }, ...CHAT.messages] }],
  ['the context', { context: 'A pier. [[fail]]' }],
  ['a text part', { messages: [user([{ type: 'text', text: '[[fail]]' }])] }],
])('reads a directive of a chat in %s [I152]', (_name, more) =>
  expectScenario(emulator, { ...SENT, ...REFUNDED, body: { ...CHAT, ...more }, error: { code: 'render_failed' } }),
);

it('removes directives from a chat before it counts tokens and writes the reply, which is the same on another account [I094 I152]', async () => {
  const plain = await playScenario(emulator, SENT);
  const directed = await playScenario(emulator, { ...SENT, body: say('Hello [[slow:0]] there.[[block]]') });
  expect(directed.body.choices).toEqual(plain.body.choices);
  const tokens = 'svc-emulator-prompt-tokens';
  expect(directed.headers.get(tokens)).toBe(plain.headers.get(tokens));
  expect(JSON.stringify(await enginePrompt(directed.account))).not.toMatch(/\[\[(slow|block)/);
});

const STREAM = { ...CHAT, model: 'svc-rp-plus', stream: true };
const STREAMED = { send: 'POST /chat/completions', body: STREAM, ledger: ['charge -3'] };

/** Headers that tell proxies not to buffer or compress a stream. */
const UNBUFFERED = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

/** The `data:` lines of a stream, parsed except for `[DONE]`. */
function readEvents(bytes: Buffer) {
  const blocks = bytes.toString().split('\n\n');
  expect(blocks.pop()).toBe('');
  return blocks.map((block) => {
    expect(block).toMatch(/^data: [^\n]+$/);
    return block === 'data: [DONE]' ? '[DONE]' : JSON.parse(block.slice(6));
  });
}

it('streams chunks with exactly the documented fields, then [DONE], and tells proxies not to buffer them [R144 I035 I036]', async () => {
  const shows = { 'content-type': 'text/event-stream; charset=utf-8', ...UNBUFFERED };
  const { bytes } = await playScenario(emulator, { ...STREAMED, shows });
  const events = readEvents(bytes);
  expect(events.pop()).toBe('[DONE]');
  expect(events.length).toBeGreaterThan(20);
  const usage = { credits_spent: 3, credits_remaining: 47 };
  expect(events.at(-1)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }], usage });
  const [first] = events;
  expect(first.choices[0].delta.role).toBe('assistant');
  for (const [n, { usage: said, ...chunk }] of events.entries()) {
    expect(said).toEqual(n === events.length - 1 ? usage : undefined);
    expect(chunk).toEqual({
      id: first.id,
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'svc-rp-plus',
      choices: [{ index: 0, delta: expect.any(Object), finish_reason: chunk.choices[0].finish_reason }],
    });
    expect(chunk.choices[0].finish_reason).toBe(n === events.length - 1 ? 'stop' : null);
    expect('role' in chunk.choices[0].delta).toBe(n === 0);
  }
});

it.each([{}, { mode: 'messaging' }, { max_tokens: 5 }, { context: 'Mira, a keeper.' }])(
  'streams the same reply as without streaming for %j [I037]',
  async (more) => {
    const account = await emulator.account();
    const whole = await account.post('/chat/completions', { ...STREAM, ...more, stream: false });
    const events = readEvents((await account.post('/chat/completions', { ...STREAM, ...more })).bytes);
    const chunks = events.slice(0, -1).map(({ choices: [choice] }) => choice);
    const { message, finish_reason } = whole.body.choices[0];
    expect(chunks.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
    expect(chunks.at(-1).finish_reason).toBe(finish_reason);
    expect([whole.body.usage, events.at(-2).usage]).toEqual([
      { credits_spent: 3, credits_remaining: 47 },
      { credits_spent: 3, credits_remaining: 44 },
    ]);
  },
);

it.each([
  [{ mode: 'novel' }, 400, 'invalid_request'],
  [{ model: 'gpt-4o' }, 404, 'model_not_found'],
])('returns a JSON error for a stream request with %j, not a stream [I005]', (more, status, code) =>
  expectScenario(emulator, { ...STREAMED, body: { ...STREAM, ...more }, status, error: { code }, ledger: [] }),
);

it("uses the emulator's clock for created in stream chunks [I124]", async () => {
  const other = await world();
  await other.control('PUT', '/clock', { now: '2031-05-06T07:08:09Z', frozen: true });
  const account = await other.account();
  const chunks = readEvents((await account.post('/chat/completions', STREAM)).bytes);
  const created = new Set(chunks.slice(0, -1).map((chunk) => chunk.created));
  expect(created).toEqual(new Set([Date.UTC(2031, 4, 6, 7, 8, 9) / 1000]));
});
