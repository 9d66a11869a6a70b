import type { PronouncingBook } from './pronouncing-book.ts';
import { spokenText } from './spoken-text.ts';

/** A stretch of text that is spoken in one breath, and the mark that ends it. */
export interface SpokenPhrase {
  /** The sounds of each word, by their letters in the table of phones; `'` stands before a vowel that is stressed, `,` before one that is a little. */
  words: string[];
  /** `.`, `?`, `!`, `,`, `;`, a line's end, or nothing at the text's end. */
  mark: string;
}

const DIGITS = ['siro', 'wan', 'tu', 'tri', 'for', 'faiv', 'siks', 'sevn', 'eit', 'nain'];
/** Spellings whose sound is not that of their letters, tried in this order. */
const SPELLINGS: [RegExp, string][] = [
  [/(?<=[a-z]{2})e$/, ''],
  [/sch|sh|tch|ch/g, 'S'],
  [/tion/g, 'San'],
  [/ph/g, 'f'],
  [/th/g, 'z'],
  [/igh/g, 'ai'],
  [/ck|qu?|c(?![eiy])/g, 'k'],
  [/c/g, 's'],
  [/x/g, 'ks'],
  [/gh/g, ''],
  [/ee|ea|ie/g, 'ii'],
  [/oo|ou/g, 'uu'],
  [/y(?=[aeou])/g, 'j'],
  [/y/g, 'i'],
  [/ß/g, 's'],
  [/æ/g, 'e'],
  [/ø|œ/g, 'o'],
  [/([bdfghklmnprstvz])\1/g, '$1'],
];
const OTHER_ALPHABETS: Record<string, string> = {
  ...pair('абвгдезийклмнопрстуфхыэ', 'abvgdeziiklmnoprstufhie'),
  ...{ ж: 'S', ц: 'ts', ч: 'tS', ш: 'S', щ: 'S', ю: 'ju', я: 'ja', ё: 'jo', ъ: '', ь: '' },
  ...pair('αβγδεζηικλμνοπρσςτυφχω', 'avgdeziiklmnoprsstifho'),
  ...{ θ: 'z', ξ: 'ks', ψ: 'ps' },
};
const SYLLABLE_CONSONANTS = 'kstnhmrlpbdg';
const SYLLABLE_VOWELS = 'aeiou';
const BREATH = /([.?!,;:…。？！、，；\n–—]+|(?<=\s)-+(?=\s))\s*|$/u;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}'’]+/u;
/** Capitals that are named one by one. */
const INITIALS = /^[B-DF-HJ-NP-TV-XZ]{2,5}$|^[A-Z]$/;

function pair(letters: string, sounds: string): Record<string, string> {
  return Object.fromEntries([...letters].map((letter, i) => [letter, sounds[i] ?? '']));
}

/** Breaks a text into phrases at its punctuation and its words into sounds; English by the book, any other language somehow. */
export function pronounce(written: string, english: PronouncingBook): SpokenPhrase[] {
  const text = spokenText(written);
  const soundsOf = isEnglish(text) ? (word: string) => englishSounds(word, english) : spelledSounds;
  const parts = text.split(new RegExp(BREATH, 'u'));
  const phrases: SpokenPhrase[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const words = (parts[i] ?? '').split(BETWEEN_WORDS).map(soundsOf).filter(Boolean);
    const mark = strongestMark(parts[i + 1] ?? '');
    const last = phrases.at(-1);
    if (words.length > 0) phrases.push({ words, mark });
    if (words.length === 0 && last) last.mark = strongestMark(last.mark + mark);
  }
  return phrases;
}

function strongestMark(marks: string): string {
  const plain = marks
    .replace(/[。…]/g, '.')
    .replace(/？/g, '?')
    .replace(/！/g, '!')
    .replace(/[、，]/g, ',');
  return ['?', '!', '.', '\n', ';', ':', ','].find((mark) => plain.includes(mark)) ?? (plain ? ',' : '');
}

/** A word that has other letters than English is spelled. */
function englishSounds(word: string, english: PronouncingBook): string {
  const plain = plainLetters(word.replaceAll('’', "'")).replace(/(?<![a-z])'|'(?![a-z])/g, '');
  if (!/^[a-z']+$/.test(plain)) return spelledSounds(word);
  if (INITIALS.test(word)) return english.named(plain);
  const sounds = english.soundsOf(plain);
  return isUnstressed(plain) ? sounds.replace(/[',]/g, '') : sounds;
}

function plainLetters(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function spelledSounds(word: string): string {
  const plain = plainLetters(word);
  const latin = Array.from(plain, soundOfLetter).join('');
  return SPELLINGS.reduce((sounds, [spelling, sound]) => sounds.replace(spelling, sound), latin);
}

/** A digit is named; a letter of a script without an entry is a syllable that its code point chooses. */
function soundOfLetter(letter: string): string {
  if (/[a-zßæøœ]/.test(letter)) return letter;
  if (/[0-9]/.test(letter)) return DIGITS[Number(letter)] ?? '';
  const known = OTHER_ALPHABETS[letter];
  if (known !== undefined) return known;
  if (!/[\p{L}\p{N}]/u.test(letter)) return '';
  const code = letter.codePointAt(0) ?? 0;
  const consonant = SYLLABLE_CONSONANTS[code % SYLLABLE_CONSONANTS.length] ?? 'n';
  return consonant + (SYLLABLE_VOWELS[(code >>> 4) % SYLLABLE_VOWELS.length] ?? 'a');
}

/** Words that are found in most sentences of a language and in few of English, and those of English. */
const EVERYDAY = {
  english: 'the and of to is are you it that with for this was have not be on at my your we they he she i what',
  others:
    'der die das und ist nicht ich ein eine mit wie auf zu den le la les des et est une dans pour vous je que pas sur el los las es un una con por para como muy il di che non sono per gli nel o os um uma não do da em het een niet van ik jij voor och att det som är inte',
};
const [ENGLISH, OTHERS] = [EVERYDAY.english, EVERYDAY.others].map((words) => new Set(words.split(' ')));
/** So many words tell a language. */
const MOST_WORDS = 400;

/** Whether a text in Latin letters is to be read as English: unless the everyday words of other languages are more in it. */
function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  const read = words.slice(0, MOST_WORDS);
  const count = (known: Set<string> | undefined) => read.filter((word) => known?.has(word)).length;
  const strange = read.filter((word) => /[^a-z]/.test(word)).length;
  return count(ENGLISH) * 2 >= count(OTHERS) + strange;
}

/** Small words that are not stressed. */
const UNSTRESSED = new Set(
  'a an the and or but of to for from in on at by with as is are was were be been am has have had do does did will would can could should shall may might must that than if it its he she we you they them him her his our your their my me us i not so'.split(
    ' ',
  ),
);

function isUnstressed(word: string): boolean {
  return UNSTRESSED.has(word);
}
