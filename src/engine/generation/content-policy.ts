import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';

export interface BlockedWord {
  word: string;
  reason: string;
}

type WordList = Record<string, { reason: string; words: string[] }>;

interface Phrase extends BlockedWord {
  folded: string[];
}

export class ContentPolicy {
  #phrases: Map<string, Phrase[]> | undefined;

  /**
   * Finds a blocked word or phrase. Matches whole words and their plain plurals. Case, diacritics, punctuation and line
   * breaks do not matter. Takes linear time.
   */
  findBlocked(text: string): BlockedWord | undefined {
    this.#phrases ??= loadPhrases();
    const recent: string[] = [];
    for (const word of foldedWords(text)) {
      recent.push(word);
      if (recent.length > MAX_PHRASE) recent.shift();
      const candidates = spellings(word).flatMap((last) => this.#phrases?.get(last) ?? []);
      const phrase = candidates.find((one) => endsWith(recent, one.folded));
      if (phrase) return { word: phrase.word, reason: phrase.reason };
    }
    return undefined;
  }
}

const MAX_PHRASE = 5;

function loadPhrases(): Map<string, Phrase[]> {
  const list: WordList = JSON.parse(readFileSync(path.join(packageDataFolder(), 'policy/blocked-words.json'), 'utf8'));
  const phrases = Object.values(list).flatMap(({ reason, words }) =>
    words.map((word): Phrase => ({ word, reason, folded: [...foldedWords(word)] })),
  );
  const byLastWord = new Map<string, Phrase[]>();
  for (const phrase of phrases) {
    const last = phrase.folded.at(-1) ?? '';
    byLastWord.set(last, [...(byLastWord.get(last) ?? []), phrase]);
  }
  return byLastWord;
}

function endsWith(recent: readonly string[], folded: readonly string[]): boolean {
  const start = recent.length - folded.length;
  return start >= 0 && folded.every((word, index) => spellings(recent[start + index] ?? '').includes(word));
}

/**
 * The word and its possible singulars. A listed word matches its regular plural, and `child` matches `children`. A
 * listed plural does not match its singular.
 */
function spellings(word: string): string[] {
  if (word === 'children') return [word, 'child'];
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss')) return [word];
  const singulars = [word.slice(0, -1)];
  if (word.endsWith('es')) singulars.push(word.slice(0, -2));
  if (word.endsWith('ies')) singulars.push(`${word.slice(0, -3)}y`);
  return [word, ...singulars];
}

function* foldedWords(text: string): Generator<string> {
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const inWord = isWordCode(text.charCodeAt(at));
    if (inWord && start === -1) start = at;
    if (inWord || start === -1) continue;
    yield fold(text.slice(start, at));
    start = -1;
  }
}

function isWordCode(code: number): boolean {
  if (code < 0x80) {
    const lower = code | 0x20;
    return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39);
  }
  if (code < 0xc0) return false;
  return code < 0x2000 || (code > 0x206f && (code < 0x3000 || code > 0x303f));
}

function fold(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
