import { createDice, type Dice } from './dice.ts';
import { entry, type MusicData, type Role, type Sound } from './music-data.ts';
import type { SongIdentity } from './song-identity.ts';

/** How one take is played: what a band would do otherwise the next time. */
export interface Take {
  sounds: Record<Role, Sound>;
  /** Patterns of one bar, chosen among those of the groove. */
  bass: string;
  comp: string;
  drums: Record<string, string>;
  lift: Record<string, string>;
  /** −1 or 1: which side the instruments of each pair sit on. */
  side: number;
  /** Share of the notes of the tune that get an ornament. */
  ornaments: number;
  /** The looseness of hands: timing, strength, fills. */
  dice: Dice;
}

const ROLES: Role[] = ['bass', 'comp', 'pad', 'lead'];

/** Casts and loosens the song for one seed. */
export function prepareTake(identity: SongIdentity, seed: number, data: MusicData): Take {
  const dice = createDice(`take ${seed} ${identity.name}`);
  const { groove, genre, cast } = identity;
  const sounds = ROLES.map((role) => {
    const name = cast[role] ?? dice.pick(genre.band[role]);
    return [role, entry(data.sounds, name)] as const;
  });
  const choose = (patterns: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(patterns).map(([drum, choices]) => [drum, dice.pick(choices)]));
  return {
    sounds: Object.fromEntries(sounds) as Record<Role, Sound>,
    bass: dice.pick(groove.bass),
    comp: dice.pick(groove.comp),
    drums: choose(groove.drums),
    lift: choose(groove.lift),
    side: dice.chance(0.5) ? 1 : -1,
    ornaments: dice.between(0.04, 0.16),
    dice,
  };
}
