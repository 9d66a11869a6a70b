import { it } from 'vitest';
import { killFlows } from './kill-flows.ts';

it.each([1])(
  'ends its runs as if nothing had happened when it is killed among them, charging no step twice, seed %i [I062 I080 I106 R217]',
  killFlows,
  120_000,
);
