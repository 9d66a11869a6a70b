import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';

/** One language of `fixtures/lexicon/endings.json`, in patterns. */
interface Endings {
  /** The longest that fits is cut off. */
  endings: string;
  /** Letters that remain at least. */
  least: number;
  /** Letters that change when a word is inflected, what they count as, and the flags of the pattern. */
  alike?: [pattern: string, letter: string, flags: string][];
  /** What may stand before a word without a blank. */
  prefixes?: string;
  /** Endings that say that there are several. */
  several?: string;
}

let read: Record<string, Endings> | undefined;
const patterns = new Map<string, RegExp>();

function endingsOf(language: string): Endings | undefined {
  read ??= JSON.parse(readFileSync(join(fixtureFolder(), 'lexicon/endings.json'), 'utf8')) as Record<string, Endings>;
  return read[language];
}

function pattern(source: string, flags = 'u'): RegExp {
  const name = `${flags} ${source}`;
  const known = patterns.get(name) ?? new RegExp(source, flags);
  patterns.set(name, known);
  return known;
}

/** The part of a word that stays when it is inflected: roughly, and alike for what is looked up and what it is looked up among. */
export function stemOf(word: string, language: string): string | undefined {
  const known = endingsOf(language);
  if (!known) return undefined;
  let stem = word;
  for (const [sign, letter, flags] of known.alike ?? []) stem = stem.replace(pattern(sign, flags), letter);
  const cut = stem.replace(pattern(known.endings), '');
  return cut.length >= known.least ? cut : stem;
}

/** A word as it is written, and without what is written before it as one word. */
export function formsOf(word: string, language: string): string[] {
  const { prefixes } = endingsOf(language) ?? {};
  return prefixes && pattern(prefixes).test(word) ? [word, word.replace(pattern(prefixes), '')] : [word];
}

/** Whether a word says by its form that there are several. */
export function saysSeveral(word: string, language: string): boolean {
  const { several } = endingsOf(language) ?? {};
  return several !== undefined && pattern(several).test(word);
}
