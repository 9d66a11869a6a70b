import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../../support/wire.ts';
import { world } from '../../../support/world.ts';

const emulator = await world();
const say = (content: unknown) => ({ ...CHAT, messages: [{ role: 'user', content }] });

it.each([
  ['[[fail]]', 'render_failed'],
  ['[[fail:gpu_lost]] Hello', 'gpu_lost'],
])('answers %s with a 502 that is refunded already [R005 R006 I018]', async (text, code) => {
  const account = await emulator.account();
  expectError(await account.post('/chat/completions', say(text)), 502, code);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
  const [, charge, refund] = await account.entries();
  expect(refund?.refund_of).toBe(charge?.id);
  expect(await account.balance()).toBe(50);
  expect(await account.events()).toEqual([]);
});

it.each([
  [408, 'timeout'],
  [409, 'conflict'],
  [429, 'rate_limited'],
  [400, 'injected_fault'],
  [402, 'insufficient_credits'],
  [500, 'injected_fault'],
  [503, 'injected_fault'],
])('answers [[status:%i]] with %s, charging nothing [I171 I206]', async (status, code) => {
  const account = await emulator.account();
  const answer = await account.post('/chat/completions', say(`[[status:${status}]]`));
  expectError(answer, status, code);
  const types: Record<number, string> = { 402: 'insufficient_credits', 429: 'rate_limit_error' };
  expect(answer.body.error.type).toBe(types[status] ?? 'api_error');
  expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('ignores [[block]], with a warning [I122]', async () => {
  const account = await emulator.account();
  const answer = await account.post('/chat/completions', say('[[block]] Hello there.'));
  expect([answer.status, answer.headers.get('svc-emulator-warnings')]).toEqual([200, 'messages;directive=block']);
  const plain = await account.post('/chat/completions', CHAT);
  expect(answer.body.choices).toEqual(plain.body.choices);
});

it('ignores [[bytes:3MB]], with a warning: a reply is no file', async () => {
  const account = await emulator.account();
  const answer = await account.post('/chat/completions', say('[[bytes:3MB]] Hello there.'));
  expect([answer.status, answer.headers.get('svc-emulator-warnings')]).toEqual([200, 'messages;directive=bytes']);
});

it.each<[string, object]>([
  ['a system turn', { messages: [{ role: 'system', content: '[[fail]]' }, ...CHAT.messages] }],
  ['the context', { context: 'A pier. [[fail]]' }],
  ['a text part', { messages: [{ role: 'user', content: [{ type: 'text', text: '[[fail]]' }] }] }],
])('reads a directive in %s [I152]', async (_name, more) => {
  const account = await emulator.account();
  const answer = await account.post('/chat/completions', { ...CHAT, ...more });
  expectError(answer, 502, 'render_failed');
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
});

it('removes directives before anything is counted or written [I094 I103 I152]', async () => {
  const account = await emulator.account();
  const plain = await account.post('/chat/completions', say('Hello there.'));
  const directed = await account.post('/chat/completions', say('Hello [[slow:0]] there.'));
  expect(directed.body.choices).toEqual(plain.body.choices);
  const tokens = 'svc-emulator-prompt-tokens';
  expect(directed.headers.get(tokens)).toBe(plain.headers.get(tokens));
  const { body } = await emulator.control('GET', `/requests?account_id=${account.id}&limit=1`);
  expect(JSON.stringify(body.data[0].engine_prompt)).not.toContain('[[');
});

it('takes a text of a directive alone as the empty text [I152]', async () => {
  const account = await emulator.account();
  const { status, body } = await account.post('/chat/completions', say('[[slow:0]]'));
  expect([status, body.choices[0].finish_reason]).toEqual([200, 'stop']);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});
