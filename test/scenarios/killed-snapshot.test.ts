import { it } from 'vitest';
import { killAmidRestore, killAmidSave } from './killed-snapshot.ts';

/** An early and a late one of each; the moments between and beyond are in the long run. */
const RESTORE = [1, 8];
const SAVE = [1, 11];

it.each(RESTORE)(
  'is the old or the restored state when it is killed at moment %i of a restore [I093 I140 I062]',
  killAmidRestore,
);

it.each(SAVE)(
  'keeps the old or the new snapshot of a name, and the state, when it is killed at moment %i of a save [I093 I062]',
  killAmidSave,
);
