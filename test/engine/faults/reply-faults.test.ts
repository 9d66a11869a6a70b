import { expect, it } from 'vitest';
import { rule } from '../../support/striking.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
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
])('answers a chat with %s once, whole and streamed, charged as ever [I264]', async (reply, expected) => {
  const account = await emulator.account();
  const plain = await replied(account);
  const shown = await rule(account, { reply }, { times: 2 });
  const whole = await replied(account);
  const streamed = await replied(account, { stream: true });
  expect(whole).toMatchObject({ content: expected(plain.content), reason: 'stop' });
  expect([streamed.content, streamed.reason]).toEqual([whole.content, 'stop']);
  expect([whole.usage.credits_spent, streamed.usage.credits_spent]).toEqual([3, 3]);
  expect(await replied(account)).toMatchObject({ content: plain.content });
  expect((await shown()).strikes).toBe(2);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3', 'charge -3', 'charge -3']);
});

it('leaves alone what a directive fails, and refuses a reply that there is not [I264]', async () => {
  const account = await emulator.account();
  const shown = await rule(account, { reply: 'empty' });
  const failing = { ...ORDER, messages: [{ role: 'user', content: '[[fail]] Hello.' }] };
  expect((await account.post('/chat/completions', failing)).status).toBe(502);
  expect((await shown()).strikes).toBe(0);
  expect(await account.balance()).toBe(50);
  const order = { match: { account_id: account.id }, effect: { reply: 'rude' } };
  expect(expectError(await emulator.control('POST', '/faults', order), 400, 'invalid_request').param).toBe(
    'effect.reply',
  );
  const elsewhere = { match: { path: '/v1/images' }, effect: { reply: 'empty' } };
  expectError(await emulator.control('POST', '/faults', elsewhere), 400, 'invalid_request');
});
