import { expect, it } from 'vitest';
import { findTopic, wordsOf } from '../../../src/media/text/topic.ts';

it.each([
  ["I'm looking for my brother. He left with a grey horse.", 'your brother'],
  ['What do you know about the old dragon?', 'the old dragon'],
  ['Mira, where did you hide your silver ring?', 'my silver ring'],
  ['I met Captain Ahab', 'Captain Ahab'],
  ['this is message 17', 'message 17'],
  ['I am sad', undefined],
  ['ok', undefined],
])('finds the subject of a message, %j: %j', (text, topic) => {
  expect(findTopic(wordsOf(text), new Set(['mira']))?.turned).toBe(topic);
});
