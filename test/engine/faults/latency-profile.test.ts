import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { ConfigOptions } from '../../../src/base/config/config.ts';
import { startEmulator } from '../../../src/emulator.ts';
import { readLatencyProfileFile, secondsAtQuantile } from '../../../src/engine/faults/latency-profile.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { rule } from '../../support/striking.ts';
import { CHAT, expectError, rawPost } from '../../support/wire.ts';
import { ephemeral, type TestAccount, world } from '../../support/world.ts';

const folder = emptyFolder();

function profile(content: unknown): string {
  const file = path.join(folder, `${Math.abs(JSON.stringify(content).length)}-profile.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const plain = await world();
const say = (account: TestAccount, more: object = {}) => account.post('/chat/completions', { ...CHAT, ...more });

/** Expects that a request is held back for exactly this many seconds of the frozen clock. */
async function expectHeld(account: TestAccount, seconds: number, send: () => Promise<unknown>) {
  const { world: here } = account;
  const path = `/requests?account_id=${account.id}`;
  const answered = async () => (await here.control('GET', path)).body.data.length;
  const [entries, before] = [(await account.entries()).length, await answered()];
  const sent = send();
  await account.charged(entries + 1);
  await here.advance(seconds - 1);
  expect(await answered()).toBe(before);
  await here.advance(1);
  await sent;
}

it("delays work for the duration of a latency profile, by the emulator's clock", async () => {
  const exactly = (seconds: number) => ({ min: seconds, max: seconds });
  const file = profile({
    operations: { 'chat.completion': exactly(5), 'audio.speech': exactly(3) },
    models: { 'svc-rp-plus': exactly(8) },
  });
  const here = await world({ profile: file });
  await here.control('PUT', '/clock', { frozen: true });
  const account = await here.account({ credits: 100 });
  await expectHeld(account, 5, () => say(account));
  await expectHeld(account, 8, () => say(account, { model: 'svc-rp-plus' }));
  const voice = { input: 'Hello', voice: 'aria' };
  await expectHeld(account, 3, () => account.post('/audio/speech', voice));
  expect((await account.post('/images/generations', { prompt: 'x' })).status).toBe(200);
  expect(await account.ledger()).toEqual([
    'grant 50',
    'top_up 50',
    'charge -1',
    'charge -3',
    'charge -3',
    'charge -10',
  ]);
});

it('streams a chat under a latency profile evenly from first_token to the end of its duration [I212]', async () => {
  const row = { min: 10, max: 10, first_token: 2 };
  const here = await world({ profile: profile({ operations: { 'chat.completion': row } }) });
  await here.control('PUT', '/clock', { frozen: true });
  const account = await here.account();
  const streamed = (await say(await plain.account(), { stream: true })).bytes.toString();
  const count = streamed
    .split('\n\n')
    .filter((event) => event.includes('"content":') && !event.includes('"role"')).length;
  const sent = rawPost(account, '/chat/completions', { ...CHAT, stream: true });
  await account.charged();
  await here.advance(1);
  await here.advance(1);
  const reader = (await sent).body?.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  const pieces = () => received.split('\n\n').filter((event) => /"delta":\{"content":"./.test(event)).length;
  const until = async (enough: () => boolean) => {
    while (!enough()) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return;
      received += value;
    }
  };
  await until(() => pieces() >= 1);
  expect(pieces()).toBe(1);
  for (const passed of [2000, 4000, 6000, 8000]) {
    await here.advance(2);
    const due = Array.from({ length: count }, (_, n) => Math.floor((n * 8000) / (count - 1)));
    const left = due.filter((moment) => moment <= passed).length;
    await until(() => pieces() >= left);
    expect(pieces()).toBe(left);
  }
  await until(() => received.endsWith('[DONE]\n\n'));
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('ends a job after the duration of a latency profile, and fails and refunds it at a failure_rate of 1', async () => {
  const row = { min: 60, max: 60, failure_rate: 1, code: 'engine_overloaded' };
  const here = await world({ profile: profile({ operations: { 'music.generation': row } }) });
  await here.control('PUT', '/clock', { frozen: true });
  const account = await here.account();
  const song = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
  const { id } = (await account.post('/music/generations', song)).body.data[0];
  await here.advance(59);
  expect((await account.get(`/music/generations/${id}`)).body.completed).toBeUndefined();
  await here.advance(1);
  expect((await account.get(`/music/generations/${id}`)).body).toMatchObject({
    status: 'failed',
    error: { code: 'engine_overloaded' },
  });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'refund 3']);
  expect(await account.events()).toEqual(['music.generation.failed']);
  expect(await account.library()).toEqual([]);
});

const FLAKY = { 'chat.completion': { min: 0, max: 0, failure_rate: 0.5, code: 'flaky' } };

/** Sends 40 requests, the nth on account `turn(n)`. Marks each success with a dot and each failure with an x. */
async function failures(options: ConfigOptions, rules: object[], turn: (n: number) => number): Promise<string[]> {
  const here = await world({ seed: 7, ...options });
  const accounts = [await here.account(), await here.account()];
  for (const each of rules) await here.control('POST', '/faults', each);
  const outcomes = ['', ''];
  for (let n = 0; n < 40; n += 1) {
    const at = turn(n);
    const { status } = await say(accounts[at] as TestAccount);
    outcomes[at] += status === 200 ? '.' : 'x';
  }
  return outcomes;
}

it.each<[string, ConfigOptions, object[]]>([
  ['a latency profile', { profile: profile({ operations: FLAKY }) }, []],
  ['a fault rule with a probability', {}, [{ times: 0, probability: 0.5, effect: { status: 503 } }]],
])(
  'fails the same requests by %s in two runs with one seed, whatever the order of accounts [I143]',
  async (_what, options, rules) => {
    const [ana, ben] = await failures(options, rules, (n) => n % 2);
    expect(await failures(options, rules, (n) => (n < 20 ? 1 : 0))).toEqual([ana, ben]);
    expect(ana).not.toBe(ben);
    for (const outcome of [ana, ben]) expect(outcome).toMatch(/^(?=.*x.*x.*x)(?=.*\..*\..*\.)[x.]{20}$/);
  },
);

it('overrides a latency profile by directives and by fault rules that fail the work or its stream', async () => {
  const failing = { 'chat.completion': { min: 30, max: 30, failure_rate: 1 } };
  const here = await world({ profile: profile({ operations: failing }) });
  await here.control('PUT', '/clock', { frozen: true });
  const account = await here.account();
  const at = (content: string, more: object = {}) => say(account, { messages: [{ role: 'user', content }], ...more });
  expectError(await at('[[slow:0]][[fail:mine]]'), 502, 'mine');
  await rule(account, { fail_job: 'lost' });
  expectError(await at('[[slow:0]]'), 502, 'lost');
  await rule(account, { stream: { omit_done: true } });
  expect((await at('[[slow:0]]', { stream: true })).status).toBe(200);
  expectError(await at('[[slow:0]]'), 502, 'render_failed');
  expect(await account.balance()).toBe(49);
});

it('ships a latency profile of 7 operations and all models: durations under an hour, failure rates under 5%', async () => {
  const here = await world();
  const { data } = (await here.call('GET', '/v1/models')).body;
  const file = readLatencyProfileFile('production', () => false);
  expect(Object.keys(file.models ?? {}).toSorted()).toEqual(data.map(({ id }: { id: string }) => id).toSorted());
  expect(Object.keys(file.operations ?? {})).toHaveLength(7);
  const rows = [...Object.values(file.operations ?? {}), ...Object.values(file.models ?? {})];
  for (const row of rows) {
    expect(secondsAtQuantile(row, 0.5)).toBeGreaterThan(0);
    expect(secondsAtQuantile(row, 0.999)).toBeLessThan(3600);
    expect(row.failure_rate).toBeLessThan(0.05);
  }
});

it('chooses half of all durations of a latency profile below p50 and 19 of 20 below p95, or evenly between min and max', () => {
  const skewed = { p50: 10, p95: 40 };
  const shares = [0, 0.05, 0.5, 0.95, 1 - Number.EPSILON];
  expect(shares.map((share) => secondsAtQuantile(skewed, share))).toEqual([
    expect.closeTo(10 / 4 ** (3.2 / 1.645), 2),
    expect.closeTo(2.5, 2),
    10,
    expect.closeTo(40, 2),
    expect.closeTo(10 * 4 ** (3.2 / 1.645), 0),
  ]);
  const even = { min: 2, max: 4 };
  expect([0, 0.25, 0.5].map((share) => secondsAtQuantile(even, share))).toEqual([2, 2.5, 3]);
});

it.each<[string, unknown, RegExp]>([
  ['text that is not JSON', '{', /JSON/],
  ['an unknown operation', { operations: { chat: { min: 0, max: 1 } } }, /operations/],
  ['an unknown model', { models: { 'gpt-4o': { min: 0, max: 1 } } }, /models\.gpt-4o: /],
  ['bounds the wrong way round', { models: { 'svc-rp-mini': { min: 2, max: 1 } } }, /models\.svc-rp-mini\.max: /],
  ['p95 below p50', { models: { 'svc-rp-mini': { p50: 2, p95: 1 } } }, /models\.svc-rp-mini\.p95: /],
  ['p50 without p95', { models: { 'svc-rp-mini': { p50: 2 } } }, /models\.svc-rp-mini\.p95: /],
  ['a rate above 1', { models: { 'svc-rp-mini': { min: 0, max: 1, failure_rate: 2 } } }, /failure_rate: /],
  ['a misspelt field', { models: { 'svc-rp-mini': { min: 0, max: 1, rate: 2 } } }, /rate/],
])(
  'rejects a latency profile with %s at the start, and names the file and what is wrong',
  async (_what, content, field) => {
    const file = profile(content);
    const started = startEmulator(ephemeral({ profile: file }));
    await expect(started).rejects.toMatchObject({ name: 'ConfigError' });
    const message = String(await started.catch(({ message: text }: Error) => text));
    expect(message).toContain(file);
    expect(message).toMatch(field);
    expect(message).toMatch(/^--profile /);
  },
);

it('rejects a latency profile whose file does not exist, and names the file', async () => {
  const config = ephemeral({ profile: path.join(folder, 'none.json') });
  await expect(startEmulator(config)).rejects.toThrow(/none\.json.*there is no such file/);
});
