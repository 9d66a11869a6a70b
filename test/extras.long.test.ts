import { expect, it } from 'vitest';
import { extras } from '../scripts/extras.mjs';

it('has extras that no file misses but the lists and their own users', { timeout: 1_200_000 }, () => {
  const found = extras();
  expect(found).toHaveLength(6);
  expect(found.flatMap(({ lists }) => lists)).toContain('compose.ts');
  expect(found.filter(({ others }) => others.length > 0)).toEqual([]);
});
