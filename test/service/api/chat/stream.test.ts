import { expect, it } from 'vitest';
import { expectScenario } from '../../../support/scenario.ts';
import { CHAT } from '../../../support/wire.ts';
import { world } from '../../../support/world.ts';

const emulator = await world();
const STREAM = { ...CHAT, model: 'svc-rp-plus', stream: true };
const SENT = { send: 'POST /chat/completions', body: STREAM, ledger: ['charge -3'] };

/** The `data:` lines of a stream, parsed but for `[DONE]`. */
function readEvents(bytes: Buffer) {
  const blocks = bytes.toString().split('\n\n');
  expect(blocks.pop()).toBe('');
  return blocks.map((block) => {
    expect(block).toMatch(/^data: [^\n]+$/);
    return block === 'data: [DONE]' ? '[DONE]' : JSON.parse(block.slice(6));
  });
}

it('streams chunks of exactly the documented fields, then [DONE] [R144 I035 I036]', async () => {
  const shows = { 'content-type': 'text/event-stream; charset=utf-8' };
  const { bytes } = await expectScenario(emulator, { ...SENT, shows });
  const events = readEvents(bytes);
  expect(events.pop()).toBe('[DONE]');
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
  'streams with %j what it answers whole [I037]',
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

it('sends the reply in pieces, and charges it once, as the whole reply [R003 R122 R144]', async () => {
  const { account, bytes } = await expectScenario(emulator, { ...SENT, shows: { 'cache-control': 'no-cache' } });
  expect(readEvents(bytes).length).toBeGreaterThan(20);
  expect(await account.balance()).toBe(47);
});

it.each([
  [{ mode: 'novel' }, 400, 'invalid_request'],
  [{ model: 'gpt-4o' }, 404, 'model_not_found'],
])('answers %j as JSON, not as a stream [I005]', (more, status, code) =>
  expectScenario(emulator, { ...SENT, body: { ...STREAM, ...more }, status, error: { code }, ledger: [] }),
);

it('stamps chunks with the time of the emulator clock [I124]', async () => {
  const other = await world();
  await other.control('PUT', '/clock', { now: '2031-05-06T07:08:09Z', frozen: true });
  const account = await other.account();
  const [first] = readEvents((await account.post('/chat/completions', STREAM)).bytes);
  expect(first.created).toBe(Date.UTC(2031, 4, 6, 7, 8, 9) / 1000);
});
