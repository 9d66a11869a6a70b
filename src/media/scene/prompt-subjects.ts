import type { Cue } from './prompt-cues.ts';

/** A figure that a prompt names, how many of it, and the colour that it is said to have. */
export interface Subject {
  concept: string;
  /** 1 to 9. */
  count: number;
  colour: string | null;
}

/** What the words of a prompt name, in the order of the prompt. */
export interface Reading {
  times: string[];
  weather: string[];
  seasons: string[];
  grounds: string[];
  /** Of everything: those that no subject has. */
  colours: string[];
  moods: string[];
  styles: string[];
  subjects: Subject[];
  /** Whether somebody is said to run, swim or dance. */
  moves: boolean;
  /** What is said to be missing: concepts, and names of scenes. */
  negated: string[];
}
/** So many words, or letters, may stand between a word and the subject that it tells of. */
export const NEAR = 2;
/** Languages in which a colour follows its thing. */
export const COLOUR_BEHIND = new Set(['fr', 'es', 'pt', 'it', 'ar', 'he', 'th', 'vi', 'id']);
/** What several means without a number. */
const SEVERAL = 3;
const MOST = 9;
/** Languages whose small words may stand between a colour and its thing. */
const LOOSE = new Set(['zh', 'zh-Hant', 'ja', 'th', 'ko', 'vi', 'id']);

export interface Thing extends Cue {
  kind: 'subject' | 'scene' | 'colour' | 'number' | 'before' | 'after' | 'filler';
  /** Only a guess, which anything surer outdoes. */
  doubtful: boolean;
}

interface Around {
  things: readonly Thing[];
  used: Set<Thing>;
}

export function addSubject(reading: Reading, thing: Thing, around: Around): void {
  const concept = thing.names.find((name) => !isScene(name)) ?? '';
  const colour = colourOf(thing, around);
  const count = countOf(thing, around);
  const same = reading.subjects.find((other) => other.concept === concept && other.colour === colour);
  if (same) same.count = Math.max(same.count, count);
  else reading.subjects.push({ concept, count, colour });
}

/** The nearest colour on the side where the language has it, or else on the other. */
function colourOf(subject: Thing, { things, used }: Around): string | null {
  const free = things.filter((other) => other.kind === 'colour' && !used.has(other));
  const before = free.find((other) => between(other, subject, things) <= NEAR);
  const behind = free.find((other) => between(subject, other, things) <= NEAR);
  const found = COLOUR_BEHIND.has(subject.language) ? (behind ?? before) : before;
  if (!found) return null;
  used.add(found);
  return plainName(found.names.find((name) => name.startsWith('c.')) ?? '');
}

function countOf(subject: Thing, { things, used }: Around): number {
  const numbers = things.filter((other) => other.kind === 'number' && !used.has(other));
  const found = numberIn(subject)
    ? subject
    : (numbers.find((other) => between(other, subject, things) <= NEAR) ??
      numbers.find((other) => followsAlone(subject, other, things)));
  if (!found) return subject.several ? SEVERAL : 1;
  used.add(found);
  return Math.min(MOST, Math.max(1, Number(plainName(numberIn(found) ?? 'n.1'))));
}

function numberIn({ names }: Thing): string | undefined {
  return names.find((name) => name.startsWith('n.'));
}

/** Whether a number stands behind its subject, where a language has it so, and before no other. */
function followsAlone(subject: Thing, number: Thing, things: readonly Thing[]): boolean {
  if (between(subject, number, things) > (subject.language === 'en' ? -1 : 1)) return false;
  return !things.some(({ kind, from }) => kind === 'subject' && from === number.to);
}

/** Places between two things, apart from what does not part them; Infinity where a subject or a small word does. */
function between(one: Thing, other: Thing, things: readonly Thing[]): number {
  if (one.to > other.from) return Number.POSITIVE_INFINITY;
  const inside = things.filter((thing) => thing.from >= one.to && thing.to <= other.from);
  const parts = ({ kind, language }: Thing) => kind === 'subject' || (kind === 'filler' && !LOOSE.has(language));
  if (inside.some(parts)) return Number.POSITIVE_INFINITY;
  return inside.reduce((gap, { from, to }) => gap - (to - from), other.from - one.to);
}

export function isScene(name: string): boolean {
  return /^[a-z]\./.test(name);
}

export function plainName(name: string): string {
  return isScene(name) ? name.slice(2) : name;
}
