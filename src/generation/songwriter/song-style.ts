import type { Picker } from '../../render/text/text-picker.ts';
import type { Word } from '../../render/text/word-scan.ts';
import type { Genre, SongBanks, StyleBank } from './song-banks.ts';
import type { SongIdea } from './song-idea.ts';

/** What the style has to follow beside the idea. */
export interface StyleNeeds {
  instrumental: boolean;
  /** The language of the lyrics. */
  language: string;
}

/** Comma-separated words: language, vocals, genre, tempo, instruments, singer. What the order names is kept. */
export function writeStyle(idea: SongIdea, needs: StyleNeeds, banks: SongBanks, picker: Picker): string {
  const { styles } = banks;
  const name = genreName(idea, styles, picker);
  const genre = styles.genres[name];
  if (!genre) throw new Error(`fixtures/songs/styles.json has no genre "${name}".`);
  const tempo = tempoOf(idea, genre, picker);
  const music = [name, `${tempoWord(tempo, styles)} ${tempo} bpm`, ...instruments(idea.words, genre, picker)];
  if (needs.instrumental) return ['instrumental', ...music].join(', ');
  const vocals = vocalsOf(idea.words, styles) ?? picker.one(['female vocals', 'male vocals']);
  return [needs.language, vocals, ...music, picker.one(styles.singers[idea.mood])].join(', ');
}

/** The genre with the most of its words in the order, or one that suits the mood. */
function genreName({ words, mood }: SongIdea, styles: StyleBank, picker: Picker): string {
  let best: string | undefined;
  let most = 0;
  for (const [name, { match }] of Object.entries(styles.genres)) {
    const known = new Set(match.split(' '));
    const times = words.filter((word) => known.has(word.lower)).length;
    if (times <= most) continue;
    best = name;
    most = times;
  }
  return best ?? picker.one(styles.genresByMood[mood]);
}

/** In beats a minute; an order's `slow`, `fast` or `90 bpm` goes before the habit of genre and mood. */
function tempoOf({ words, mood }: SongIdea, genre: Genre, picker: Picker): number {
  const [slowest, fastest] = genre.tempo;
  const at = words.findIndex((word) => word.lower === 'bpm');
  const asked = Number(words[at - 1]?.lower);
  if (asked >= 40 && asked <= 220) return Math.round(asked);
  if (words.some((word) => SLOW.has(word.lower))) return Math.min(slowest, 72 + picker.below(9));
  if (words.some((word) => FAST.has(word.lower))) return Math.max(fastest, 136 + picker.below(9));
  const span = (fastest - slowest + 1) >> 1;
  return slowest + picker.below(span) + (QUIET.has(mood) ? 0 : span);
}

const SLOW = new Set(['slow', 'ballad', 'lullaby', 'downtempo']);
const FAST = new Set(['fast', 'frantic', 'uptempo']);
const QUIET = new Set<string>(['sad', 'calm', 'love', 'dark']);

function tempoWord(tempo: number, styles: StyleBank): string {
  return styles.tempoWords.find(([limit]) => tempo <= limit)?.[1] ?? 'fast';
}

/** Those that the order names, and two of the genre's own. */
function instruments(words: readonly Word[], genre: Genre, picker: Picker): string[] {
  const named = words.map((word) => word.lower).filter((lower) => INSTRUMENTS.has(lower));
  const start = picker.below(genre.instruments.length);
  const own = [0, 1, 2].map((step) => genre.instruments[(start + step) % genre.instruments.length] ?? '');
  return [...new Set([...named.slice(0, 3), ...own.slice(0, named.length > 1 ? 1 : 3)])];
}

const INSTRUMENTS = new Set(
  'piano guitar violin cello fiddle banjo saxophone trumpet synth flute harp accordion ukulele harmonica organ mandolin strings choir'.split(
    ' ',
  ),
);

function vocalsOf(words: readonly Word[], styles: StyleBank): string | undefined {
  return Object.entries(styles.vocals).find(([, match]) => {
    const known = new Set(match.split(' '));
    return words.some((word) => known.has(word.lower));
  })?.[0];
}
