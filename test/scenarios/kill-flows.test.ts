import { it } from 'vitest';
import { sampleOf } from '../support/sample.ts';
import { killFlows } from './kill-flows.ts';

const SEEDS = Array.from({ length: 20 }, (_, n) => 101 + n);

it.each(sampleOf(SEEDS, 1))(
  'ends its runs as if nothing had happened when it is killed among them, charging no step twice, seed %i [I062 I080 I106 R217]',
  killFlows,
  120_000,
);
