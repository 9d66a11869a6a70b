import { expect, it } from 'vitest';
import { chatRequest, readChat } from '../../../../src/service/api/chat/chat-schemas.ts';
import { CHAT } from '../../../support/wire.ts';

it.each<[object, number]>([
  [{}, 500],
  [{ mode: 'scene' }, 500],
  [{ mode: 'messaging' }, 160],
  [{ max_tokens: null }, 500],
  [{ mode: 'messaging', max_tokens: 20 }, 20],
  [{ max_tokens: 1200 }, 1200],
])('gives %j at most %i tokens [R146 R147 R148 I107]', (more, most) => {
  expect(readChat(chatRequest.parse({ ...CHAT, ...more })).maxTokens).toBe(most);
});

it('takes a temperature of 0.8 where none is given [R145]', () => {
  expect(readChat(chatRequest.parse(CHAT)).temperature).toBe(0.8);
});

it('joins the text parts of a turn and counts its images [R139 I032]', () => {
  const image = { type: 'image_url', image_url: 'https://example.com/a.png' };
  const content = [{ type: 'text', text: 'One' }, image, { type: 'text', text: 'two' }];
  const { messages } = readChat(chatRequest.parse({ ...CHAT, messages: [{ role: 'user', content }] }));
  expect(messages).toEqual([{ role: 'user', text: 'One\ntwo', images: 1 }]);
});
