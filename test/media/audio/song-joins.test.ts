import { it } from 'vitest';
import { expectGoodJoins } from './join-check.ts';

it('joins bars of jazz no worse than an encoder that sees them joined [R051]', () =>
  expectGoodJoins('jazz', 'smooth jazz, relaxed'));
