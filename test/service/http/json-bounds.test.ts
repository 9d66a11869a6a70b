import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const JSON_TYPE = { 'content-type': 'application/json' };
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const chatWith = (field: string, padding = 0) =>
  `${JSON.stringify(CHAT).slice(0, -1)},"more":${field}${' '.repeat(padding)}}`;
const LARGE = 200_000;

it.each([
  ['a small body', 0],
  ['a large body', LARGE],
])('takes %s of 100 levels and refuses one more, saying so [I226]', async (_name, padding) => {
  const account = await emulator.account();
  const deep = await account.post('/chat/completions', chatWith(nested(99), padding), JSON_TYPE);
  const deeper = await account.post('/chat/completions', chatWith(nested(100), padding), JSON_TYPE);
  expect(deep.status).toBe(200);
  const { message, param } = expectError(deeper, 400, 'invalid_request');
  expect([message, param]).toEqual([expect.stringContaining('deeper than 100 levels'), null]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('counts no bracket within a text [I226]', async () => {
  const account = await emulator.account();
  const text = `"${'[{'.repeat(30_000)} \\" ${'[['.repeat(9)}"`;
  expect((await account.post('/chat/completions', chatWith(text), JSON_TYPE)).status).toBe(200);
});

it.each([
  ['brackets that nobody closes', '['.repeat(3_000_000), 'deeper than 100 levels'],
  ['a million objects', `[${'{},'.repeat(1_000_000)}{}]`, 'over 20000 objects and arrays'],
  ['a million numbers', `[${'1,'.repeat(1_000_000)}1]`, 'over 200000 values'],
  ['a million names', `{${'"a":1,'.repeat(1_000_000)}"b":1}`, 'over 200000 values'],
])('refuses %s before it builds them, and names the limit [I226]', async (_name, body, limit) => {
  const account = await emulator.account();
  const answer = await account.post('/chat/completions', body, JSON_TYPE);
  expect(expectError(answer, 400, 'invalid_request').message).toContain(limit);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['/chat/completions', 'messages', 4096],
  ['/webhooks', 'events', 100],
  ['/videos/generations', 'elements', 100],
  ['/videos/generations', 'references', 100],
])('refuses a list of %s that is too long by its length alone: %s [I226]', async (path, field, most) => {
  const account = await emulator.account();
  const body = { model: 'svc-rp-mini', url: 'https://example.com/', prompt: 'a', [field]: Array(most + 1).fill(7) };
  const { param, message } = expectError(await account.post(path, body), 400, 'invalid_request');
  expect([param, message]).toEqual([field, expect.stringContaining(`at most ${most} items`)]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('answers the first fault of a body with thousands [I226]', async () => {
  const account = await emulator.account();
  const messages = Array.from({ length: 4000 }, () => ({ role: 7, content: 7 }));
  const answer = await account.post('/chat/completions', { ...CHAT, messages });
  expectError(answer, 400, 'invalid_request', 'messages.0.role');
  expect(answer.bytes.length).toBeLessThan(1000);
});

it('refuses a text with more beginnings of directives than it looks at, and names the limit [I094]', async () => {
  const account = await emulator.account();
  const ask = (times: number) =>
    account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content: '[[ '.repeat(times) }] });
  expect((await ask(10_000)).status).toBe(200);
  expect(expectError(await ask(10_001), 400, 'invalid_request').message).toContain('10000');
});

it('counts the tokens of a long prompt as it counts those of a short one [I226]', async () => {
  const account = await emulator.account();
  const ask = (content: string) =>
    account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  const tokens = async (times: number) =>
    Number((await ask('a word, 12345 ☂ and  so on;'.repeat(times))).headers.get('svc-emulator-prompt-tokens'));
  const [one, two] = [await tokens(10_000), await tokens(20_000)];
  const none = await tokens(0);
  expect(two - none).toBe(2 * (one - none));
});
