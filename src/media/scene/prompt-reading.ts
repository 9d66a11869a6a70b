import { emojiCodeCandidates, flagLetters, splitCharactersAndEmoji } from '../paint/emoji.ts';
import { guessPersonFigure, isPlural, masculineForms, prefixStrippedVariants, type WordBook } from './word-book.ts';

export interface SceneSubject {
  concept: string;
  count: number;
  colour: string | null;
}

export interface PromptInterpretation {
  times: string[];
  weather: string[];
  seasons: string[];
  grounds: string[];
  colours: string[];
  moods: string[];
  styles: string[];
  subjects: SceneSubject[];
  moves: boolean;
  negated: string[];
}

const KINDS = { t: 'times', w: 'weather', s: 'seasons', g: 'grounds', c: 'colours', m: 'moods', y: 'styles' } as const;
/** Figures for people who do something, such as running, which other figures can do too. */
const DOERS = new Set(['walker', 'runner', 'dancer', 'swimmer', 'surfer', 'rower', 'cyclist', 'skier']);
const NEAR = 2;
const COLOUR_BEHIND = new Set(['fr', 'es', 'pt', 'it', 'ar', 'he', 'th', 'vi', 'id']);
const LOOSE = new Set(['zh', 'zh-Hant', 'ja', 'th', 'ko', 'vi', 'id']);
const SEVERAL = 3;
const MAX_COUNT = 9;
const OLD = 'p.old';
const AGED: Record<string, string> = { man: 'old-man', person: 'old-man', woman: 'old-woman' };

interface Thing extends Cue {
  kind: 'subject' | 'scene' | 'colour' | 'number' | 'before' | 'after' | 'filler' | 'old';
  doubtful: boolean;
}

export function interpretCues(cues: readonly Cue[]): PromptInterpretation {
  const all = cues.map(thingOf);
  const things = withoutDoubts(all).map((thing, _at, others) => settled(thing, others));
  const gone = new Set(missingOf(things));
  const there = things.filter((thing) => !gone.has(thing));
  const used = new Set<Thing>();
  const subjects = there.filter(({ kind }) => kind === 'subject').map((thing) => subjectOf(thing, things, used));
  const reading: PromptInterpretation = {
    times: [],
    weather: [],
    seasons: [],
    grounds: [],
    colours: [],
    moods: [],
    styles: [],
    subjects: subjects.filter((one, at) => subjects.findIndex((other) => isSame(one, other)) === at),
    moves: all.some(({ names }) => names.some((name) => DOERS.has(name))),
    negated: [...new Set([...gone].map(({ names }) => plainName(names[0] ?? '')))],
  };
  for (const thing of there) addScenes(reading, thing, used.has(thing) || thing.kind === 'subject');
  return reading;
}

function isSame(one: SceneSubject, other: SceneSubject): boolean {
  return one.concept === other.concept && one.colour === other.colour;
}

function addScenes(reading: PromptInterpretation, { names }: Thing, isOfSubject: boolean): void {
  if (isOfSubject && names.includes(OLD)) return;
  for (const name of names) {
    const kind = isScene(name) ? KINDS[name[0] as keyof typeof KINDS] : undefined;
    if (!kind || (isOfSubject && kind === 'colours')) continue;
    if (!reading[kind].includes(plainName(name))) reading[kind].push(plainName(name));
  }
}

function thingOf(cue: Cue): Thing {
  const names = cue.names.map((name) => name.replace('?', ''));
  names.sort((one, other) => Number(isScene(one)) - Number(isScene(other)));
  return { ...cue, names, doubtful: cue.names.every((name) => name.endsWith('?')), kind: kindOf(names) };
}

function kindOf(names: readonly string[]): Thing['kind'] {
  const small = names.find((name) => name.startsWith('p.'));
  if (small && (small !== OLD || names.every(isScene))) return small.slice(2) as 'before' | 'after' | 'filler' | 'old';
  if (names.some((name) => !isScene(name))) return 'subject';
  if (names.some((name) => name.startsWith('n.'))) return 'number';
  return names.some((name) => name.startsWith('c.')) ? 'colour' : 'scene';
}

