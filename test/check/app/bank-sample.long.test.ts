import { it } from 'vitest';
import { expectFound } from './bank-sample.ts';

it.each([
  ['chat', 'sends again after a lost answer', 'lost_answer', 'verdict'],
  ['publisher', 'publishes twice', 'duplicate', 'probe'],
  ['publisher', 'no signature check', 'forged', 'verdict'],
])('finds what is planted in the %s (%s), and nothing in the correct one [I240 I243]', expectFound);
