import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageDataFolder } from '../../../base/package/package-folder.ts';
import { hashText, Picker } from '../../../base/random.ts';
import { capital } from '../../../base/text.ts';
import { sectionTag } from '../../../media/song/form-plan.ts';
import { findTopic, wordsOf as scanWords, type Word } from '../../../media/text/topic.ts';
import type { ScriptedAnswer } from '../order.ts';

export interface SongBrief {
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

export interface Song {
  title: string;
  style: string;
  /** Null for an instrumental [I065]. */
  lyrics: string | null;
  written: { title: boolean; style: boolean; lyrics: boolean };
  /** True if lyrics in the requested language are not available, so that they are English. */
  isFallback: boolean;
}

/** Reads its word banks at the first use. Equal orders with equal seeds give equal songs. */
export class Songwriter {
  #loaded: SongBanks | undefined;

  writeSong(order: SongBrief): Song {
    this.#loaded ??= loadSongBanks();
    const banks = this.#loaded;
    const given = textsOf(order);
    const { prompt, style, lyrics, title } = given;
    const picker = new Picker(hashText(lyrics, hashText(style, hashText(prompt, order.seed ^ order.seconds))));
    const { name, sung, lines, isFallback } = languageOf(order, given, banks);
    const idea = findIdea(given, { banks, sung, lines }, picker);
    const chorus = picker.one(inMood(lines.choruses, idea.mood));
    const form = banks.lyrics.forms.findLast(([seconds]) => seconds <= order.seconds) ?? banks.lyrics.forms[0];
    const named = titleFromIdea(idea.subject, chorus.hook, lines, picker);
    const written = { title: title === '', style: style === '', lyrics: !order.instrumental && lyrics === '' };
    const words = written.lyrics ? writeLyrics({ ...idea, chorus, form: form?.[1] ?? '' }, lines, picker) : lyrics;
    return {
      title: title || titleFromLyrics(lyrics) || (sung ? named : titleCase(named)),
      style: style || writeStyle(idea, name, banks, picker),
      lyrics: order.instrumental ? null : withTags(words),
      written,
      isFallback,
    };
  }
}

/** The word bank, the language of the style, and the sung language if it is not English. */
function languageOf(order: SongBrief, given: ReturnType<typeof textsOf>, banks: SongBanks) {
  const { prompt, style, lyrics } = given;
  if (order.instrumental) return { lines: banks.lyrics, isFallback: false };
  const asked = lyrics === '' ? askedLanguage([style, prompt], banks) : writtenLanguage(lyrics, banks);
  const language = banks.languages.languages[asked ?? ENGLISH];
  const name = language ? asked : ENGLISH;
  const sung = lyrics === '' ? language : undefined;
  return { name, sung, lines: sung ?? banks.lyrics, isFallback: lyrics === '' && asked === OTHER };
}

function textsOf(order: SongBrief): Record<'prompt' | 'style' | 'lyrics' | 'title', string> {
  const present = (text = '') => (text.trim() === '' ? '' : text);
  const [prompt, style, title] = [order.prompt, order.style, order.title].map(present) as [string, string, string];
  return { prompt, style, title, lyrics: order.instrumental ? '' : present(order.lyrics) };
}

/** Scripted parts replace those of the songwriter, but not those of the caller. */
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

/** Lyrics without a tag are one verse. Others stay unchanged [R187 I180]. */
function withTags(lyrics: string): string {
  const tagged = lyrics.split('\n').some((line) => line.trimStart().startsWith('['));
  return tagged ? lyrics : `[Verse]\n${lyrics}`;
}

interface SongIdea {
  mood: SongMood;
  /** As it appears in a line: `the old lighthouse`. */
  subject: string;
  words: readonly Word[];
}

/** In UTF-16 units. A longer text in a foreign script is not a name. */
const LONGEST_NAME = 24;

/** Taken from the texts of the order; the seed decides the rest. */
function findIdea(
  { prompt, style, lyrics }: Record<'prompt' | 'style' | 'lyrics', string>,
  { banks, sung, lines }: { banks: SongBanks; sung: Language | undefined; lines: SongBanks['lyrics'] | Language },
  picker: Picker,
): SongIdea {
  const { moods, notSung } = banks.styles;
  const words = [prompt, style, lyrics].flatMap(scanWords);
  const mood = (mostNamed(moods, words) ?? picker.one(Object.keys(moods))) as SongMood;
  const topic = sung ? topicIn(sung, prompt, notSung) : findTopic(scanWords(prompt), new Set(notSung.split(' ')))?.said;
  return { mood, words, subject: foreignName(prompt) ?? topic ?? picker.one(inMood(lines.fallbackSubjects, mood)) };
}

function mostNamed(table: Readonly<Record<string, string>>, words: readonly Word[]): string | undefined {
  const counted = Object.entries(table).map(([name, listed]) => {
    return { name, count: words.filter(({ lower }) => lists(listed, lower)).length };
  });
  const most = Math.max(1, ...counted.map(({ count }) => count));
  return counted.find(({ count }) => count === most)?.name;
}

/** The longest uncommon word of a prompt in this language; undefined for other prompts. */
function topicIn({ words: everyday }: Language, prompt: string, notSung: string): string | undefined {
  const isKana = scriptOf(prompt) === 'kana';
  const written = /[\p{Script=Han}\p{Script=Katakana}\u30fc]{1,24}/gu;
  const words = isKana ? (prompt.match(written) ?? []) : prompt.split(/[^\p{L}\p{M}'-]+/u);
  const isSmall = (word: string) => lists(everyday, word.toLowerCase());
  const small = words.filter(isSmall).length;
  if (!isKana && (small === 0 || small * EVERYDAY_SHARE < words.length)) return undefined;
  const isNoun = (word: string) => word.length <= LONGEST_NAME && !isSmall(word) && !lists(notSung, word.toLowerCase());
  return words.filter(isNoun).sort((a, b) => b.length - a.length)[0] || undefined;
}

/** A short prompt in another script, unless it describes a song. */
function foreignName(prompt: string): string | undefined {
  const name = prompt.trim();
  const isForeign = /[\u0250-\u2000\u3040-\ud7ff].*[\u0250-\u2000\u3040-\ud7ff]/.test(name);
  const isName = isForeign && name.length <= LONGEST_NAME && !name.includes('\n');
  return isName && !/[\u6b4c\u66f2]/u.test(name) ? name : undefined;
}

/**
 * Language, vocals, genre, tempo, instruments and singer. Parts of the order are kept. Without a language, the song is an
 * instrumental.
 */
function writeStyle(idea: SongIdea, language: string | undefined, { styles }: SongBanks, picker: Picker): string {
  const { words, mood } = idea;
  const matches = Object.entries(styles.genres).map(([name, { match }]) => [name, match]);
  const genre = mostNamed(Object.fromEntries(matches), words) ?? picker.one(styles.genresByMood[mood]);
  const { tempo, instruments = [] } = styles.genres[genre] ?? {};
  const beats = tempoOf(idea, tempo ?? [90, 120], { styles, picker });
  const pace = styles.tempoWords.find(([limit]) => beats <= limit)?.[1] ?? 'fast';
  const named = words.map(({ lower }) => lower).filter((lower) => lists(styles.instruments, lower));
  const start = picker.below(instruments.length);
  const own = [...instruments, ...instruments].slice(start, start + (named.length > 1 ? 1 : 3));
  const music = [genre, `${pace} ${beats} bpm`, ...new Set([...named.slice(0, 3), ...own])];
  if (language === undefined) return ['instrumental', ...music].join(', ');
  const vocals = mostNamed(styles.vocals, words) ?? picker.one(['female vocals', 'male vocals']);
  return [language, vocals, ...music, picker.one(styles.singers[mood])].join(', ');
}

/** In beats per minute. `slow`, `fast` or `90 bpm` in the order override genre and mood. */
function tempoOf(
  { words, mood }: SongIdea,
  [slowest, fastest]: readonly [number, number],
  { styles, picker }: { styles: SongBanks['styles']; picker: Picker },
): number {
  const asked = Number(words[words.findIndex(({ lower }) => lower === 'bpm') - 1]?.lower);
  if (asked >= 40 && asked <= 220) return Math.round(asked);
  const says = (listed: string) => words.some(({ lower }) => lists(listed, lower));
  if (says(styles.slow)) return Math.min(slowest, 72 + picker.below(9));
  if (says(styles.fast)) return Math.max(fastest, 136 + picker.below(9));
  const span = (fastest - slowest + 1) >> 1;
  return slowest + picker.below(span) + (lists(styles.quietMoods, mood) ? 0 : span);
}

const ENGLISH = 'English';
const OTHER = 'other';
/** After these words, a language is the language of the lyrics, not the subject. */
const SUNG_IN = 'in auf en em';
/** Before these words, a language is part of an instrument. */
const PLAYED = 'horn horns guitar guitars harp accordion';
/** A text is in a language if one word in this many is common in it. */
const EVERYDAY_SHARE = 4;

/** The language that the style or the prompt names or is written in. Undefined if it is unknown [I224]. */
function askedLanguage(texts: readonly string[], banks: SongBanks): string | undefined {
  const named = texts.map((text) => namedLanguage(wordsOf(text), banks));
  return [...named, ...texts.map((text) => writtenLanguage(text, banks))].find((found) => found !== undefined);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? [];
}

function namedLanguage(words: readonly string[], { languages: { languages, otherNames } }: SongBanks) {
  // Words after "about" name the subject, such as a German shepherd, and not a language.
  const about = words.indexOf('about');
  const asked = words.filter((_, at) => {
    const isAsked = lists(SUNG_IN, words[at - 1] ?? '-') || about === -1 || at < about;
    return isAsked && !lists(PLAYED, words[at + 1] ?? '-');
  });
  const languageOf = (word: string) => {
    if (word === 'english') return ENGLISH;
    const named = Object.entries(languages).find(([, { names }]) => lists(names, word));
    return named?.[0] ?? (lists(otherNames, word) ? OTHER : undefined);
  };
  return asked.map(languageOf).find((language) => language !== undefined);
}

function writtenLanguage(text: string, { languages: { languages } }: SongBanks): string | undefined {
  const script = scriptOf(text);
  if (script !== 'latin') return script === 'kana' ? 'Japanese' : OTHER;
  const words = wordsOf(text);
  const counted = Object.entries(languages).map(([name, { words: everyday }]) => {
    return { name, count: words.filter((word) => lists(everyday, word)).length };
  });
  const most = Math.max(1, words.length / EVERYDAY_SHARE, ...counted.map(({ count }) => count));
  return counted.find(({ count }) => count >= most)?.name;
}

/** Kana means Japanese. A text with mostly other letters has no known language. */
function scriptOf(text: string): 'kana' | 'latin' | 'other' {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin * 2 >= letters) return 'latin';
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'kana' : 'other';
}

interface LyricOrder {
  mood: SongMood;
  subject: string;
  chorus: Chorus;
  /** Sections with their number of lines, always even: `Verse 4, Chorus 4`. */
  form: string;
}

/** No couplet repeats, except in choruses and pre-choruses. */
function writeLyrics({ mood, subject, chorus, form }: LyricOrder, bank: LyricBank, picker: Picker): string {
  const stocks: Record<string, Couplet[]> = {
    Intro: shuffled(bank.intros, picker),
    Verse: shuffled(inMood(bank.verses, mood), picker),
    'Pre-Chorus': shuffled(inMood(bank.preChoruses, mood), picker),
    Bridge: shuffled(inMood(bank.bridges, mood), picker),
    Outro: shuffled(inMood(bank.outros, mood), picker),
    Subject: shuffled(bank.subjects, picker),
  };
  const take = (tag: string, lines: number): string[] => {
    const own = stocks[tag]?.splice(0, lines / 2) ?? [];
    return [...own, ...(stocks.Subject?.splice(0, lines / 2 - own.length) ?? [])].flat();
  };
  const known: Record<string, string[]> = { Chorus: [...chorus.lines, ...picker.one(bank.chorusTags)] };
  const sections = form.split(', ').map((step) => {
    const [tag = '', count] = step.split(' ');
    const lines = Number(count);
    if (tag === 'Pre-Chorus') known[tag] ??= take(tag, lines);
    // Every verse ends with the subject.
    const verse = () => [...take('Verse', lines - 2), ...take('Subject', 2)];
    return [`[${tag}]`, ...(known[tag]?.slice(0, lines) ?? (tag === 'Verse' ? verse() : take(tag, lines)))].join('\n');
  });
  return sections
    .join('\n\n')
    .replaceAll('{s}', () => subject)
    .replaceAll('{S}', () => capital(subject));
}

function shuffled<T>(list: readonly T[], picker: Picker): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(picker.below(left.length), 1));
}

