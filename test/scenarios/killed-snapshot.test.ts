import { it } from 'vitest';
import { sampleOf } from '../support/sample.ts';
import { killAmidRestore, killAmidSave } from './killed-snapshot.ts';

const MOMENTS = Array.from({ length: 20 }, (_, n) => n + 1);

it.each(sampleOf(MOMENTS, 2))(
  'is the old or the restored state when it is killed at moment %i of a restore [I093 I140 I062]',
  killAmidRestore,
);

it.each(sampleOf(MOMENTS, 2))(
  'keeps the old or the new snapshot of a name, and the state, when it is killed at moment %i of a save [I093 I062]',
  killAmidSave,
);
