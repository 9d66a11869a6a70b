import { expect, it } from 'vitest';
import { countTokens } from '../../../../src/media/text/tokenizer.ts';
import { openReceiver } from '../../../support/receiver.ts';
import { CHAT, expectError } from '../../../support/wire.ts';
import { type TestAccount, world } from '../../../support/world.ts';

const emulator = await world();
const user = (content: unknown) => ({ role: 'user', content });
const PIXEL = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

/** The engine prompt of the last request, as the journal shows it. */
async function enginePrompt({ id }: TestAccount) {
  const { body } = await emulator.control('GET', `/requests?account_id=${id}&limit=1`);
  return body.data[0].engine_prompt.map(({ role, text }: Record<string, string>) => [role, text]);
}

it('answers a completion of exactly the documented fields [R012 R013 R014 R015 R016 R017 R018 I001]', async () => {
  const account = await emulator.account();
  const { body, headers } = await account.post('/chat/completions', CHAT);
  expect(body).toEqual({
    id: expect.stringMatching(/^chatcmpl_\w+$/),
    object: 'chat.completion',
    model: 'svc-rp-mini',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: expect.stringMatching(/\w/) },
        finish_reason: 'stop',
      },
    ],
    usage: { credits_spent: 1, credits_remaining: 49 },
  });
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  // A reply that ended by itself is there to its last token, and nothing is added to it.
  const [{ message }] = body.choices;
  expect(String(countTokens(message.content))).toBe(headers.get('svc-emulator-completion-tokens'));
});

it.each([
  ['svc-rp-plus', 3],
  ['svc-rp-mini', 1],
])(
  'charges %s %i credits, and tells the balance that the account shows [R002 R003 R004 R122 R123 R207]',
  async (model, credits) => {
    const account = await emulator.account();
    const { body } = await account.post('/chat/completions', { ...CHAT, model });
    expect(body.usage).toEqual({ credits_spent: credits, credits_remaining: 50 - credits });
    expect(await account.balance()).toBe(50 - credits);
    expect(await account.ledger()).toEqual(['grant 50', `charge -${credits}`]);
    const [, charge] = await account.entries();
    expect(charge).toMatchObject({ operation: 'chat.completion', job_id: null, refund_of: null });
    expect(await account.events()).toEqual([]);
  },
);

it.each<[string, unknown[], number]>([
  ['an object', [user([PIXEL])], 3],
  ['a bare URL', [user([{ type: 'image_url', image_url: 'https://example.com/a.png' }])], 3],
  ['two in one turn', [user([PIXEL, { type: 'text', text: 'Look.' }, PIXEL])], 5],
  ['one in each of two turns', [user([PIXEL]), { role: 'assistant', content: 'Oh.' }, user([PIXEL])], 5],
])('charges 2 more for each image, given as %s [R124 R139 I032]', async (_name, messages, spent) => {
  const account = await emulator.account();
  const { body } = await account.post('/chat/completions', { model: 'svc-rp-mini', messages });
  expect(body.usage.credits_spent).toBe(spent);
  expect(await account.ledger()).toEqual(['grant 50', `charge -${spent}`]);
});

it('never fetches a remote image [I032]', async () => {
  const receiver = await openReceiver();
  const account = await emulator.account();
  const url = `${receiver.origin}/a.png`;
  const messages = [user([{ type: 'image_url', image_url: { url } }])];
  expect((await account.post('/chat/completions', { ...CHAT, messages })).status).toBe(200);
  expect(receiver.connections).toBe(0);
});

it('puts the context after the system turns [R140 I092]', async () => {
  const account = await emulator.account();
  const messages = [user('Hi'), { role: 'system', content: 'Be Mira.' }, user('You?')];
  await account.post('/chat/completions', { ...CHAT, messages, context: 'A lighthouse.' });
  expect(await enginePrompt(account)).toEqual([
    ['system', 'Be Mira.'],
    ['system', 'A lighthouse.'],
    ['user', 'Hi'],
    ['user', 'You?'],
  ]);
});

it('puts the context after the default preamble where no system turn is [R141 I092]', async () => {
  const account = await emulator.account();
  await account.post('/chat/completions', { ...CHAT, context: 'A lighthouse.' });
  const [preamble, context, turn] = await enginePrompt(account);
  expect(preamble).toEqual(['system', expect.stringMatching(/character/)]);
  expect([context, turn]).toEqual([
    ['system', 'A lighthouse.'],
    ['user', 'Hello there.'],
  ]);
});

it('writes shorter in messaging mode than in a scene, which is the default [R142 R143]', async () => {
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

it('cuts a reply at max_tokens and says length [I033 I107]', async () => {
  const account = await emulator.account();
  const { body, headers } = await account.post('/chat/completions', { ...CHAT, max_tokens: 3 });
  const [{ message, finish_reason }] = body.choices;
  expect([finish_reason, countTokens(message.content)]).toEqual(['length', 3]);
  expect(headers.get('svc-emulator-completion-tokens')).toBe('3');
  const whole = await account.post('/chat/completions', CHAT);
  expect(whole.body.choices[0].message.content.startsWith(message.content)).toBe(true);
});

it('tells the tokens of prompt and reply in headers, not in the body [I002 I107]', async () => {
  const account = await emulator.account();
  const { body, headers } = await account.post('/chat/completions', CHAT);
  const prompt = await enginePrompt(account);
  const counted = prompt.reduce((sum: number, [, text]: string[]) => sum + countTokens(text ?? ''), 0);
  expect(headers.get('svc-emulator-prompt-tokens')).toBe(String(counted));
  const written = countTokens(body.choices[0].message.content);
  expect(headers.get('svc-emulator-completion-tokens')).toBe(String(written));
  expect(Object.keys(body.usage)).toEqual(['credits_spent', 'credits_remaining']);
});

it('answers the same request with the same reply, on any account [I097]', async () => {
  const replies = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const account = await emulator.account();
      return (await account.post('/chat/completions', CHAT)).body.choices;
    }),
  );
  expect(replies[1]).toEqual(replies[0]);
  expect(replies[2]).toEqual(replies[0]);
});

it('gives every completion an id of its own', async () => {
  const account = await emulator.account();
  const posts = Array.from({ length: 10 }, () => account.post('/chat/completions', CHAT));
  const ids = (await Promise.all(posts)).map(({ body }) => body.id);
  expect(new Set(ids).size).toBe(10);
});

it('refuses a model that is none, and one of another kind [I012 I102]', async () => {
  const account = await emulator.account();
  const unknown = await account.post('/chat/completions', { ...CHAT, model: 'gpt-4o' });
  expect(expectError(unknown, 404, 'model_not_found')).toMatchObject({
    param: 'model',
    message: expect.stringMatching(/svc-rp-plus, svc-rp-mini/),
  });
  const image = await account.post('/chat/completions', { ...CHAT, model: 'svc-image-one' });
  expectError(image, 400, 'invalid_request', 'model');
  expect(await account.ledger()).toEqual(['grant 50']);
});
