import { it } from 'vitest';
import { killFlows } from './kill-flows.ts';

const SEEDS = Array.from({ length: 20 }, (_, n) => 101 + n);

it.each(SEEDS)(
  'ends its runs as if nothing had happened when it is killed among them, twenty times in a row, seed %i [I062 I080 I106]',
  killFlows,
  120_000,
);