/** Removes guesses if something certain is named, and a figure such as `runner` if another is before it or directly after it. */
function withoutDoubts(things: readonly Thing[]): Thing[] {
  const sure = things.filter(({ kind, doubtful }) => !doubtful && (kind === 'subject' || kind === 'scene'));
  return things.filter((thing) => {
    if (thing.kind !== 'subject') return true;
    const named = sure.some(
      ({ kind, from, to }) => kind === 'subject' && (from < thing.from || from === thing.to) && to,
    );
    return !(thing.doubtful && sure.length > 0) && !(named && thing.names.some((name) => DOERS.has(name)));
  });
}

/**
 * Chooses the meaning of a word with two. `orange` is a color next to a cat, and a fruit alone. `viejo` is old next to a
 * man, and an old man alone.
 */
function settled(thing: Thing, things: readonly Thing[]): Thing {
  const word = thing.names.find((name) => name.startsWith('c.') || name === OLD);
  if (thing.kind !== 'subject' || !word) return thing;
  const isBeside = ({ kind, language, from, to }: Thing) =>
    kind === 'subject' && (COLOUR_BEHIND.has(language) ? thing.from === to : from === thing.to);
  return things.some(isBeside) ? { ...thing, kind: kindOf([word]), names: [word] } : thing;
}

/** Things that a word such as `without` excludes: the previous one, or the next one or two (`without dogs or cats`). */
function missingOf(things: readonly Thing[]): Thing[] {
  const solid = things.filter(({ kind }) => !['filler', 'colour', 'number', 'old'].includes(kind));
  return solid.flatMap((word, at) => {
    const [before, next, further] = [solid[at - 1], solid[at + 1], solid[at + 2]];
    if (word.kind === 'after') return isNamed(before) && word.from - before.to <= NEAR ? [before] : [];
    if (word.kind !== 'before' || !isNamed(next) || next.from - word.to > NEAR + 1) return [];
    return further?.kind === 'subject' && further.from - next.to === 1 ? [next, further] : [next];
  });
}

function isNamed(thing: Thing | undefined): thing is Thing {
  return thing?.kind === 'subject' || thing?.kind === 'scene';
}

function subjectOf(thing: Thing, things: readonly Thing[], used: Set<Thing>): SceneSubject {
  const free = (kind: Thing['kind']) => things.filter((other) => other.kind === kind && !used.has(other));
  const number = numberIn(thing) ? thing : numberFor(thing, free('number'), things);
  const colour = colourFor(thing, free('colour'), things);
  const concept = thing.names.find((name) => !isScene(name)) ?? '';
  const aged = AGED[concept];
  const old = aged && free('old').find((other) => isNear(other, thing, things));
  for (const found of [colour, number, old]) if (found) used.add(found);
  return {
    concept: (old && aged) || concept,
    count: number ? Math.min(MAX_COUNT, Math.max(1, Number(numberIn(number)))) : thing.several ? SEVERAL : 1,
    colour: colour ? plainName(colour.names.find((name) => name.startsWith('c.')) ?? '') : null,
  };
}

function colourFor(thing: Thing, colours: readonly Thing[], things: readonly Thing[]): Thing | undefined {
  const before = colours.find((other) => between(other, thing, things) <= NEAR);
  const behind = colours.find((other) => between(thing, other, things) <= NEAR);
  return COLOUR_BEHIND.has(thing.language) ? (behind ?? before) : before;
}

function numberFor(thing: Thing, numbers: readonly Thing[], things: readonly Thing[]): Thing | undefined {
  return numbers.find((other) => between(other, thing, things) <= NEAR) ?? numberBehind(thing, numbers, things);
}

function isNear(one: Thing, other: Thing, things: readonly Thing[]): boolean {
  return Math.min(between(one, other, things), between(other, one, things)) <= NEAR;
}

function numberIn({ names }: Thing): string | undefined {
  return names.find((name) => name.startsWith('n.'))?.slice(2);
}

function numberBehind(subject: Thing, numbers: readonly Thing[], things: readonly Thing[]): Thing | undefined {
  const isBefore = (number: Thing) => things.some(({ kind, from }) => kind === 'subject' && from === number.to);
  return subject.language === 'en'
    ? undefined
    : numbers.find((number) => between(subject, number, things) <= 1 && !isBefore(number));
}