const SMALL_WORDS = new Set('a an and at by for from in of on or the to with'.split(' '));
/** The most words of a title, and the part of a line that is examined, in UTF-16 units. */
const LONGEST = { title: 6, line: 1000 };
const END_MARKS = ' \t.,;:!?-';

function titleFromIdea(subject: string, hook: string, bank: LyricBank, picker: Picker): string {
  const bare = subject.replace(/^(?:an?|the|my|your|our|this|that|these|those) /, '');
  const slots: Record<string, string> = { S: subject, s: subject, B: bare, hook };
  return capital(picker.one(bank.titles).replace(/\{(\w+)\}/g, (_whole, slot: string) => slots[slot] ?? ''));
}

/** The repeated line, or else the first one. Undefined without lyrics. */
function titleFromLyrics(lyrics: string): string | undefined {
  const lines = lyrics
    .split('\n')
    .filter((line) => sectionTag(line) === undefined)
    .map((line) => line.replace(/^\s*\[[^\]]*[\s\]]*/, '').trim())
    .filter((line) => line !== '');
  const seen = new Set<string>();
  const repeated = lines.find((line) => seen.size === seen.add(line).size);
  const words = (repeated ?? lines[0] ?? '').slice(0, LONGEST.line).split(/\s+/).slice(0, LONGEST.title);
  let line = words.join(' ');
  while (line !== '' && END_MARKS.includes(line.at(-1) ?? '')) line = line.slice(0, -1);
  return line === '' ? undefined : titleCase(line.slice(0, 60));
}

