import { once } from 'node:events';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import type { Context } from '../../../src/service/http/context.ts';
import { faultyAccount, journalled, rule } from '../../support/striking.ts';
import { CHAT, expectError, sendCall } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();

it.each<[string, (account: TestAccount) => Promise<unknown>, string[]]>([
  ['a chat, which it charges', (account) => account.post('/chat/completions', CHAT), ['grant 50', 'charge -1']],
  ['a read, which is free', (account) => account.get('/account'), ['grant 50']],
])('performs %s, but loses its response once because of a lost_response rule [I237]', async (_what, ask, ledger) => {
  const { account, shown } = await faultyAccount(emulator, { lost_response: true });
  await expect(ask(account)).rejects.toThrow();
  expect(await shown()).toMatchObject({ applied: 1, remaining: 0 });
  const [request] = await journalled(account, 1);
  expect(request).toMatchObject({ status: 0, fault: (await shown()).id });
  expect(await account.ledger()).toEqual(ledger);
  expect(await ask(account)).toMatchObject({ status: 200 });
});

it('does not apply a lost_response rule to a request that the balance does not cover [I237 I195]', async () => {
  const { account, shown } = await faultyAccount(emulator, { lost_response: true }, {}, { credits: 0 });
  expectError(await account.post('/chat/completions', CHAT), 402, 'insufficient_credits');
  expect(await shown()).toMatchObject({ applied: 0 });
});

it('returns the response of a request with the effect swap after the response of the next request [I237]', async () => {
  // The effect waits one second for that response. Here it waits longer, so that a slow machine is in time.
  const attach = ({ clock }: Context) => {
    const after = clock.after.bind(clock);
    clock.after = (ms, ...rest) => after(20 * ms, ...rest);
  };
  const here = await world({}, { tally: { attach, keep: () => undefined, begin: () => undefined } });
  const { account } = await faultyAccount(here, { swap: true });
  const order: string[] = [];
  const first = account.post('/chat/completions', CHAT).then(() => order.push('first'));
  // After the charge, the emulator holds the response back.
  await account.charged();
  await account.get('/account').then(() => order.push('second'));
  await first;
  expect(order).toEqual(['second', 'first']);
});

it('applies a rule to the nth matching request, counted over all accounts unless the rule names an account [I237]', async () => {
  const ana = await emulator.account();
  const ben = await emulator.account();
  const match = { path: '/v1/account', method: 'GET' };
  await emulator.control('POST', '/faults', { match: { ...match, nth: 5 }, effect: { status: 502 } });
  const own = { match: { ...match, nth: 2, account_id: ana.id }, effect: { status: 503 } };
  await emulator.control('POST', '/faults', own);
  const statuses = async (account: TestAccount) => {
    const answers = [await account.get('/account'), await account.get('/account'), await account.get('/account')];
    return answers.map(({ status }) => status);
  };
  expect(await statuses(ana)).toEqual([200, 503, 200]);
  expect(await statuses(ben)).toEqual([200, 502, 200]);
});

const MESSAGES = [{ role: 'user', content: 'Tell me of the “harbour” at night.' }];
const ORDER = { ...CHAT, model: 'svc-rp-plus', messages: MESSAGES };

