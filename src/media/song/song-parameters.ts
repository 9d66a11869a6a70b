import { SeededRandom, seededHash } from '../paint/seeded-random.ts';
import type { SongRequest } from '../render-request.ts';
import { type ChordProgressionKind, type Genre, type Groove, type MusicData, requireTableEntry } from './form-plan.ts';

export interface SongParameters {
  name: string;
  /** The number of MP3 frames (24 ms) in a bar. It is whole, so that bars can be copied as frames. */
  barFrames: number;
  groove: Groove;
  swing: number;
  tonic: number;
  scale: number[];
  chordNotes: 3 | 4;
  progressions: Record<ChordProgressionKind, number[]>;
  genre: Genre;
  genreName: string;
  drums: boolean;
  singer: string | null;
}

const FRAME_SECONDS = 0.024;
const SINGERS = ['alto', 'tenor', 'soprano', 'baritone'];

export function deriveSongParameters(request: SongRequest, data: MusicData): SongParameters {
  const name = JSON.stringify([request.title, request.style, request.lyrics]);
  const dice = new SeededRandom(seededHash(`song ${name}`));
  const style = readStyle(request.style, data, dice);
  const groove = requireTableEntry(data.grooves, style.groove ?? dice.pick(style.genre.grooves));
  const mode = style.mode ?? dice.pick(style.genre.modes);
  const progressions = requireTableEntry(data.harmony.progressions, mode);
  return {
    name,
    barFrames: chooseBar(style.tempo, groove, dice),
    groove,
    swing: groove.beats === 4 ? (style.genre.swing ?? 0) : 0,
    tonic: 53 + Math.floor(dice.between(0, 12)),
    scale: requireTableEntry(data.harmony.modes, mode),
    chordNotes: style.genre.sevenths ? 4 : 3,
    progressions: {
      verse: dice.pick(progressions.verse),
      chorus: dice.pick(progressions.chorus),
      bridge: dice.pick(progressions.bridge),
    },
    genre: style.genre,
    genreName: style.genreName,
    drums: style.drums,
    singer: request.lyrics === null ? null : (style.singer ?? dice.pick(SINGERS)),
  };
}

function chooseBar([low, high]: [number, number], groove: Groove, dice: SeededRandom): number {
  const seconds = (groove.beats * 60) / dice.between(low, high);
  const felt = seconds > 3.4 ? seconds / 2 : seconds < 1.3 ? seconds * 2 : seconds;
  return Math.round(felt / FRAME_SECONDS);
}

export interface TakeVariation {
  bass: string;
  comp: string;
  drums: Record<string, string>;
  lift: Record<string, string>;
  side: number;
  dice: SeededRandom;
}

export function chooseTakeVariation({ name, groove }: SongParameters, seed: number): TakeVariation {
  const dice = new SeededRandom(seededHash(`take ${seed} ${name}`));
  const choose = (patterns: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(patterns).map(([drum, choices]) => [drum, dice.pick(choices)]));
  return {
    bass: dice.pick(groove.bass),
    comp: dice.pick(groove.comp),
    drums: choose(groove.drums),
    lift: choose(groove.lift),
    side: dice.chance(0.5) ? 1 : -1,
    dice,
  };
}

export interface SongMetadata {
  genre: string;
  tempo: number;
  key: string;
  length: number;
}

const NOTES = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'];
const MINOR_THIRD = 3;

export function deriveSongMetadata(
  { barFrames, groove, tonic, scale, genreName }: SongParameters,
  bars: number,
): SongMetadata {
  const barMs = Math.round(barFrames * FRAME_SECONDS * 1000);
  return {
    genre: genreName.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
    tempo: Math.round((groove.beats * 60_000) / barMs),
    key: `${NOTES[tonic % 12] ?? 'C'}${scale[2] === MINOR_THIRD ? 'm' : ''}`,
    length: bars * barMs,
  };
}

interface StyleReading {
  genre: Genre;
  genreName: string;
  tempo: [number, number];
  mode?: string;
  groove?: string;
  singer?: string;
  drums: boolean;
}

function readStyle(style: string, data: MusicData, dice: SeededRandom): StyleReading {
  const { words, genres } = data;
  const table: Record<string, string> = {};
  for (const [name, genre] of Object.entries(genres)) for (const word of genre.words) table[word] = name;
  const [named] = findWords(style, table);
  const genreName = named ?? dice.pick(['pop', 'folk', 'soul', 'synthwave', 'ballad']);
  const genre = requireTableEntry(genres, genreName);
  return {
    genre,
    genreName,
    tempo: readTempo(style, data) ?? genre.tempo,
    mode: findWords(style, words.modes)[0],
    groove: findWords(style, words.metres)[0],
    singer: findWords(style, words.singers)[0],
    drums: !words.drumless.some((word) => style.toLowerCase().includes(word)),
  };
}

function readTempo(style: string, data: MusicData): [number, number] | undefined {
  const beats = Number(/(\d{2,3})\s*bpm/i.exec(style)?.[1]);
  if (beats >= 40 && beats <= 240) return [beats, beats];
  return findWords(style, data.words.tempos)[0];
}

function findWords<T>(style: string, table: Record<string, T>): T[] {
  let text = ` ${style.toLowerCase().replace(/[^\p{L}\p{N}&/-]+/gu, ' ')} `;
  const found: { at: number; value: T }[] = [];
  for (const [word, value] of Object.entries(table).sort(([one], [other]) => other.length - one.length)) {
    const at = text.indexOf(` ${word} `);
    if (at < 0) continue;
    found.push({ at, value });
    text = text.replaceAll(` ${word} `, ` ${'_'.repeat(word.length)} `);
  }
  return found.sort((one, other) => one.at - other.at).map(({ value }) => value);
}
