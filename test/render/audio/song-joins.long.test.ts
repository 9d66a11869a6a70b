import { it } from 'vitest';
import { expectGoodJoins } from './join-check.ts';

it.each([
  ['pop', 'indie pop, piano'],
  ['pads', 'ambient, choir'],
])('joins bars no worse than an encoder that sees them joined: %s [R051]', expectGoodJoins);
