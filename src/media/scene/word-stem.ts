import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/package-folder.ts';

interface Endings {
  endings: string;
  least: number;
  /** Letters that change in inflected forms: pattern, replacement and flags. */
  alike?: [pattern: string, letter: string, flags: string][];
  prefixes?: string;
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

export function stemOf(word: string, language: string): string | undefined {
  const known = endingsOf(language);
  if (!known) return undefined;
  let stem = word;
  for (const [sign, letter, flags] of known.alike ?? []) stem = stem.replace(pattern(sign, flags), letter);
  const cut = stem.replace(pattern(known.endings), '');
  return cut.length >= known.least ? cut : stem;
}

export function formsOf(word: string, language: string): string[] {
  const { prefixes } = endingsOf(language) ?? {};
  return prefixes && pattern(prefixes).test(word) ? [word, word.replace(pattern(prefixes), '')] : [word];
}

export function saysSeveral(word: string, language: string): boolean {
  const { several } = endingsOf(language) ?? {};
  return several !== undefined && pattern(several).test(word);
}
