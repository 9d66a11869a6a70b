import { describe, expect, it } from 'vitest';
import { loadLexicon } from '../../../src/media/text/chat-banks.ts';
import { readTurn } from '../../../src/media/text/turn-reading.ts';

const lexicon = loadLexicon();
const read = (text: string) => readTurn(text, lexicon, new Set(['mira']));

describe('a turn', () => {
  it.each([
    ['Hello!', 'greeting'],
    ['Goodbye, old friend.', 'farewell'],
    ['Thanks a lot', 'thanks'],
    ["I'm sorry about that", 'apology'],
    ['How are you?', 'self'],
    ['Why?', 'why'],
    ['Where is the old bridge?', 'where'],
    ['What is the capital of France?', 'fact'],
    ['How much for the axe?', 'price'],
    ['Did you ever love anyone?', 'personal'],
    ['Can you help me with the report?', 'request'],
    ['Write me a poem about the sea', 'poem'],
    ['Tell me a story', 'story'],
    ["Let's go to the river", 'invite'],
    ['You are a stupid liar.', 'hostile'],
    ['I am so tired and exhausted today', 'tired'],
    ['My name is Tom', 'name'],
    ['*I sit down on the bench*', 'action'],
    ['Hallo, wie geht es dir? Ich bin hier.', 'foreign'],
    ['今日はとても疲れました。', 'foreign'],
    ['', 'silence'],
    ['😂', 'wordless'],
    ['Dragons.', 'terse'],
    ['The bridge over the river fell in the spring', 'statement'],
  ])('like %j is taken as %s', (text, intent) => {
    expect(read(text).intent.name).toBe(intent);
  });

  it.each([
    ["I'm looking for my brother. He left with a grey horse.", 'your brother'],
    ['What do you know about the old dragon?', 'the old dragon'],
    ['Mira, where did you hide your silver ring?', 'my silver ring'],
    ['I met Captain Ahab', 'Captain Ahab'],
    ['this is message 17', 'message 17'],
    ['I am sad', undefined],
    ['ok', undefined],
  ])('like %j is about %j', (text, topic) => {
    expect(read(text).topic?.turned).toBe(topic);
  });

  it.each([
    ['My name is Tom.', 'Tom'],
    ['call me ishmael', 'Ishmael'],
    ["Hi, I'm Zoë!", 'Zoë'],
    ["I'm tired.", undefined],
    ['The name is on the door', undefined],
  ])('like %j gives the name %j', (text, name) => {
    expect(read(text).name).toBe(name);
  });
});