async function replied(account: Awaited<ReturnType<typeof emulator.account>>, more: object = {}) {
  const { status, body, bytes } = await account.post('/chat/completions', { ...ORDER, ...more });
  expect(status).toBe(200);
  if (body)
    return { content: body.choices[0].message.content, reason: body.choices[0].finish_reason, usage: body.usage };
  const chunks = [...bytes.toString().matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  const content = chunks.map(({ choices }) => choices[0].delta.content ?? '').join('');
  return { content, reason: chunks.at(-1).choices[0].finish_reason, usage: chunks.at(-1).usage };
}

const halfOf = (text: string) => [...text].slice(0, Math.ceil([...text].length / 2)).join('');

it.each<[string, (plain: string) => unknown]>([
  ['refusal', () => "I'm sorry, but I can't help with that."],
  ['empty', () => ''],
  ['broken_json', (plain) => `{"reply": ${halfOf(JSON.stringify(plain))}`],
  ['markup', (plain) => `<p>${plain}</p>\n<script>alert(1)</script>`],
  ['other_language', () => expect.stringMatching(/suomeksi/)],
  ['echo', () => MESSAGES[0]?.content],
  ['cut', halfOf],
])(
  'applies the reply effect %s to a chat without and a chat with streaming, at the usual price, and not to a third chat if times is 2 [I264]',
  async (reply, expected) => {
    const account = await emulator.account();
    const plain = await replied(account);
    const shown = await rule(account, { reply }, { times: 2 });
    const whole = await replied(account);
    const streamed = await replied(account, { stream: true });
    expect(whole).toMatchObject({ content: expected(plain.content), reason: 'stop' });
    expect([streamed.content, streamed.reason]).toEqual([whole.content, 'stop']);
    expect([whole.usage.credits_spent, streamed.usage.credits_spent]).toEqual([3, 3]);
    expect(await replied(account)).toMatchObject({ content: plain.content });
    expect((await shown()).applied).toBe(2);
    expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3', 'charge -3', 'charge -3']);
  },
);

it('does not apply a reply effect to a request that a directive fails, and rejects an unknown reply [I264]', async () => {
  const { account, shown } = await faultyAccount(emulator, { reply: 'empty' });
  const failing = { ...ORDER, messages: [{ role: 'user', content: '[[fail]] Hello.' }] };
  expect((await account.post('/chat/completions', failing)).status).toBe(502);
  expect((await shown()).applied).toBe(0);
  expect(await account.balance()).toBe(50);
  const order = { match: { account_id: account.id }, effect: { reply: 'rude' } };
  expectError(await emulator.control('POST', '/faults', order), 400, 'invalid_request', 'effect.reply');
  const elsewhere = { match: { path: '/v1/images' }, effect: { reply: 'empty' } };
  expectError(await emulator.control('POST', '/faults', elsewhere), 400, 'invalid_request');
});

const STREAM = { ...CHAT, model: 'svc-rp-plus', stream: true };

const spoilt = (stream: object) => faultyAccount(emulator, { stream });

/** Sends a streamed request over a socket. `received` returns everything that has come so far. */
function socketOf(account: TestAccount) {
  const socket = sendCall(account, '/chat/completions', STREAM, 'connection: close');
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  return { socket, received: () => received };
}

async function exchanged(account: TestAccount): Promise<string> {
  const { socket, received } = socketOf(account);
  await once(socket, 'close');
  return received();
}

const dataOf = (text: string) => [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '');

const END = /\r\n0\r\n\r\n$/;

async function whole(): Promise<string[]> {
  const account = await emulator.account();
  const text = await exchanged(account);
  expect(text).toMatch(END);
  return dataOf(text);
}

async function expectChargedOnce(account: TestAccount) {
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3']);
  expect([await account.events(), await account.deliveries()]).toEqual([[], []]);
}

const withoutIds = (events: string[]) => events.map((event) => event.replace(/"chatcmpl_\w+"|"created":\d+/g, ''));

it('ends a stream early after the number of events in cut_after [I141 I197]', async () => {
  const { account, shown } = await spoilt({ cut_after: 5 });
  const text = await exchanged(account);
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toMatch(END);
  expect(withoutIds(dataOf(text))).toEqual(withoutIds((await whole()).slice(0, 5)));
  expect(await shown()).toMatchObject({ applied: 1 });
  await expectChargedOnce(account);
});

it('completes a stream that is shorter than cut_after, and counts [DONE] as an event [I197]', async () => {
  const events = await whole();
  const longer = await spoilt({ cut_after: events.length + 1 });
  expect(await exchanged(longer.account)).toMatch(END);
  const exact = await spoilt({ cut_after: events.length });
  const text = await exchanged(exact.account);
  expect([dataOf(text).at(-1), END.test(text)]).toEqual(['[DONE]', false]);
  await expectChargedOnce(exact.account);
});

it.each([1, 3])('breaks only the JSON of stream event %i if malformed_at is its number [I141 I197]', async (n) => {
  const { account } = await spoilt({ malformed_at: n });
  const text = await exchanged(account);
  expect(text).toMatch(END);
  const events = dataOf(text);
  expect(() => JSON.parse(events[n - 1] ?? '')).toThrow(SyntaxError);
  const others = withoutIds(events.toSpliced(n - 1, 1));
  expect(others).toEqual(withoutIds((await whole()).toSpliced(n - 1, 1)));
  await expectChargedOnce(account);
});

it('omits [DONE] of a stream with the effect omit_done, and ends the response normally [I141]', async () => {
  const { account } = await spoilt({ omit_done: true });
  const text = await exchanged(account);
  expect(text).toMatch(END);
  expect(withoutIds(dataOf(text))).toEqual(withoutIds((await whole()).slice(0, -1)));
  await expectChargedOnce(account);
});

it.each<[string, object, number]>([
  ['first event', { ttft_ms: 600_000 }, 0],
  ['second event', { interval_ms: 600_000 }, 1],
])(
  'delays the %s of a stream, but not the headers, because of a rule, and charges once if the client disconnects meanwhile [I141 I173]',
  async (_which, fault, events) => {
    const { account } = await spoilt(fault);
    const { socket, received } = socketOf(account);
    while (!/\r\n\r\n/.test(received()) || dataOf(received()).length < events) await once(socket, 'data');
    expect(received()).toMatch(/^HTTP\/1\.1 200 .*text\/event-stream/s);
    expect(dataOf(received())).toHaveLength(events);
    socket.resetAndDestroy();
    await journalled(account, 1);
    expect(dataOf(received())).toHaveLength(events);
    await expectChargedOnce(account);
  },
);

it('delays the first event of a stream by ttft_ms and the others by interval_ms, and sends all of them [I141]', async () => {
  const { account } = await spoilt({ ttft_ms: 40, interval_ms: 3 });
  const text = await exchanged(account);
  const events = dataOf(text);
  expect(withoutIds(events)).toEqual(withoutIds(await whole()));
  const [request] = await journalled(account, 1);
  expect(request.duration_ms).toBeGreaterThanOrEqual(40 + 2 * (events.length - 1));
  await expectChargedOnce(account);
});

async function readWithOpenai({ key }: TestAccount, pieces: string[]): Promise<void> {
  const openai = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: key, maxRetries: 2 });
  const messages = [{ role: 'user' as const, content: 'Hello there.' }];
  const stream = await openai.chat.completions.create({ model: 'svc-rp-plus', messages, stream: true });
  for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '');
}

