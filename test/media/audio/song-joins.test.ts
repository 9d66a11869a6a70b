import { it } from 'vitest';
import { expectGoodJoins } from './join-check.ts';

it('joins bars of jazz as well as an encoder of the whole song [R051]', () =>
  expectGoodJoins('jazz', 'smooth jazz, relaxed'));
