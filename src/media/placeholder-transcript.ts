import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../base/package/package-folder.ts';
import { hashText, SeededRandom } from './paint/seeded-random.ts';

/** The languages in which unknown audio can be "heard", by ISO 639-1 code; the first is the one without a hint. */
export const HEARD_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const;

export type HeardLanguage = (typeof HEARD_LANGUAGES)[number];

/** Any opening goes with any core and any ending: each choice makes a right sentence of the language. */
interface WordBank {
  openings: string[];
  cores: string[];
  endings: string[];
}

const WORDS_PER_SECOND = 2.5;
/** A text of more would be no answer but a burden; it stands for over two hours of speech. */
const MOST_WORDS = 20_000;
const SHARE_WITH_OPENING = 0.4;
const SHARE_WITH_ENDING = 0.7;

/** The language that a hint such as `de`, `de-AT` or `DE` asks for; undefined where there is no bank for it. */
export function heardLanguage(hint: string): HeardLanguage | undefined {
  const code = hint.trim().toLowerCase().split(/[-_]/)[0];
  return HEARD_LANGUAGES.find((language) => language === code);
}

/**
 * The text that is heard in audio which carries none (rule I069): about two and a half words a second,
 * the same for the same `sha256` (hex, of the file's bytes), length and language.
 */
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
