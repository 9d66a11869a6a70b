import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type ChatMode,
  createReplyWriter,
  type PromptMessage,
  type ReplyPrompt,
} from '../../../src/media/text/reply-writer.ts';
import { countTokens } from '../../../src/media/text/tokenizer.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const system = (text: string): PromptMessage => ({ role: 'system', text, images: 0 });
const user = (text: string, images = 0): PromptMessage => ({ role: 'user', text, images });

const TAVERN = 'You are Mira, the gruff innkeeper of a tavern. She has seen too much. A rainy night.';

const writer = createReplyWriter();

function reply(messages: PromptMessage[], more: Partial<ReplyPrompt> = {}): string {
  const prompt = { model: 'svc-rp-plus', messages, mode: 'scene', temperature: 0.8 } as const;
  return writer.writeReply({ ...prompt, ...more });
}

const turns = [
  'Hello!',
  'ok',
  '',
  '   ',
  '😂😂😂',
  '...',
  'What do you know about the dragon in the north?',
  'Can you help me with the quarterly report?',
  '*I draw my sword.* Tell me where the gold is!',
  'I miss my mother so much since she died.',
  'You are a useless idiot.',
  'I got promoted today!!',
  'Hallo, wie geht es dir heute?',
  '今日はとても疲れました。',
  'مرحبا، كيف حالك اليوم؟',
  "Let's take the long road home.",
  'Tell me a story about a fox.',
  'Write a poem about autumn leaves.',
  'How much for the axe on the wall?',
  'WHY WOULD YOU DO THAT',
];

it.each(turns)('replies to %j with prose in scene mode, and with a line or two in messaging mode [R143]', (turn) => {
  const messages = [system(TAVERN), user(turn)];
  const scene = reply(messages);
  const text = reply(messages, { mode: 'messaging' });
  expect(countTokens(scene)).toBeGreaterThanOrEqual(50);
  expect(countTokens(scene)).toBeLessThanOrEqual(220);
  expect(scene.split('\n\n').length).toBeGreaterThanOrEqual(2);
  expect(countTokens(text)).toBeGreaterThanOrEqual(3);
  expect(countTokens(text)).toBeLessThanOrEqual(60);
  expect(text.split('\n').length).toBeLessThanOrEqual(2);
});

it.each(turns)('replies to %j without placeholders, and does not repeat a message of over 12 characters', (turn) => {
  for (const mode of ['scene', 'messaging'] as const) {
    const text = reply([system(TAVERN), user(turn)], { mode });
    if (turn.length > 12) expect(text.toLowerCase()).not.toContain(turn.toLowerCase());
    expect(text).not.toMatch(/[{}]|undefined|lorem/);
  }
});

it.each<ChatMode>(['scene', 'messaging'])('writes different replies to 200 different messages in %s mode', (mode) => {
  const replies = Array.from({ length: 200 }, (_, n) =>
    reply([user(`What happened to the ship on the night of day ${n}?`)], { mode }),
  );
  expect(new Set(replies).size).toBe(200);
});

it.each<[string, Partial<ReplyPrompt>]>([
  ['temperature', { temperature: 1.2 }],
  ['model', { model: 'svc-rp-mini' }],
  ['context', { context: 'The roof is on fire.' }],
  ['internal seed text', { seedText: 'another' }],
])('writes another reply if the %s changes', (_, change) => {
  const messages = [system(TAVERN), user('Is there a room left?')];
  expect(reply(messages, change)).not.toBe(reply(messages));
});

it('writes shorter replies on average with the smaller model', () => {
  const total = (model: ReplyPrompt['model']) =>
    turns.reduce((sum, turn) => sum + countTokens(reply([user(turn)], { model })), 0);
  expect(total('svc-rp-mini')).toBeLessThan(total('svc-rp-plus') * 0.85);
});

it('names the persona of the system message in most replies', () => {
  const replies = turns.map((turn) => reply([system(TAVERN), user(turn)]));
  expect(replies.filter((text) => text.includes('Mira')).length).toBeGreaterThan(15);
});

it('names the persona of the context in most replies if there is no system message [R141]', () => {
  const context = 'You are Torvald, a blacksmith in his forge.';
  const replies = turns.map((turn) => reply([user(turn)], { context }));
  expect(replies.filter((text) => text.includes('Torvald')).length).toBeGreaterThan(15);
});

it('mentions the subject of the message in several of twelve replies, and in none as its own', () => {
  const topics = ['my brother', 'my old map', 'my lighthouse'];
  const replies = topics.flatMap((topic) =>
    [0, 0.5, 1, 1.5].map((temperature) => reply([user(`I keep thinking about ${topic} today.`)], { temperature })),
  );
  const named = replies.filter((text) => /your (?:brother|old map|lighthouse)/i.test(text));
  expect(named.length).toBeGreaterThan(3);
  for (const text of replies) expect(text).not.toMatch(/my (?:brother|old map|lighthouse)/i);
});

it.each([
  '❤️',
  '☕️',
  '🐱?',
  '☀️ ☁️ ⚡️',
  '👨‍👩‍👧‍👦',
  '1️⃣',
  '👍🏽',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
])('does not mention modifier characters of an emoji: %s', (said) => {
  for (const mode of ['scene', 'messaging'] as const) {
    const text = [0, 0.5, 1].map((temperature) => reply([user(said)], { mode, temperature })).join('\n');
    expect(text).not.toMatch(/[\u200d\ufe0f\u20e3\u{1f3fb}-\u{1f3ff}\u{e0000}-\u{e007f}]/u);
  }
});

it('mentions an image of the message in the reply', () => {
  for (const model of ['svc-rp-plus', 'svc-rp-mini'] as const) {
    expect(reply([user('What do you think?', 1)], { model })).toMatch(/the picture\b/i);
    expect(reply([user('What do you think?', 3)], { model })).toMatch(/the pictures\b/i);
  }
});

it('writes a reply to any text in any script [R017]', () => {
  const anyTurn = fc.record({
    role: fc.constantFrom('system', 'user', 'assistant'),
    text: fc.oneof(fc.string({ unit: ANY_CHARACTER }), fc.string({ unit: 'grapheme' })),
    images: fc.nat({ max: 3 }),
  });
  const mode = fc.constantFrom('scene', 'messaging');
  fc.assert(
    fc.property(fc.array(anyTurn, { maxLength: 6 }), mode, (messages, chosen) => {
      const prompt = { model: 'svc-rp-mini', messages, mode: chosen, temperature: 1 } as const;
      expect(writer.writeReply(prompt)).not.toBe('');
    }),
  );
});

it('replies to a message and a context of 32 MiB each', () => {
  const long = 'word after word '.repeat(2_097_152);
  expect(reply([user(`${long}and what of my brother?`)], { context: long })).not.toBe('');
});
