import { describe, expect, it } from 'vitest';
import { assemblePrompt, type PromptMessage } from '../../../src/media/text/reply-writer.ts';

const turn = (role: PromptMessage['role'], text: string, images = 0): PromptMessage => ({
  role,
  text,
  images,
});

describe('the engine prompt', () => {
  it('inserts the context of the request after the system messages [R140]', () => {
    const prompt = assemblePrompt({
      messages: [turn('system', 'You are Mira.'), turn('system', 'Be brief.'), turn('user', 'Hi')],
      context: 'A harbour at dawn.',
      mode: 'scene',
    });
    expect(prompt.map((message) => message.text)).toEqual(['You are Mira.', 'Be brief.', 'A harbour at dawn.', 'Hi']);
  });

  it('inserts the context of the request after the default preamble if there is no system message [R141]', () => {
    const [preamble, context, user, ...rest] = assemblePrompt({
      messages: [turn('user', 'Hi', 2)],
      context: 'A harbour at dawn.',
      mode: 'scene',
    });
    expect(preamble?.role).toBe('system');
    expect(preamble?.text).not.toBe('');
    expect(context).toEqual(turn('system', 'A harbour at dawn.'));
    expect(user).toEqual(turn('user', 'Hi', 2));
    expect(rest).toEqual([]);
  });

  it('adds a note on style in messaging mode only [R143]', () => {
    const messages = [turn('system', 'You are Mira.'), turn('user', 'Hi'), turn('assistant', 'Hm?')];
    const scene = assemblePrompt({ messages, mode: 'scene' });
    const messaging = assemblePrompt({ messages, mode: 'messaging' });
    expect(scene).toEqual(messages);
    expect(messaging).toHaveLength(4);
    expect(messaging[1]?.role).toBe('system');
  });

  it('omits an empty context from the prompt', () => {
    const messages = [turn('system', 'You are Mira.'), turn('user', 'Hi')];
    expect(assemblePrompt({ messages, context: '', mode: 'scene' })).toEqual(messages);
  });
});
