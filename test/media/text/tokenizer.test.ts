import { expect, it } from 'vitest';
import { countTokens, splitTokens } from '../../../src/media/text/tokenizer.ts';

it.each<[string, string[]]>([
  ['', []],
  ['Hello there, friend.', ['Hello', ' there', ',', ' friend', '.']],
  ["I don't know", ['I', " don't", ' know']],
  ['extraordinary', ['extraord', 'inary']],
  ['in 2026', ['in', ' 202', '6']],
  ['one  two', ['one', ' ', ' two']],
  ['one\n\ntwo', ['one', '\n\n', 'two']],
  ['日本語', ['日', '本', '語']],
  ['Grüße', ['Grüße']],
  ['ok 👍🏽', ['ok', ' ', '👍', '🏽']],
  ['a\ud800', ['a', '\ud800']],
])('splits %j into its tokens [I107]', (text, pieces) => {
  expect(splitTokens(text)).toEqual(pieces);
  expect(countTokens(text)).toBe(pieces.length);
});
