import { it } from 'vitest';
import { killUnderLoad } from './kill-under-load.ts';

it.each([1])(
  'keeps every promise when it is killed under load and started again, seed %i [I062 I106 I027 I136 R005 R217]',
  killUnderLoad,
  120_000,
);
