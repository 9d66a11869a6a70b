import { it } from 'vitest';
import { killUnderLoad } from './kill-under-load.ts';

const SEEDS = Array.from({ length: 20 }, (_, n) => 101 + n);

it.each(SEEDS)(
  'keeps every promise when it is killed under load, twenty times in a row, seed %i [I062 I106 I136]',
  killUnderLoad,
  120_000,
);
