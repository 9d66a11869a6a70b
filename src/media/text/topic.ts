import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';

export interface TextWord {
  raw: string;
  lower: string;
  first: boolean;
  opens: boolean;
}

interface WordFile {
  stop: string;
  adjectives: string;
  verbs: string;
  bare: string;
  foreign: string;
  determiners: Record<string, string>;
}

let read: { lists: Map<string, ReadonlySet<string>>; determiners: Map<string, string> } | undefined;

function wordLists() {
  if (read) return read;
  const text = readFileSync(path.join(packageDataFolder(), 'chat/words.json'), 'utf8');
  const { determiners, ...lists } = JSON.parse(text) as WordFile;
  const sets = Object.entries(lists).map(([name, words]) => [name, new Set(words.split(' '))] as const);
  read = { lists: new Map(sets), determiners: new Map(Object.entries(determiners)) };
  return read;
}

function isOf(list: Exclude<keyof WordFile, 'determiners'>, word: string): boolean {
  return wordLists().lists.get(list)?.has(word) === true;
}

const UNITS_READ_AT_EACH_END = 2048;
const WORDS = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*|[^\s\p{L}\p{M}\p{N}]/gu;

export function scanTextWords(text: string): TextWord[] {
  const read =
    text.length > 2 * UNITS_READ_AT_EACH_END
      ? `${text.slice(0, UNITS_READ_AT_EACH_END)} ${text.slice(-UNITS_READ_AT_EACH_END)}`
      : text;
  const words: TextWord[] = [];
  let [first, opens] = [true, true];
  for (const [found] of read.matchAll(WORDS)) {
    if (!/^[\p{L}\p{N}]/u.test(found)) {
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

interface Topic {
  said: string;
  turned: string;
}

const MAX_WORD = 24;
const MAX_WORDS = 3;
const PRONOUN_LIKE = new Set(['this', 'that', 'these', 'those', 'her', 'his']);
const PRONOUNS = new Set(['i', 'you', 'he', 'she', 'it', 'we', 'they', 'who', 'to', "i'll", "you'll", "let's", 'not']);
const POINTERS = new Set(['about', 'of', 'called', 'named']);

export function findTopic(words: readonly TextWord[], ignored: ReadonlySet<string>): Topic | undefined {
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

function candidateAt(words: readonly TextWord[], at: number, ignored: ReadonlySet<string>): Candidate | undefined {
  const word = words[at] as TextWord;
  const turned = wordLists().determiners.get(word.lower);
  const run = nounRun(words, turned === undefined ? at : at + 1, { ignored, determined: turned !== undefined });
  const before = word.first ? '' : (words[at - 1]?.lower ?? '');
  if (run.length === 0 || !isNamed(run, { word, turned, before })) return undefined;
  const head = run.at(-1) as TextWord;
  const owned = turned === undefined ? 0 : turned === 'your' || turned === 'my' ? 5 : 3;
  const marked = Number(POINTERS.has(before)) * 2 + Number(isProper(head)) * 2 + Number(head.lower.length > 4);
  const noun = run.map((each) => (isProper(each) ? each.raw : each.lower)).join(' ');
  const found = { score: owned + marked - at * 0.02, taken: run.length + Number(turned !== undefined) };
  if (turned === undefined) return { ...found, said: noun, turned: noun };
  return { ...found, said: `${word.lower} ${noun}`, turned: `${turned} ${noun}` };
}

function nounRun(
  words: readonly TextWord[],
  start: number,
  { ignored, determined }: { ignored: ReadonlySet<string>; determined: boolean },
): TextWord[] {
  const run: TextWord[] = [];
  for (const [place, word] of words.slice(start, start + MAX_WORDS).entries()) {
    if (!canFollow(word, determined || place > 0)) break;
    // Ignores a word that describes an ignored one, such as `love` in `love song`.
    if (ignored.has(word.lower)) return [];
    const next = words[start + place + 1];
    if (place > 0 && isOf('verbs', word.lower) && next && !next.first) break;
    run.push(word);
  }
  while (run.length > 0 && !isHead(run.at(-1) as TextWord)) run.pop();
  return run;
}

function canFollow({ lower, first }: TextWord, inside: boolean): boolean {
  if (lower.length > MAX_WORD || (inside && first)) return false;
  return !isOf('stop', lower) || (inside && isOf('adjectives', lower));
}

function isHead({ lower, first }: TextWord): boolean {
  if (/^\d/.test(lower)) return !first;
  return !isOf('stop', lower) && !lower.endsWith('ly');
}

function isNamed(
  run: readonly TextWord[],
  { word, turned, before }: { word: TextWord; turned: string | undefined; before: string },
): boolean {
  const { lower, first, opens } = run[0] as TextWord;
  if (/^\d/.test(lower)) return false;
  const isVerb = isOf('verbs', lower);
  if (turned !== undefined) return !(PRONOUN_LIKE.has(word.lower) && isVerb);
  // `first` without `opens` follows a mark such as a comma: without a determiner, the word usually addresses somebody.
  if ((first && !opens) || isVerb || PRONOUNS.has(before)) return false;
  return !isOf('bare', lower) && !isOf('foreign', lower) && !/(?:ed|ing)$/.test(lower);
}

function isProper({ raw, opens }: TextWord): boolean {
  if (opens || !/^\p{Lu}/u.test(raw)) return false;
  return raw.length < 4 || raw !== raw.toUpperCase();
}

function withoutMarks(word: string): string {
  let end = word.length;
  while (end > 0 && "'’-".includes(word.charAt(end - 1))) end -= 1;
  return word.slice(0, end);
}
