import type { Dice } from './dice.ts';
import { entry, type Genre, type MusicData, type Role } from './music-data.ts';

/** What the words of a style ask for; what they leave open is absent. */
export interface StyleReading {
  genre: Genre;
  genreName: string;
  /** Beats a minute, lowest and highest. */
  tempo: [number, number];
  mode?: string;
  groove?: string;
  /** −1 to 1: thinner or fuller than usual. */
  energy: number;
  /** Sounds that are asked for by name. */
  cast: Partial<Record<Role, string>>;
  singer?: string;
  drums: boolean;
}

interface Found<T> {
  at: number;
  word: string;
  value: T;
}

/** Reads a style by the published lexicon. Its first genre counts; without one the dice choose. */
export function readStyle(style: string, data: MusicData, dice: Dice): StyleReading {
  const { words, genres } = data;
  const table: Record<string, string> = {};
  for (const [name, genre] of Object.entries(genres)) for (const word of genre.words) table[word] = name;
  const [named] = findWords(style, table);
  const genreName = named?.value ?? dice.pick(['pop', 'folk', 'soul', 'synthwave', 'ballad']);
  const genre = entry(genres, genreName);
  const cast: StyleReading['cast'] = {};
  for (const { value } of findWords(style, words.instruments)) cast[value[0]] ??= value[1];
  const energy = findWords(style, words.energies).reduce((sum, { value }) => sum + value, 0);
  return {
    genre,
    genreName,
    tempo: readTempo(style, data) ?? genre.tempo,
    mode: findWords(style, words.modes)[0]?.value,
    groove: findWords(style, words.metres)[0]?.value,
    energy: Math.max(-0.5, Math.min(0.4, energy)),
    cast,
    singer: findWords(style, words.singers)[0]?.value,
    drums: !words.drumless.some((word) => style.toLowerCase().includes(word)),
  };
}

function readTempo(style: string, data: MusicData): [number, number] | undefined {
  const beats = Number(/(\d{2,3})\s*bpm/i.exec(style)?.[1]);
  if (beats >= 40 && beats <= 240) return [beats, beats];
  return findWords(style, data.words.tempos)[0]?.value;
}

/** Entries whose word stands in the style, in the style's order; "indie rock" hides the "rock" within it. */
function findWords<T>(style: string, table: Record<string, T>): Found<T>[] {
  const text = ` ${style.toLowerCase().replace(/[^\p{L}\p{N}&/-]+/gu, ' ')} `;
  const found: Found<T>[] = [];
  for (const [word, value] of Object.entries(table)) {
    const at = text.indexOf(` ${word} `);
    if (at >= 0) found.push({ at, word, value });
  }
  const hidden = (one: Found<T>) =>
    found.some(
      (other) =>
        other.word.length > one.word.length &&
        other.at <= one.at &&
        one.at + one.word.length <= other.at + other.word.length,
    );
  return found.filter((one) => !hidden(one)).sort((one, other) => one.at - other.at);
}
