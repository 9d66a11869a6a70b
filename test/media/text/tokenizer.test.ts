import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, splitTokens, truncateToTokens } from '../../../src/media/text/tokenizer.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.constantFrom(' ', '  ', '\n', "don't", 'Straße', '12345', '語', '👩‍👩‍👧', '\ud800'))
    .map((pieces) => pieces.join('')),
);

describe('the tokenizer', () => {
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

  it('splits any text into tokens that join to the same text [I037]', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(splitTokens(text).join('')).toBe(text);
      }),
    );
  });

  it('shortens a text to the allowed tokens, and reports whether it was too long [I033]', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 30 }), (text, max) => {
        const pieces = splitTokens(text);
        const taken = truncateToTokens(text, max);
        expect(taken.text).toBe(pieces.slice(0, max).join(''));
        expect(taken.tokens).toBe(Math.min(max, pieces.length));
        expect(taken.cut).toBe(pieces.length > max);
      }),
    );
  });

  it('splits no code point into two tokens [I033]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 20 }), (text, max) => {
        expect(() => encodeURIComponent(truncateToTokens(text, max).text)).not.toThrow();
      }),
    );
  });
});
