import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtureFolder } from '../../../src/base/package/fixture-folder.ts';
import { loadChatBanks } from '../../../src/media/text/chat-banks.ts';

const banks = loadChatBanks();

const INTENTS = [
  ...['greeting', 'farewell', 'thanks', 'apology', 'agree', 'refuse', 'self', 'name', 'hostile'],
  ...['who', 'what', 'when', 'where', 'why', 'how', 'yesno', 'choice', 'opinion', 'personal'],
  ...['price', 'fact', 'known', 'request', 'invite', 'story', 'poem', 'action', 'statement'],
  ...['terse', 'silence', 'wordless', 'foreign', 'image'],
  ...['sad', 'afraid', 'angry', 'happy', 'tired', 'playful', 'loving'],
];
const MOODS = ['plain', 'warm', 'tender', 'guarded', 'tense', 'playful'];
const HOOKS = ['ask', 'offer', 'comfort', 'challenge', 'danger', 'greet', 'joy', 'part', 'verse', 'answered'];

describe('the chat banks', () => {
  it.each(INTENTS)('have answers to %s in both registers', (intent) => {
    expect(banks.dialogue.intents[intent]).toBeDefined();
    expect(banks.texting.intents[intent]).toBeDefined();
  });

  it.each(MOODS)('have openings, asides and marks for the mood %s', (mood) => {
    expect(banks.narration.openings[mood]?.plain.length).toBeGreaterThan(8);
    expect(banks.dialogue.asides[mood]?.plain.length).toBeGreaterThan(5);
    expect(banks.texting.openers[mood]?.plain.length).toBeGreaterThan(8);
    expect(banks.texting.marks[mood]).toBeDefined();
  });

  it.each(HOOKS)('hand a turn back with a hook of the kind %s', (hook) => {
    expect(banks.dialogue.hooks[hook]).toBeDefined();
    expect(banks.texting.tails[hook]).toBeDefined();
  });

  it.each(['scene-narration', 'scene-dialogue', 'texting'])('use in %s only slots that are filled', (name) => {
    const file = readFileSync(path.join(fixtureFolder(), 'chat', `${name}.json`), 'utf8');
    const slots = new Set([...file.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot));
    const known = 'N n m NS ns s o p r S P t T e u name pic Pic fact Fact'.split(' ');
    expect([...slots].filter((slot) => !known.includes(slot ?? ''))).toEqual([]);
  });
});
