import { hashText, Picker } from '../../../base/random.ts';
import type { ScriptedAnswer } from '../order.ts';
import { type Language, loadSongBanks, type SongBanks } from './song-banks.ts';
import { titleFromIdea, titleFromLyrics, writeLyrics } from './song-lyrics.ts';
import { findIdea, writeStyle } from './song-style.ts';

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