function between(one: Thing, other: Thing, things: readonly Thing[]): number {
  if (one.to > other.from) return Number.POSITIVE_INFINITY;
  const inside = things.filter((thing) => thing.from >= one.to && thing.to <= other.from);
  const parts = ({ kind, language }: Thing) => kind === 'subject' || (kind === 'filler' && !LOOSE.has(language));
  if (inside.some(parts)) return Number.POSITIVE_INFINITY;
  return inside.reduce((gap, { from, to }) => gap - (to - from), other.from - one.to);
}

function isScene(name: string): boolean {
  return /^[a-z]\./.test(name);
}

function plainName(name: string): string {
  return isScene(name) ? name.slice(2) : name;
}

type LetterScript = 'latin' | 'cyrillic' | 'greek' | 'arabic' | 'hebrew' | 'devanagari' | 'thai' | 'hangul' | 'han';
export type WritingScript = LetterScript | 'emoji';

export interface PromptWord {
  text: string;
  script: WritingScript;
  at: number;
  times?: number;
}

/** What a punctuation mark adds to the distance of the words around it, so that they never belong together (see `NEAR`). */
const MARK = 8;
const LETTERS: readonly (readonly [LetterScript, RegExp])[] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['devanagari', /\p{Script=Devanagari}/u],
  ['thai', /\p{Script=Thai}/u],
  ['hangul', /\p{Script=Hangul}/u],
  ['han', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u],
];

function isUnspaced(script: WritingScript): boolean {
  return script === 'han' || script === 'thai';
}

export function splitPromptWords(text: string): PromptWord[] {
  const words: PromptWord[] = [];
  let place = 0;
  let open: PromptWord | undefined;
  const close = () => {
    if (open) place += lengthOf(open);
    open = undefined;
  };
  // In lower case, `İ` is `i` and a combining dot.
  const read = text.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i');
  for (const { text: letter, emoji } of splitCharactersAndEmoji(read)) {
    if (emoji !== undefined) {
      close();
      place += addEmoji(words, emoji, place);
      continue;
    }
    const script = scriptOf(letter, open, words.at(-1)?.script);
    if (open?.script !== script) close();
    if (open) open.text += letter;
    if (!script && !/\s/u.test(letter)) place += MARK;
    if (open || !script) continue;
    open = { text: letter, script, at: place };
    words.push(open);
  }
  return words;
}

function addEmoji(words: PromptWord[], code: string, at: number): number {
  const before = words.at(-1);
  if (before?.text !== code) return words.push({ text: code, script: 'emoji', at }) && 1;
  before.times = (before.times ?? 1) + 1;
  return 0;
}

function lengthOf({ text, script }: PromptWord): number {
  return isUnspaced(script) ? text.length : 1;
}

