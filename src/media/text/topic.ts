import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';

/** One word of a text. Own code, because a reply that takes up what it is asked about is what shows an app that its text arrived. */
export interface Word {
  /** As it stands in the text. */
  raw: string;
  lower: string;
  /** Whether punctuation or the text's beginning stands before it. */
  first: boolean;
  /** Whether a sentence begins with it. */
  opens: boolean;
}

/** `fixtures/chat/words.json`: lists of English words, and everyday words of other languages; read when it is first asked. */
interface WordFile {
  stop: string;
  adjectives: string;
  verbs: string;
  /** Feelings and greetings, which begin no name of a thing. */
  bare: string;
  foreign: string;
  /** Seen from the other side: `my` is `your`. */
  determiners: Record<string, string>;
}

let read: { lists: Map<string, ReadonlySet<string>>; determiners: Map<string, string> } | undefined;

function wordLists() {
  if (read) return read;
  const text = readFileSync(path.join(fixtureFolder(), 'chat/words.json'), 'utf8');
  const { determiners, ...lists } = JSON.parse(text) as WordFile;
  const sets = Object.entries(lists).map(([name, words]) => [name, new Set(words.split(' '))] as const);
  read = { lists: new Map(sets), determiners: new Map(Object.entries(determiners)) };
  return read;
}

function isOf(list: Exclude<keyof WordFile, 'determiners'>, word: string): boolean {
  return wordLists().lists.get(list)?.has(word) === true;
}

/** A text longer than twice this is read at both ends only. In UTF-16 units. */
const END = 2048;
const WORDS = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’-]*|[^\s\p{L}\p{M}\p{N}]/gu;

/** The words of a text; of a very long one only those at both ends. */
export function wordsOf(text: string): Word[] {
  const read = text.length > 2 * END ? `${text.slice(0, END)} ${text.slice(-END)}` : text;
  const words: Word[] = [];
  let [first, opens] = [true, true];
  for (const [found] of read.matchAll(WORDS)) {
    if (!/^[\p{L}\p{M}\p{N}]/u.test(found)) {
      first = true;
      if (!',;\'’"'.includes(found)) opens = true;
      continue;
    }
    const raw = withoutMarks(found);
    words.push({ raw, lower: raw.toLowerCase().replaceAll('’', "'"), first, opens });
    [first, opens] = [false, false];
  }
  return words;
}

/** What a text is about. */
export interface Topic {
  /** As it was said: `my old map`. */
  said: string;
  /** Seen from the other side: `your old map`. */
  turned: string;
}

/** Longer words are no part of a topic. In UTF-16 units. */
const LONGEST_WORD = 24;
const MOST_WORDS = 3;
/** Determiners that are as often pronouns: a verb after them is a verb. */
const PRONOUN_LIKE = new Set(['this', 'that', 'these', 'those', 'her', 'his']);
const PRONOUNS = new Set(['i', 'you', 'he', 'she', 'it', 'we', 'they', 'who', 'to', "i'll", "you'll", "let's", 'not']);
const POINTERS = new Set(['about', 'of', 'called', 'named']);

/** The likeliest noun phrase of a text, at most three words and their determiner. `ignored` are no topic, in lower case. */
export function findTopic(words: readonly Word[], ignored: ReadonlySet<string>): Topic | undefined {
  let best: Candidate | undefined;
  for (let at = 0; at < words.length; at++) {
    const candidate = candidateAt(words, at, ignored);
    if (!candidate) continue;
    if (!best || candidate.score > best.score) best = candidate;
    at += candidate.taken - 1;
  }
  return best;
}

interface Candidate extends Topic {
  score: number;
  taken: number;
}

function candidateAt(words: readonly Word[], at: number, ignored: ReadonlySet<string>): Candidate | undefined {
  const word = words[at] as Word;
  const turned = wordLists().determiners.get(word.lower);
  const run = nounRun(words, turned === undefined ? at : at + 1, { ignored, determined: turned !== undefined });
  const before = word.first ? '' : (words[at - 1]?.lower ?? '');
  if (run.length === 0 || !isNamed(run, { word, turned, before })) return undefined;
  const head = run.at(-1) as Word;
  const owned = turned === undefined ? 0 : turned === 'your' || turned === 'my' ? 5 : 3;
  const marked = Number(POINTERS.has(before)) * 2 + Number(isProper(head)) * 2 + Number(head.lower.length > 4);
  const noun = run.map((each) => (isProper(each) ? each.raw : each.lower)).join(' ');
  const found = { score: owned + marked - at * 0.02, taken: run.length + Number(turned !== undefined) };
  if (turned === undefined) return { ...found, said: noun, turned: noun };
  return { ...found, said: `${word.lower} ${noun}`, turned: `${turned} ${noun}` };
}

/** The words from `start` that can stand together in a noun phrase; empty when none is a noun. */
function nounRun(
  words: readonly Word[],
  start: number,
  { ignored, determined }: { ignored: ReadonlySet<string>; determined: boolean },
): Word[] {
  const run: Word[] = [];
  for (const [place, word] of words.slice(start, start + MOST_WORDS).entries()) {
    if (!canFollow(word, determined || place > 0)) break;
    // What only describes an ignored word is no topic either: the love in "love song".
    if (ignored.has(word.lower)) return [];
    const next = words[start + place + 1];
    if (place > 0 && isOf('verbs', word.lower) && next && !next.first) break;
    run.push(word);
  }
  while (run.length > 0 && !isHead(run.at(-1) as Word)) run.pop();
  return run;
}

/** Adjectives count as stop words only before the topic starts. */
function canFollow({ lower, first }: Word, inside: boolean): boolean {
  if (lower.length > LONGEST_WORD || (inside && first)) return false;
  return !isOf('stop', lower) || (inside && isOf('adjectives', lower));
}

function isHead({ lower, first }: Word): boolean {
  if (/^\d/.test(lower)) return !first;
  return !isOf('stop', lower) && !lower.endsWith('ly');
}

/** Whether the run names a thing rather than saying what somebody does or feels. */
function isNamed(
  run: readonly Word[],
  { word, turned, before }: { word: Word; turned: string | undefined; before: string },
): boolean {
  const { lower, first, opens } = run[0] as Word;
  if (/^\d/.test(lower)) return false;
  const isVerb = isOf('verbs', lower);
  if (turned !== undefined) return !(PRONOUN_LIKE.has(word.lower) && isVerb);
  // After a comma, a bare noun calls somebody rather than naming a thing.
  if ((first && !opens) || isVerb || PRONOUNS.has(before)) return false;
  return !isOf('bare', lower) && !isOf('foreign', lower) && !/(?:ed|ing)$/.test(lower);
}

/** A capital inside a sentence makes a name; a shouted word is not one. */
function isProper({ raw, opens }: Word): boolean {
  if (opens || !/^\p{Lu}/u.test(raw)) return false;
  return raw.length < 4 || raw !== raw.toUpperCase();
}

/** Without apostrophes and hyphens at its end. */
function withoutMarks(word: string): string {
  let end = word.length;
  while (end > 0 && "'’-".includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}