async function readWithAi({ key }: TestAccount, pieces: string[]): Promise<void> {
  const provider = createOpenAICompatible({ name: 'svc', baseURL: `${emulator.url}/v1`, apiKey: key });
  const model = provider('svc-rp-plus');
  const { fullStream } = streamText({ model, prompt: 'Hello there.', onError: () => {} });
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') pieces.push(part.text);
  }
}

it.each([
  ['openai', 'cut', readWithOpenai, { cut_after: 4 }, /terminated|aborted|premature/i],
  ['openai', 'broken', readWithOpenai, { malformed_at: 3 }, /JSON/],
  ['ai', 'cut', readWithAi, { cut_after: 4 }, /terminated|Failed to process/],
  ['ai', 'broken', readWithAi, { malformed_at: 3 }, /JSON/],
])(
  'makes the client of the package %s throw for a stream that is %s, and charges the stream once [I141]',
  async (...row) => {
    const [, , read, fault, message] = row;
    const { account } = await spoilt({ omit_done: true });
    const whole: string[] = [];
    await read(account, whole);
    const shown = await rule(account, { stream: fault });
    const pieces: string[] = [];
    await expect(read(account, pieces)).rejects.toThrow(message);
    expect(whole.join('').startsWith(pieces.join(''))).toBe(true);
    expect(whole.join('').length).toBeGreaterThan(pieces.join('').length);
    expect(await shown()).toMatchObject({ applied: 1 });
    expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3']);
  },
);

it('ends a delayed stream at a reset, and applies the next stream effect as usual', async () => {
  const here = await world();
  const { account } = await faultyAccount(here, { stream: { ttft_ms: 600_000 } });
  const reading = here.call('POST', '/v1/chat/completions', STREAM, account.headers);
  const outcome = reading.then(
    () => 'answered',
    () => 'cut',
  );
  await account.charged();
  await here.control('POST', '/reset');
  expect(await outcome).toBe('cut');
  const { account: next, shown } = await faultyAccount(here, { stream: { omit_done: true } });
  const { bytes } = await next.post('/chat/completions', STREAM);
  expect(`${bytes}`).not.toContain('[DONE]');
  expect(await shown()).toMatchObject({ applied: 1 });
  expect(await here.invariants()).toMatchObject({ ok: true });
});
