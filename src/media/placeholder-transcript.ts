import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../base/package/package-folder.ts';
import { hashText, SeededRandom } from './paint/seeded-random.ts';

/** ISO 639-1 codes. The first one applies without a hint. */
export const HEARD_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const;

export type HeardLanguage = (typeof HEARD_LANGUAGES)[number];

/** Every combination of opening, core and ending is a correct sentence. */
interface WordBank {
  openings: string[];
  cores: string[];
  endings: string[];
}

const WORDS_PER_SECOND = 2.5;
const MOST_WORDS = 20_000;
const SHARE_WITH_OPENING = 0.4;
const SHARE_WITH_ENDING = 0.7;

/** Accepts hints such as `de`, `de-AT` or `DE`. Returns undefined for other languages. */
export function heardLanguage(hint: string): HeardLanguage | undefined {
  const code = hint.trim().toLowerCase().split(/[-_]/)[0];
  return HEARD_LANGUAGES.find((language) => language === code);
}

/** The text for audio that carries none [I069]: about two and a half words per second. */
export function heardText(sha256: string, seconds: number, language: HeardLanguage = 'en'): string {
  const words = Math.min(MOST_WORDS, Math.max(1, Math.round(seconds * WORDS_PER_SECOND)));
  const bank = readBank(language);
  const dice = new SeededRandom(hashText(`${sha256} ${language}`));
  const sentences: string[] = [];
  for (let left = words; left > 0; ) {
    const sentence = composeSentence(bank, dice).split(' ').slice(0, left);
    left -= sentence.length;
    sentences.push(finish(sentence.join(' ')));
  }
  return sentences.join(' ');
}

function composeSentence(bank: WordBank, dice: SeededRandom): string {
  const opening = dice.chance(SHARE_WITH_OPENING) ? `${dice.pick(bank.openings)} ` : '';
  const core = dice.pick(bank.cores);
  const ending = dice.chance(SHARE_WITH_ENDING) ? ` ${dice.pick(bank.endings)}` : '';
  return `${opening}${core}${ending}`;
}

function finish(sentence: string): string {
  const [first = ''] = sentence;
  return `${first.toUpperCase()}${sentence.slice(first.length).replace(/[,;:]$/, '')}.`;
}

function readBank(language: HeardLanguage): WordBank {
  const file = path.join(fixtureFolder(), 'heard', `${language}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as WordBank;
}
