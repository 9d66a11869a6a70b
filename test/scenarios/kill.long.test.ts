import { it } from 'vitest';
import { killUnderLoad } from './kill-under-load.ts';

const SEEDS = [1, ...Array.from({ length: 20 }, (_, n) => 101 + n)];

it.each(SEEDS)(
  'keeps every promise when it is killed under load, twenty times in a row, seed %i [I062 I106 I027 I136 R005 R217]',
  killUnderLoad,
  120_000,
);