function scriptOf(
  letter: string,
  open: PromptWord | undefined,
  before: WritingScript | undefined,
): WritingScript | undefined {
  if (/[0-9]/.test(letter)) return open?.script ?? (before === 'emoji' ? 'latin' : (before ?? 'latin'));
  if (open && /['’\p{M}-]/u.test(letter))
    return isUnspaced(open.script) && !/\p{M}/u.test(letter) ? undefined : open.script;
  return LETTERS.find(([, letters]) => letters.test(letter))?.[0];
}

interface Cue {
  names: readonly string[];
  from: number;
  to: number;
  exact: boolean;
  several: boolean;
  language: string;
}

const MAX_PHRASE = 3;
const MAX_UNSPACED = 14;
const THAI_VOWEL_BEHIND = /^[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e]/u;
const KANA = /^[ぁ-ヿ]$/u;
const SHORTEST_BORROWED = 3;

export function findCues(
  book: WordBook,
  words: readonly PromptWord[],
  languageOf: (script: WritingScript) => string,
): Cue[] {
  const cues: Cue[] = [];
  for (let at = 0; at < words.length; ) {
    const word = words[at] as PromptWord;
    if (word.script === 'emoji') {
      cues.push(...emojiCues(book, word));
      at++;
      continue;
    }
    const language = languageOf(word.script);
    const found = isUnspaced(word.script)
      ? { cues: cuesWithin(book, word, language), taken: 1 }
      : cueAt(book, words.slice(at, at + MAX_PHRASE), language);
    cues.push(...found.cues);
    at += found.taken;
  }
  return cues;
}

function emojiCues(book: WordBook, { text: code, at, times = 1 }: PromptWord): Cue[] {
  const known = emojiCodeCandidates(code).map((each) => book.names(`u${each}`, 'en'));
  const names = known.find(({ length }) => length > 0) ?? (flagLetters(code) === undefined ? [] : ['flag']);
  if (names.length === 0) return [];
  const counted = times > 1 ? [`n.${Math.min(MAX_COUNT, times)}`, ...names] : names;
  return [{ names: counted, from: at, to: at + 1, exact: true, several: false, language: 'en' }];
}

function cueAt(book: WordBook, words: readonly PromptWord[], language: string): { cues: Cue[]; taken: number } {
  const first = words[0] as PromptWord;
  for (let taken = words.length; taken > 1; taken--) {
    const last = words[taken - 1] as PromptWord;
    if (last.at !== first.at + taken - 1 || last.script !== first.script) continue;
    const phrase = words.slice(0, taken).map(({ text }) => text);
    const exact = book.names(phrase.join(' '), language);
    const names = exact.length > 0 ? exact : book.names(phrase.join(' ').replace(/s$/u, ''), language);
    const place = { from: first.at, to: last.at + 1, exact: true, several: exact.length === 0, language };
    if (names.length > 0) return { cues: [{ ...place, names }], taken };
  }
  const place = { from: first.at, to: first.at + lengthOf(first) };
  return { cues: singleWord(book, first.text, language).map((found) => ({ ...place, ...found })), taken: 1 };
}

const ANYONE = new Set(['man', 'person']);

function singleWord(book: WordBook, text: string, language: string): Omit<Cue, 'from' | 'to'>[] {
  const forms = prefixStrippedVariants(text, language);
  const woman = forms.map((form) => womansNames(book, form, language)).find((names) => names !== undefined);
  if (woman) return [{ names: woman, exact: true, several: isPlural(text, language), language }];
  for (const exact of [true, false]) {
    for (const form of forms) {
      const names = exact ? book.names(form, language) : book.inflected(form, language);
      const several = !names.includes(form) && isPlural(form, language);
      if (names.length > 0) return [{ names, exact, several, language }];
    }
  }
  const person = guessPersonFigure(text, language);
  if (person !== undefined) return [{ names: [person], exact: false, several: isPlural(text, language), language }];
  if (language === 'en' || text.length < SHORTEST_BORROWED) return [];
  const names = book.inflected(text, 'en').filter((name) => !/^[pn]\./.test(name));
  return names.length > 0 ? [{ names, exact: false, several: false, language: 'en' }] : [];
}

function womansNames(book: WordBook, word: string, language: string): string[] | undefined {
  const sure = (form: string) => book.names(form, language).filter((name) => !name.endsWith('?'));
  const forms = masculineForms(word, language);
  if (forms.length === 0 || sure(word).length > 0) return undefined;
  const names = forms.map(sure).find(({ length }) => length > 0);
  if (names?.some((name) => ANYONE.has(name))) return ['woman'];
  return book.names(word, language).length > 0 ? names : undefined;
}

function cuesWithin(book: WordBook, { text, at: begins }: PromptWord, language: string): Cue[] {
  const cues: Cue[] = [];
  for (let at = 0; at < text.length; ) {
    const found = longestAt(book, text, { at, language });
    const from = begins + at;
    if (found) cues.push({ ...found, from, to: from + found.length, exact: true, several: false, language });
    at += found?.length ?? 1;
  }
  return cues;
}

function longestAt(book: WordBook, text: string, { at, language }: { at: number; language: string }) {
  for (let length = Math.min(MAX_UNSPACED, text.length - at); length > 0; length--) {
    const part = text.slice(at, at + length);
    // Skips a part that would cut a syllable, and a single kana, which is not a word.
    if (KANA.test(part) || THAI_VOWEL_BEHIND.test(text.slice(at + length))) continue;
    const names = book.names(part, language);
    if (names.length > 0) return { names, length };
  }
  return undefined;
}
