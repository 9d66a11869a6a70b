import type { Picker } from '../../../base/random.ts';
import type { Chorus, Couplet, Lines, LyricBank, SongMood } from './song-banks.ts';

/** What lyrics are written about. */
interface LyricOrder {
  mood: SongMood;
  /** What is sung of, as it stands inside a line: `the old lighthouse`. */
  subject: string;
  chorus: Chorus;
  /** Sections and how many lines each has, even numbers: `Verse 4, Chorus 4`. */
  form: string;
}

/** Lyrics in sections, each under its tag; no couplet comes twice but for choruses and pre-choruses, which come back word for word. */
export function writeLyrics({ mood, subject, chorus, form }: LyricOrder, bank: LyricBank, picker: Picker): string {
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
    // Every verse names the subject once, at its end, where it leads on.
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

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const SMALL_WORDS = new Set('a an and at by for from in of on or the to with'.split(' '));
/** In words, and in UTF-16 units of a line of which so much is looked at. */
const LONGEST = { title: 6, line: 1000 };
const END_MARKS = ' \t.,;:!?-';

/** A title from what the song sings of and what its chorus is remembered by. */
export function titleFromIdea(subject: string, hook: string, bank: LyricBank, picker: Picker): string {
  const bare = subject.replace(/^(?:an?|the|my|your|our|this|that|these|those) /, '');
  const slots: Record<string, string> = { S: subject, s: subject, B: bare, hook };
  return capital(picker.one(bank.titles).replace(/\{(\w+)\}/g, (_whole, slot: string) => slots[slot] ?? ''));
}

/** A title from given lyrics: the line that comes back, else the first one sung. Undefined where nothing is sung. */
export function titleFromLyrics(lyrics: string): string | undefined {
  const lines = lyrics
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('['));
  const seen = new Set<string>();
  const repeated = lines.find((line) => seen.size === seen.add(line).size);
  const words = (repeated ?? lines[0] ?? '').slice(0, LONGEST.line).split(/\s+/).slice(0, LONGEST.title);
  let line = words.join(' ');
  while (line !== '' && END_MARKS.includes(line.at(-1) ?? '')) line = line.slice(0, -1);
  return line === '' ? undefined : titleCase(line.slice(0, 60));
}

export function titleCase(text: string): string {
  const words = text.split(' ');
  const isSmall = (word: string, at: number) => at > 0 && at < words.length - 1 && SMALL_WORDS.has(word);
  return words.map((word, at) => (isSmall(word, at) ? word : capital(word))).join(' ');
}

export function inMood<T>(lines: Lines<T>, mood: SongMood): readonly T[] {
  return 'any' in lines ? lines.any : lines[mood];
}

/** Whether one of the words that a text lists is `word`. */
export function lists(text: string, word: string): boolean {
  return ` ${text} `.includes(` ${word} `);
}