function titleCase(text: string): string {
  const words = text.split(' ');
  const isSmall = (word: string, at: number) => at > 0 && at < words.length - 1 && SMALL_WORDS.has(word);
  return words.map((word, at) => (isSmall(word, at) ? word : capital(word))).join(' ');
}

function inMood<T>(lines: Lines<T>, mood: SongMood): readonly T[] {
  return 'any' in lines ? lines.any : lines[mood];
}

function lists(text: string, word: string): boolean {
  return ` ${text} `.includes(` ${word} `);
}

type Couplet = readonly [string, string];

type SongMood = 'love' | 'sad' | 'bold' | 'calm' | 'dark' | 'bright';

/** Only English has different lines for each mood. */
type Lines<T> = Readonly<Record<SongMood, readonly T[]>> | { readonly any: readonly T[] };

interface Chorus {
  hook: string;
  lines: readonly string[];
}

/** Several words share a text, separated by spaces. */
interface StyleBank {
  notSung: string;
  instruments: string;
  slow: string;
  fast: string;
  quietMoods: string;
  moods: Readonly<Record<SongMood, string>>;
  genres: Readonly<Record<string, LyricGenre>>;
  genresByMood: Readonly<Record<SongMood, readonly string[]>>;
  /** By the highest tempo, in beats per minute. */
  tempoWords: readonly (readonly [number, string])[];
  vocals: Readonly<Record<string, string>>;
  singers: Readonly<Record<SongMood, readonly string[]>>;
}

interface LyricGenre {
  match: string;
  /** Slowest and fastest, in beats per minute. */
  tempo: readonly [number, number];
  instruments: readonly string[];
}

interface LyricBank {
  verses: Lines<Couplet>;
  subjects: readonly Couplet[];
  preChoruses: Lines<Couplet>;
  choruses: Lines<Chorus>;
  chorusTags: readonly Couplet[];
  bridges: Lines<Couplet>;
  intros: readonly Couplet[];
  outros: Lines<Couplet>;
  fallbackSubjects: Lines<string>;
  titles: readonly string[];
}

/** Its name in several languages, and common words that identify it. */
type Language = LyricBank & Readonly<Record<'names' | 'words', string>>;

interface SongBanks {
  styles: StyleBank;
  /** The forms of a song by its length in seconds. */
  lyrics: LyricBank & { forms: readonly (readonly [seconds: number, sections: string])[] };
  languages: { languages: Readonly<Record<string, Language>>; otherNames: string };
}

function loadSongBanks(): SongBanks {
  const read = (name: string) =>
    JSON.parse(readFileSync(path.join(packageDataFolder(), 'songs', `${name}.json`), 'utf8'));
  return { styles: read('styles'), lyrics: read('lyrics'), languages: read('languages') };
}
