import type { Word } from './word-scan.ts';

/** Longer ones are cut before their next word. In UTF-16 units. */
const LONGEST_WORD = 24;
const MOST_WORDS = 3;
/** Determiners that are as often pronouns: a verb after them is a verb. */
const PRONOUN_LIKE = new Set(['this', 'that', 'these', 'those', 'her', 'his']);
const PRONOUNS = new Set(['i', 'you', 'he', 'she', 'it', 'we', 'they', 'who', 'to', "i'll", "you'll", "let's", 'not']);
const POINTERS = new Set(['about', 'of', 'called', 'named']);

interface Candidate {
  words: Word[];
  determiner: Word | undefined;
  score: number;
}

/** What a text is about. */
export interface Topic {
  /** As it was said: `my old map`. */
  said: string;
  /** Seen from the other side: `your old map`. */
  turned: string;
  /** What it belongs to, as the lexicon has it: `travel`. */
  domain: string | undefined;
}

/**
 * The likeliest noun phrase of a text, at most three words and their determiner.
 * `ignored` are words that are no topic, in lower case;
 * what stands from the word `focus` on counts for more.
 */
export function findTopic(
  words: readonly Word[],
  ignored: ReadonlySet<string>,
  focus = words.length,
): Topic | undefined {
  let best: Candidate | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const candidate = candidateAt(words, at, ignored);
    if (!candidate) continue;
    candidate.score += (at >= focus ? 2 : 0) - at * 0.02;
    if (!best || candidate.score > best.score) best = candidate;
    at += candidate.words.length - (candidate.determiner ? 0 : 1);
  }
  return best && topicOf(best);
}

function candidateAt(words: readonly Word[], at: number, ignored: ReadonlySet<string>): Candidate | undefined {
  const word = words[at];
  if (!word) return undefined;
  const before = word.first ? undefined : words[at - 1];
  const determiner = word.entry?.determiner === undefined ? undefined : word;
  const start = determiner ? at + 1 : at;
  const run = nounRun(words, start, ignored, determiner !== undefined);
  if (run.length === 0 || !isNamed(run, word, before)) return undefined;
  return { words: run, determiner, score: score(run, word, before) };
}

/** The words from `start` that can stand together in a noun phrase; empty when none is a noun. */
function nounRun(words: readonly Word[], start: number, ignored: ReadonlySet<string>, determined: boolean): Word[] {
  const run: Word[] = [];
  for (let at = start; at < start + MOST_WORDS; at += 1) {
    const word = words[at];
    if (!word) break;
    const inside = determined || run.length > 0;
    if ((inside && word.first) || !canFollow(word, inside)) break;
    // What only describes an ignored word is no topic either: the love in "love song".
    if (ignored.has(word.lower)) return [];
    const next = words[at + 1];
    if (run.length > 0 && word.entry?.verb && next && !next.first) break;
    run.push(word);
  }
  while (run.length > 0 && !isHead(run.at(-1))) run.pop();
  return run;
}

/** Adjectives count as stop words only where nothing has begun. */
function canFollow({ lower, entry }: Word, inside: boolean): boolean {
  if (lower.length > LONGEST_WORD) return false;
  return !entry?.stop || (entry.adjective && inside);
}

function isHead(word: Word | undefined): boolean {
  if (!word) return false;
  return isNumber(word) ? !word.first : !word.entry?.stop && !word.lower.endsWith('ly');
}

/** Whether the run names a thing rather than telling what somebody does or feels. */
function isNamed(run: readonly Word[], opener: Word, before: Word | undefined): boolean {
  const head = run.at(-1);
  const first = run[0];
  if (!head || !first || isNumber(first)) return false;
  const determined = opener !== first;
  if (determined) return !(PRONOUN_LIKE.has(opener.lower) && first.entry?.verb);
  // After a comma, a bare noun calls somebody rather than naming a thing.
  if (first.first && !first.opens) return false;
  if (first.entry?.verb || first.entry?.auxiliary || first.entry?.foreign) return false;
  if (first.entry?.mood !== undefined && first.entry.domain === undefined) return false;
  if (first.entry?.intent !== undefined) return false;
  if (before && PRONOUNS.has(before.lower)) return false;
  return !(/(?:ed|ing)$/.test(first.lower) && first.entry?.domain === undefined);
}

/** `message 17` keeps its number; a number alone is no topic. */
function isNumber({ lower }: Word): boolean {
  const code = lower.charCodeAt(0);
  return code >= 0x30 && code <= 0x39;
}

function score(run: readonly Word[], opener: Word, before: Word | undefined): number {
  const head = run.at(-1);
  let points = opener === run[0] ? 0 : 3;
  if (opener.entry?.determiner === 'your' || opener.entry?.determiner === 'my') points += 2;
  if (before && POINTERS.has(before.lower)) points += 2;
  if (head?.entry?.domain !== undefined) points += 2;
  if (head?.capital && !head.opens) points += 2;
  if (head && head.lower.length > 4) points += 1;
  return points;
}

function topicOf({ words, determiner }: Candidate): Topic {
  const noun = words.map((word) => (isProper(word) ? word.raw : word.lower)).join(' ');
  const head = words.at(-1)?.entry ?? words[0]?.entry;
  return {
    said: determiner ? `${determiner.lower} ${noun}` : noun,
    turned: determiner ? `${determiner.entry?.determiner} ${noun}` : noun,
    domain: head?.domain ?? words[0]?.entry?.domain,
  };
}

/** A capital inside a sentence makes a name; a shouted word is not one. */
function isProper(word: Word): boolean {
  if (!word.capital || word.opens) return false;
  return word.raw.length < 4 || word.raw !== word.raw.toUpperCase();
}
