import { hashText, SeededRandom } from '../paint/seeded-random.ts';
import type { SongIdentity } from './song-identity.ts';

/** How one take is played: what a band would do otherwise the next time. */
export interface Take {
  /** Patterns of one bar, chosen among those of the groove. */
  bass: string;
  comp: string;
  drums: Record<string, string>;
  lift: Record<string, string>;
  /** −1 or 1: which side the instruments of each pair sit on. */
  side: number;
  /** The looseness of hands: timing and strength. */
  dice: SeededRandom;
}

/** Loosens the song for one seed. */
export function prepareTake({ name, groove }: SongIdentity, seed: number): Take {
  const dice = new SeededRandom(hashText(`take ${seed} ${name}`));
  const choose = (patterns: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(patterns).map(([drum, choices]) => [drum, dice.pick(choices)]));
  return {
    ...{ bass: dice.pick(groove.bass), comp: dice.pick(groove.comp) },
    ...{ drums: choose(groove.drums), lift: choose(groove.lift) },
    ...{ side: dice.chance(0.5) ? 1 : -1, dice },
  };
}
