import { describe, expect, it } from 'vitest';
import { handlesIn, normalizeHandle } from '../../../src/engine/library/handles.ts';

describe('handles', () => {
  it.each([
    ['@mira walks with @Tom-2', ['mira', 'tom-2']],
    ['(@mira), "@mira"; @MIRA!', ['mira']],
    ["@mira's hat. @a_b.", ['mira', 'a_b']],
    ['mail me@mira.example or @@mira', []],
    [`@${'x'.repeat(33)} and @${'y'.repeat(32)}`, ['y'.repeat(32)]],
    ['@ mira, @', []],
    ['', []],
  ])('are found in %j [R164]', (prompt, expected) => {
    expect(handlesIn(prompt)).toEqual(expected);
  });

  it.each([
    ['Mira', 'mira'],
    ['@Mira_2-b', 'mira_2-b'],
    ['', undefined],
    ['@', undefined],
    ['two words', undefined],
    ['é', undefined],
    ['x'.repeat(33), undefined],
  ])('take %j as %j [I089]', (text, expected) => {
    expect(normalizeHandle(text)).toBe(expected);
  });
});
