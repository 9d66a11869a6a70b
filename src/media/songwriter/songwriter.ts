import { hashSampledText, SeededPicker } from '../../base/random.ts';
import { capitalized } from '../../base/text.ts';
import { extractSectionTagText } from '../song/form-plan.ts';
import type { TextWord } from '../text/topic.ts';
import {
  type Chorus,
  type Couplet,
  type LyricBank,
  linesForMood,
  listContainsWord,
  loadSongWordBanks,
  mostFrequent,
  type SongMood,
  type SongWordBanks,
} from './song-banks.ts';
import { ENGLISH, languageOfText, OTHER_LANGUAGE, requestedLanguage } from './song-language.ts';
import { findSongTheme, type SongTheme } from './song-theme.ts';

export interface SongBrief {
  prompt?: string;
  style?: string;
  lyrics?: string;
  title?: string;
  seconds: number;
  instrumental: boolean;
  seed: number;
}

export interface Song {
  title: string;
  style: string;
  /** Null for an instrumental [I065]. */
  lyrics: string | null;
  /** True for each text that the songwriter or a scripted answer supplied, because the request had none. */
  isWritten: { title: boolean; style: boolean; lyrics: boolean };
  /** True if the lyrics are English, because the requested language is not available. */
  isFallback: boolean;
}

export type ScriptedSong = Partial<Record<'lyrics' | 'title' | 'style', string>>;

/** Equal briefs give equal songs. */
export class Songwriter {
  #loaded: SongWordBanks | undefined;

  writeSong(order: SongBrief): Song {
    this.#loaded ??= loadSongWordBanks();
    const banks = this.#loaded;
    const given = textsOf(order);
    const { prompt, style, lyrics, title } = given;
    const picker = new SeededPicker(
      hashSampledText(lyrics, hashSampledText(style, hashSampledText(prompt, order.seed ^ order.seconds))),
    );
    const { name, sung, lines, isFallback } = languageOf(order, given, banks);
    const theme = findSongTheme(given, { banks, sung, lines, name: name ?? ENGLISH }, picker);
    const chorus = picker.one(linesForMood(lines.choruses, theme.mood));
    const form = banks.lyrics.forms.findLast(([seconds]) => seconds <= order.seconds) ?? banks.lyrics.forms[0];
    const named = titleFromTheme(theme.subject, chorus.hook, lines, picker);
    const isWritten = { title: title === '', style: style === '', lyrics: !order.instrumental && lyrics === '' };
    const words = isWritten.lyrics ? writeLyrics({ ...theme, chorus, form: form?.[1] ?? '' }, lines, picker) : lyrics;
    return {
      title: title || titleFromLyrics(lyrics) || (sung ? named : titleCase(named)),
      style: style || writeStyle(theme, name, banks, picker),
      lyrics: order.instrumental ? null : withTags(words),
      isWritten,
      isFallback,
    };
  }
}

function languageOf(order: SongBrief, given: ReturnType<typeof textsOf>, banks: SongWordBanks) {
  const { prompt, style, lyrics } = given;
  if (order.instrumental) return { lines: banks.lyrics, isFallback: false };
  const asked = lyrics === '' ? requestedLanguage([style, prompt], banks) : languageOfText(lyrics, banks);
  const language = banks.languages.languages[asked ?? ENGLISH];
  const name = language ? asked : ENGLISH;
  const sung = lyrics === '' ? language : undefined;
  return { name, sung, lines: sung ?? banks.lyrics, isFallback: lyrics === '' && asked === OTHER_LANGUAGE };
}

function textsOf(order: SongBrief): Record<'prompt' | 'style' | 'lyrics' | 'title', string> {
  const present = (text = '') => (text.trim() === '' ? '' : text);
  const [prompt, style, title] = [order.prompt, order.style, order.title].map(present) as [string, string, string];
  return { prompt, style, title, lyrics: order.instrumental ? '' : present(order.lyrics) };
}

export function applyScriptedSong(song: Song, script: ScriptedSong | undefined): Song {
  if (!script) return song;
  const { isWritten } = song;
  return {
    ...song,
    title: (isWritten.title && script.title) || song.title,
    style: (isWritten.style && script.style) || song.style,
    isFallback: song.isFallback && !script.lyrics,
    lyrics: isWritten.lyrics && script.lyrics ? withTags(script.lyrics) : song.lyrics,
  };
}

/** Lyrics without a tag are one verse. Others stay unchanged [R187 I180]. */
function withTags(lyrics: string): string {
  const tagged = lyrics.split('\n').some((line) => line.trimStart().startsWith('['));
  return tagged ? lyrics : `[Verse]\n${lyrics}`;
}

