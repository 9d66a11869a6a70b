import { expect, it } from 'vitest';
import { chatRequestSchema, toChatRequest } from '../../../../src/service/api/chat.ts';
import { expectScenario, playScenario } from '../../../support/scenario.ts';
import { CHAT } from '../../../support/wire.ts';
import { world } from '../../../support/world.ts';

const emulator = await world();
const SEND = 'POST /chat/completions';
const turn = (content: unknown, role: unknown = 'user') => ({ messages: [{ role, content }] });
const image = (image_url: unknown) => turn([{ type: 'image_url', image_url }]);

it.each<[object, string, string]>([
  [{ model: undefined }, 'model', 'R136'],
  [{ model: 5 }, 'model', 'I006'],
  [{ messages: undefined }, 'messages', 'R137'],
  [{ messages: 'Hello' }, 'messages', 'R137'],
  [{ messages: [] }, 'messages', 'I031'],
  [{ messages: ['Hello'] }, 'messages.0', 'R138'],
  [{ messages: [{ content: 'Hello' }] }, 'messages.0.role', 'R138'],
  [{ messages: [{ role: 'user' }] }, 'messages.0.content', 'R138'],
  [turn('Hello', 'tool'), 'messages.0.role', 'R138'],
  [turn('Hello', null), 'messages.0.role', 'R138'],
  [turn(null), 'messages.0.content', 'R139'],
  [turn({ type: 'text', text: 'Hello' }), 'messages.0.content', 'R139'],
  [turn([{ type: 'text', text: 'Hello' }], 'system'), 'messages.0.content', 'R139'],
  [turn([{ type: 'text', text: 'Hello' }], 'assistant'), 'messages.0.content', 'R139'],
  [turn(['Hello']), 'messages.0.content.0', 'R139'],
  [turn([{ text: 'Hello' }]), 'messages.0.content.0.type', 'R139'],
  [turn([{ type: 'video' }]), 'messages.0.content.0.type', 'R139'],
  [turn([{ type: 'text' }]), 'messages.0.content.0.text', 'R139'],
  [turn([{ type: 'text', text: 5 }]), 'messages.0.content.0.text', 'R139'],
  [image(undefined), 'messages.0.content.0.image_url', 'I032'],
  [image(5), 'messages.0.content.0.image_url', 'I032'],
  [image('a.png'), 'messages.0.content.0.image_url', 'I032'],
  [image('ftp://example.com/a.png'), 'messages.0.content.0.image_url', 'I032'],
  [image('data:text/plain,x'), 'messages.0.content.0.image_url', 'I032'],
  [image({}), 'messages.0.content.0.image_url.url', 'I032'],
  [image({ url: 5 }), 'messages.0.content.0.image_url.url', 'I032'],
  [image({ url: '/a.png' }), 'messages.0.content.0.image_url.url', 'I032'],
  [{ context: 5 }, 'context', 'I006'],
  [{ mode: 'novel' }, 'mode', 'R142'],
  [{ stream: 'true' }, 'stream', 'I006'],
  [{ temperature: -0.01 }, 'temperature', 'R145'],
  [{ temperature: 1.51 }, 'temperature', 'R145'],
  [{ temperature: '1' }, 'temperature', 'R145'],
  [{ max_tokens: 0 }, 'max_tokens', 'I006'],
  [{ max_tokens: 1.5 }, 'max_tokens', 'I006'],
  [{ max_tokens: '10' }, 'max_tokens', 'I006'],
  [{ max_tokens: 1201 }, 'max_tokens', 'R147 I034'],
  [{ max_tokens: 161, mode: 'messaging' }, 'max_tokens', 'R148 I034'],
])('rejects a chat with %j, and says what is wrong with %s [%s]', async (more, field) => {
  const { body } = await playScenario(emulator, { send: SEND, body: { ...CHAT, ...more }, error: { field } });
  expect(body.error.message).toMatch(/missing|must|half|got/);
  expect(body.error.message).not.toMatch(/a shape that is accepted[^.]*\.$/);
});

it.each<[object, string]>([
  [{ temperature: 0 }, 'R145'],
  [{ temperature: 1.5 }, 'R145'],
  [{ max_tokens: 1 }, 'R147'],
  [{ max_tokens: 1200 }, 'R147'],
  [{ max_tokens: 160, mode: 'messaging' }, 'R148'],
  [{ temperature: null, mode: null, max_tokens: null, context: null, stream: null }, 'I098'],
  [{ context: '' }, 'R140'],
  [turn('Hello', 'system'), 'R138'],
  [turn('Hello', 'assistant'), 'R138'],
  [turn(''), 'R139'],
  [turn([]), 'R139'],
])('accepts a chat with %j [%s]', (more) =>
  expectScenario(emulator, { send: SEND, body: { ...CHAT, ...more }, ledger: ['charge -1'] }),
);

it.each<[object, number]>([
  [{}, 500],
  [{ mode: 'messaging' }, 160],
  [{ max_tokens: null }, 500],
  [{ mode: 'messaging', max_tokens: 20 }, 20],
  [{ max_tokens: 1200 }, 1200],
])('reads a chat request with %j as one whose reply has at most %i tokens [R146 R147 I107]', (more, most) => {
  expect(toChatRequest(chatRequestSchema.parse({ ...CHAT, ...more })).maxTokens).toBe(most);
});

it('reads a chat request without a temperature as one with the temperature 0.8 [R238]', () => {
  expect(toChatRequest(chatRequestSchema.parse(CHAT)).temperature).toBe(0.8);
});
