import { expect, it } from 'vitest';
import { matchesPattern } from '../../src/check/selection.ts';

it.each([
  ['*', '', true],
  ['a*c', 'abc', true],
  ['ab*bc', 'abc', false],
  ['*b*', 'abc', true],
  ['a.c', 'abc', false],
  [`${'*a'.repeat(30)}*b`, 'a'.repeat(5000), false],
  [`${'*'.repeat(5000)}b`, 'a'.repeat(5000), false],
])('matches %j against %j in linear time', (pattern, name, isMatch) => {
  expect(matchesPattern(pattern, name)).toBe(isMatch);
});
