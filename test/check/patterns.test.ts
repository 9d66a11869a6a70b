import { expect, it } from 'vitest';
import { matchesPattern } from '../../src/check/selection.ts';

it.each([
  ['*', '', true],
  ['a*c', 'abc', true],
  ['ab*bc', 'abc', false],
  ['*b*', 'abc', true],
  ['a.c', 'abc', false],
])('decides whether the pattern %j matches %j (%s)', (pattern, name, isMatch) => {
  expect(matchesPattern(pattern, name)).toBe(isMatch);
});

it.each([
  [31, `${'*a'.repeat(30)}*b`],
  [5000, `${'*'.repeat(5000)}b`],
])('decides that a pattern with %i stars does not match a name of 5,000 letters', (_, pattern) => {
  expect(matchesPattern(pattern, 'a'.repeat(5000))).toBe(false);
});