function writeStyle(
  theme: SongTheme,
  language: string | undefined,
  { styles }: SongWordBanks,
  picker: SeededPicker,
): string {
  const { words, mood } = theme;
  const genre = theme.genre ?? picker.one(styles.genresByMood[mood]);
  const { tempo, instruments = [] } = styles.genres[genre] ?? {};
  const beats = tempoOf(theme, tempo ?? [90, 120], { styles, picker });
  const pace = styles.tempoWords.find(([limit]) => beats <= limit)?.[1] ?? 'fast';
  const named = words.map(({ lower }) => lower).filter((lower) => listContainsWord(styles.instruments, lower));
  const start = picker.below(instruments.length);
  const own = [...instruments, ...instruments].slice(start, start + (named.length > 1 ? 1 : 3));
  const music = [genre, `${pace} ${beats} bpm`, ...new Set([...named.slice(0, 3), ...own])];
  if (language === undefined) return ['instrumental', ...music].join(', ');
  const vocals = mostNamed(styles.vocals, words) ?? picker.one(['female vocals', 'male vocals']);
  return [language, vocals, ...music, picker.one(styles.singers[mood])].join(', ');
}

function mostNamed(table: Readonly<Record<string, string>>, words: readonly TextWord[]): string | undefined {
  return mostFrequent(
    Object.keys(table),
    (name) => words.filter(({ lower }) => listContainsWord(table[name] ?? '', lower)).length,
  );
}

function tempoOf(
  { words, mood }: SongTheme,
  [slowest, fastest]: readonly [number, number],
  { styles, picker }: { styles: SongWordBanks['styles']; picker: SeededPicker },
): number {
  const asked = Number(words[words.findIndex(({ lower }) => lower === 'bpm') - 1]?.lower);
  if (asked >= 40 && asked <= 220) return Math.round(asked);
  const says = (listed: string) => words.some(({ lower }) => listContainsWord(listed, lower));
  if (says(styles.slow)) return Math.min(slowest, 72 + picker.below(9));
  if (says(styles.fast)) return Math.max(fastest, 136 + picker.below(9));
  const span = (fastest - slowest + 1) >> 1;
  return slowest + picker.below(span) + (listContainsWord(styles.quietMoods, mood) ? 0 : span);
}

interface LyricPlan {
  mood: SongMood;
  subject: string;
  chorus: Chorus;
  /** The sections with their numbers of lines, always even: `Verse 4, Chorus 4`. */
  form: string;
}

/** No couplet repeats, except in choruses and pre-choruses. */
function writeLyrics({ mood, subject, chorus, form }: LyricPlan, bank: LyricBank, picker: SeededPicker): string {
  const stocks: Record<string, Couplet[]> = {
    Intro: shuffled(bank.intros, picker),
    Verse: shuffled(linesForMood(bank.verses, mood), picker),
    'Pre-Chorus': shuffled(linesForMood(bank.preChoruses, mood), picker),
    Bridge: shuffled(linesForMood(bank.bridges, mood), picker),
    Outro: shuffled(linesForMood(bank.outros, mood), picker),
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
    const verse = () => [...take('Verse', lines - 2), ...take('Subject', 2)];
    return [`[${tag}]`, ...(known[tag]?.slice(0, lines) ?? (tag === 'Verse' ? verse() : take(tag, lines)))].join('\n');
  });
  return sections
    .join('\n\n')
    .replaceAll('{s}', () => subject)
    .replaceAll('{S}', () => capitalized(subject));
}

function shuffled<T>(list: readonly T[], picker: SeededPicker): T[] {
  const left = [...list];
  return list.flatMap(() => left.splice(picker.below(left.length), 1));
}

const SMALL_WORDS = new Set('a an and at by for from in of on or the to with'.split(' '));
const [MAX_TITLE_WORDS, MAX_LINE] = [6, 1000];
const END_MARKS = ' \t.,;:!?-';

function titleFromTheme(subject: string, hook: string, bank: LyricBank, picker: SeededPicker): string {
  const bare = subject.replace(/^(?:an?|the|my|your|our|this|that|these|those) /, '');
  const slots: Record<string, string> = { S: subject, s: subject, B: bare, hook };
  return capitalized(picker.one(bank.titles).replace(/\{(\w+)\}/g, (_whole, slot: string) => slots[slot] ?? ''));
}

function titleFromLyrics(lyrics: string): string | undefined {
  const lines = lyrics
    .split('\n')
    .filter((line) => extractSectionTagText(line) === undefined)
    .map((line) => line.replace(/^\s*\[[^\]]*[\s\]]*/, '').trim())
    .filter((line) => line !== '');
  const seen = new Set<string>();
  const repeated = lines.find((line) => seen.size === seen.add(line).size);
  const words = (repeated ?? lines[0] ?? '').slice(0, MAX_LINE).split(/\s+/).slice(0, MAX_TITLE_WORDS);
  let line = words.join(' ');
  while (line !== '' && END_MARKS.includes(line.at(-1) ?? '')) line = line.slice(0, -1);
  return line === '' ? undefined : titleCase(line.slice(0, 60));
}

function titleCase(text: string): string {
  const words = text.split(' ');
  const isSmall = (word: string, at: number) => at > 0 && at < words.length - 1 && SMALL_WORDS.has(word);
  return words.map((word, at) => (isSmall(word, at) ? word : capitalized(word))).join(' ');
}
