import type { SongRequest } from '../render-request.ts';
import { createDice, type Dice } from './dice.ts';
import { entry, type Genre, type Groove, type MusicData, type ProgressionKind, type Role } from './music-data.ts';
import { readStyle } from './style-reading.ts';

/** What two takes of one song share: everything that a listener would know it by. */
export interface SongIdentity {
  /** Names the song for further choices. */
  name: string;
  /** Frames of 24 ms in a bar, so that bars can be copied as frames. */
  barFrames: number;
  groove: Groove;
  swing: number;
  /** MIDI note of the first degree, 53 to 64. */
  tonic: number;
  /** Semitones above the tonic, seven of them. */
  scale: number[];
  chordNotes: 3 | 4;
  progressions: Record<ProgressionKind, number[]>;
  genre: Genre;
  genreName: string;
  cast: Partial<Record<Role, string>>;
  energy: number;
  drums: boolean;
  /** Kind of voice; null for an instrumental. */
  singer: string | null;
}

const FRAME_SECONDS = 0.024;
const SINGERS = ['alto', 'tenor', 'soprano', 'baritone'];

/** Derives the song from title, style and lyrics; seed and length play no part. */
export function identifySong(request: SongRequest, data: MusicData): SongIdentity {
  const name = JSON.stringify([request.title, request.style, request.lyrics]);
  const dice = createDice(`song ${name}`);
  const style = readStyle(request.style, data, dice);
  const groove = entry(data.grooves, style.groove ?? dice.pick(style.genre.grooves));
  const mode = style.mode ?? dice.pick(style.genre.modes);
  const progressions = entry(data.harmony.progressions, mode);
  return {
    name,
    barFrames: chooseBar(style.tempo, groove, dice),
    groove,
    swing: groove.beats === 4 ? (style.genre.swing ?? 0) : 0,
    tonic: 53 + Math.floor(dice.between(0, 12)),
    scale: entry(data.harmony.modes, mode),
    chordNotes: style.genre.sevenths ? 4 : 3,
    progressions: {
      verse: dice.pick(progressions.verse),
      chorus: dice.pick(progressions.chorus),
      bridge: dice.pick(progressions.bridge),
    },
    genre: style.genre,
    genreName: style.genreName,
    cast: style.cast,
    energy: style.energy,
    drums: style.drums,
    singer: request.lyrics === null ? null : (style.singer ?? dice.pick(SINGERS)),
  };
}

/** A bar of six beats counts them in two groups; a tempo that would make a bar of over 3.4 s is felt in double time. */
function chooseBar([low, high]: [number, number], groove: Groove, dice: Dice): number {
  const beats = groove.beats === 6 ? 3 : groove.beats;
  const seconds = (beats * 60) / dice.between(low, high);
  const felt = seconds > 3.4 ? seconds / 2 : seconds < 1.3 ? seconds * 2 : seconds;
  return Math.round(felt / FRAME_SECONDS);
}
