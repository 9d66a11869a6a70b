import type { Picker } from '../../../base/random.ts';
import { findTopic } from '../../../media/text/topic.ts';
import { scanWords, type Word } from '../../../media/text/word-scan.ts';
import type { Genre, Language, SongBanks, SongMood, StyleBank } from './song-banks.ts';

/** What the style has to follow beside the idea. */
interface StyleNeeds {
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

/** What a song is to be, as far as the order says or the seed decides. */
interface SongIdea {
  mood: SongMood;
  /** What it sings of, as it stands inside a line: `the old lighthouse`. */
  subject: string;
  /** The words of the whole order. */
  words: readonly Word[];
}

/** Words about the order itself or the music, which no song is about. */
const NOT_SUNG = new Set(
  'song songs lied chanson canción cancion ballad tune track anthem lullaby hymn jingle piece lyrics chorus verse beat bpm tempo melody style genre vocal vocals voice singer band guitar guitars piano synth synths drums drum bass strings violin fiddle saxophone trumpet organ minute minutes second seconds pop rock folk jazz blues soul funk disco metal punk electronic ambient country reggae techno house rap hip-hop indie acoustic cinematic orchestral upbeat slow fast mid-tempo female male'.split(
    ' ',
  ),
);
/** In UTF-16 units; a longer text in a foreign script is no name. */
const LONGEST_NAME = 24;

/** Reads mood and subject out of the order's texts; the seed decides what they leave open. Lyrics in `language` sing of words in it. */
export function findIdea(
  texts: { prompt: string; style: string; lyrics: string; language: Language | undefined },
  banks: SongBanks,
  picker: Picker,
): SongIdea {
  const prompt = scanWords(texts.prompt, banks.lexicon);
  const style = scanWords(texts.style, banks.lexicon);
  const lyrics = scanWords(texts.lyrics, banks.lexicon);
  const words = [...prompt.words, ...style.words, ...lyrics.words];
  const mood = moodOf(words, banks) ?? picker.one(Object.keys(banks.styles.moods) as SongMood[]);
  const { language } = texts;
  const named = nameInForeignScript(texts.prompt, prompt.foreignLetters);
  const subject = language
    ? (named ?? topicIn(language, texts.prompt))
    : (named ?? foreignNoun(prompt.words) ?? findTopic(prompt.words, NOT_SUNG)?.said);
  const { fallbackSubjects } = language?.lyrics ?? banks.lyrics;
  return { mood, words, subject: subject ?? picker.one(fallbackSubjects[mood]) };
}

/** Of a prompt in that language its longest word that is not an everyday one; a prompt in another one says nothing here. */
function topicIn({ words: everyday }: Language, prompt: string): string | undefined {
  const written = /[\p{Script=Han}\p{Script=Katakana}\u30fc]{1,24}/gu;
  const isKana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(prompt);
  const words = isKana ? (prompt.match(written) ?? []) : prompt.split(/[^\p{L}\p{M}'-]+/u);
  const known = words.filter((word) => everyday.has(word.toLowerCase())).length;
  if (!isKana && (known === 0 || known * 4 < words.length)) return undefined;
  const nouns = words.filter(
    (word) => word.length <= LONGEST_NAME && !everyday.has(word.toLowerCase()) && !NOT_SUNG.has(word.toLowerCase()),
  );
  return nouns.sort((a, b) => b.length - a.length)[0] || undefined;
}

function moodOf(words: readonly Word[], banks: SongBanks): SongMood | undefined {
  let best: SongMood | undefined;
  let most = 0;
  for (const [mood, list] of Object.entries(banks.styles.moods) as [SongMood, string][]) {
    const known = new Set(list.split(' '));
    const times = words.filter((word) => known.has(word.lower)).length;
    if (times <= most) continue;
    best = mood;
    most = times;
  }
  return best;
}

function nameInForeignScript(prompt: string, foreignLetters: number): string | undefined {
  const name = prompt.trim();
  if (foreignLetters < 2 || name.length > LONGEST_NAME || name.includes('\n')) return undefined;
  return /[\u6b4c\u66f2]/u.test(name) ? undefined : name;
}

/** Of a prompt in another Latin language, its longest word that is not an everyday one. */
function foreignNoun(words: readonly Word[]): string | undefined {
  const everyday = words.filter(({ entry }) => entry?.foreign && !entry.stop).length;
  if (everyday * 3 < words.length || everyday === 0) return undefined;
  const nouns = words.filter(({ lower, entry }) => !entry && lower.length <= LONGEST_NAME && !NOT_SUNG.has(lower));
  return nouns.sort((a, b) => b.raw.length - a.raw.length)[0]?.raw;
}
