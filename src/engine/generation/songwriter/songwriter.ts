import { hashText, Picker } from '../../../base/random.ts';
import { findTopic, wordsOf as scanWords, type Word, wordLists } from '../../../media/text/topic.ts';
import type { ScriptedAnswer } from '../order.ts';
import {
  type Genre,
  type Language,
  loadSongBanks,
  type SongBanks,
  type SongMood,
  type StyleBank,
} from './song-banks.ts';
import { titleFromIdea, titleFromLyrics, writeLyrics } from './song-lyrics.ts';

/** What the style has to follow beside the idea. */
interface StyleNeeds {
  instrumental: boolean;
  /** The language of the lyrics. */
  language: string;
}

/** Comma-separated words: language, vocals, genre, tempo, instruments, singer. What the order names is kept. */
function writeStyle(idea: SongIdea, needs: StyleNeeds, banks: SongBanks, picker: Picker): string {
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
function findIdea(
  texts: { prompt: string; style: string; lyrics: string; language: Language | undefined },
  banks: SongBanks,
  picker: Picker,
): SongIdea {
  const prompt = scanWords(texts.prompt);
  const words = [...prompt, ...scanWords(texts.style), ...scanWords(texts.lyrics)];
  const mood = moodOf(words, banks) ?? picker.one(Object.keys(banks.styles.moods) as SongMood[]);
  const { language } = texts;
  const named = nameInForeignScript(texts.prompt);
  const subject = language
    ? (named ?? topicIn(language, texts.prompt))
    : (named ?? foreignNoun(prompt) ?? findTopic(prompt, NOT_SUNG)?.said);
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

function nameInForeignScript(prompt: string): string | undefined {
  const name = prompt.trim();
  if (
    !/[\u0250-\u2000\u3040-\ud7ff].*[\u0250-\u2000\u3040-\ud7ff]/.test(name) ||
    name.length > LONGEST_NAME ||
    name.includes('\n')
  )
    return undefined;
  return /[\u6b4c\u66f2]/u.test(name) ? undefined : name;
}

/** Of a prompt in another Latin language, its longest word that is not an everyday one. */
function foreignNoun(words: readonly Word[]): string | undefined {
  const everyday = words.filter(({ lower }) => isForeign(lower)).length;
  if (everyday * 3 < words.length || everyday === 0) return undefined;
  const nouns = words.filter(({ lower }) => !isForeign(lower) && lower.length <= LONGEST_NAME && !NOT_SUNG.has(lower));
  return nouns.sort((a, b) => b.raw.length - a.raw.length)[0]?.raw;
}

function isForeign(word: string): boolean {
  return wordLists.has('foreign', word) && !wordLists.has('stop', word);
}

/** A song as it was ordered; blank texts count as absent. */
export interface SongOrder {
  prompt?: string;
  style?: string;
  lyrics?: string;
  title?: string;
  /** 30 to 240 in steps of 30. */
  seconds: number;
  instrumental: boolean;
  /** 0 to 4294967295. */
  seed: number;
}

/** What the song renders from [R184 R185 I180]. */
export interface Song {
  title: string;
  style: string;
  /** Sections under their tags; null for an instrumental [I065]. */
  lyrics: string | null;
  /** Which of them the songwriter wrote. */
  written: { title: boolean; style: boolean; lyrics: boolean };
  /** Whether lyrics were asked for in a language that there are none in, and are English instead. */
  isFallback: boolean;
}

/** Writes songs with one set of banks, which it reads at its first; the same order with the same seed makes the same song. */
export class Songwriter {
  #loaded: SongBanks | undefined;

  writeSong(order: SongOrder): Song {
    this.#loaded ??= loadSongBanks();
    const banks = this.#loaded;
    const given = givenTexts(order);
    const picker = new Picker(seedOf(order, given));
    const writesLyrics = !order.instrumental && given.lyrics === '';
    const asked = askedLanguage(given, banks);
    const sung = writesLyrics ? asked.language : undefined;
    const lines = sung?.lyrics ?? banks.lyrics;
    const idea = findIdea({ ...given, language: sung }, banks, picker);
    const chorus = picker.one(lines.choruses[idea.mood]);
    const language = (sung ?? languageOfLyrics(given.lyrics, banks))?.name ?? 'English';
    const needs = { instrumental: order.instrumental, language };
    const style = given.style || writeStyle(idea, needs, banks, picker);
    const lyrics = writesLyrics
      ? writeLyrics({ ...idea, chorus, seconds: order.seconds }, lines, picker)
      : withTags(given.lyrics);
    const titles = { lyrics: lines, isEnglish: sung === undefined };
    const title = given.title || titleFromLyrics(given.lyrics) || titleFromIdea(idea.subject, chorus, titles, picker);
    return {
      title,
      style,
      lyrics: order.instrumental ? null : lyrics,
      written: { title: given.title === '', style: given.style === '', lyrics: writesLyrics },
      isFallback: writesLyrics && asked.isFallback,
    };
  }
}

type GivenTexts = Record<'prompt' | 'style' | 'lyrics' | 'title', string>;

function givenTexts(order: SongOrder): GivenTexts {
  return {
    prompt: presentOr(order.prompt),
    style: presentOr(order.style),
    lyrics: order.instrumental ? '' : presentOr(order.lyrics),
    title: presentOr(order.title),
  };
}

function presentOr(text = ''): string {
  return text.trim() === '' ? '' : text;
}

function seedOf({ seed, seconds }: SongOrder, { prompt, style, lyrics }: GivenTexts): number {
  return hashText(lyrics, hashText(style, hashText(prompt, seed ^ seconds)));
}

/** A song with scripted parts in place of what the songwriter wrote; the caller's own words and an instrumental's silence stay. */
export function scriptedSong(song: Song, script: ScriptedAnswer['song']): Song {
  if (!script) return song;
  const { written } = song;
  return {
    ...song,
    title: (written.title && script.title) || song.title,
    style: (written.style && script.style) || song.style,
    isFallback: song.isFallback && !script.lyrics,
    lyrics: written.lyrics && script.lyrics ? withTags(script.lyrics) : song.lyrics,
  };
}

const TAGS = new Set(['[intro]', '[verse]', '[pre-chorus]', '[chorus]', '[bridge]', '[outro]']);

/** Lyrics without any section tag are one verse [R187 I180]; tagged ones stay as they are. */
function withTags(lyrics: string): string {
  const tagged = lyrics.split('\n').some((line) => TAGS.has(line.trim().toLowerCase()));
  return tagged ? lyrics : `[Verse]\n${lyrics}`;
}

/** The language of a song's words: one that there are lyrics in, or undefined for English. */
interface SungIn {
  language: Language | undefined;
  /** Whether another language was asked for than there are lyrics in. */
  isFallback: boolean;
}

const ENGLISH: SungIn = { language: undefined, isFallback: false };
const FALLBACK: SungIn = { language: undefined, isFallback: true };

/** Words after which a language is one to sing in, whatever the song is about. */
const SUNG_IN = new Set(['in', 'auf', 'en', 'em']);
/** What a song is about names no language: a song about a German shepherd is an English one. */
const ABOUT = 'about';
/** With these a language is an instrument. */
const PLAYED = new Set(['horn', 'horns', 'guitar', 'guitars', 'harp', 'accordion']);
/** A text is in the language of so many of its words, in one of so many. */
const EVERYDAY_SHARE = 4;

/** The language that the style names, or the prompt, or that either is written in [I224]. */
function askedLanguage({ style, prompt }: { style: string; prompt: string }, banks: SongBanks): SungIn {
  const texts = [style, prompt];
  return (
    firstOf(texts, (text) => namedLanguage(wordsOf(text), banks)) ??
    firstOf(texts, (text) => writtenLanguage(text, banks)) ??
    ENGLISH
  );
}

/** The language that lyrics are written in, of those that are known. */
function languageOfLyrics(lyrics: string, banks: SongBanks): Language | undefined {
  return writtenLanguage(lyrics, banks)?.language;
}

/** The words of a text in small letters. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{M}']+/u)
    .filter((word) => word !== '');
}

function namedLanguage(words: readonly string[], { languages, otherLanguages }: SongBanks): SungIn | undefined {
  const about = words.indexOf(ABOUT);
  for (const [at, word] of words.entries()) {
    const isAsked = SUNG_IN.has(words[at - 1] ?? '') || about === -1 || at < about;
    if (!isAsked || PLAYED.has(words[at + 1] ?? '')) continue;
    if (word === 'english') return ENGLISH;
    const language = languages.find(({ names }) => names.has(word));
    if (language) return { language, isFallback: false };
    if (otherLanguages.has(word)) return FALLBACK;
  }
  return undefined;
}

function writtenLanguage(text: string, banks: SongBanks): SungIn | undefined {
  const script = scriptOf(text);
  if (script === 'kana')
    return { language: banks.languages.find(({ name }) => name === 'Japanese'), isFallback: false };
  if (script === 'other') return FALLBACK;
  const words = wordsOf(text);
  const counts = banks.languages.map((language) => ({
    language,
    n: words.filter((word) => language.words.has(word)).length,
  }));
  const most = counts.reduce((best, each) => (each.n > best.n ? each : best), { language: undefined, n: 0 } as Count);
  return most.language && most.n * EVERYDAY_SHARE >= words.length
    ? { language: most.language, isFallback: false }
    : undefined;
}

interface Count {
  language: Language | undefined;
  n: number;
}

function firstOf<T>(texts: readonly string[], look: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = look(text);
    if (found) return found;
  }
  return undefined;
}

/** Japanese is known by its kana; a text of which more than half is in other letters is in no language known here. */
function scriptOf(text: string): 'kana' | 'latin' | 'other' {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin * 2 >= letters) return 'latin';
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'kana' : 'other';
}
