/** A stretch of text that is spoken in one breath, and the mark that ends it. */
export interface SpokenPhrase {
  /** The sounds of each word, by their letters in the table of phones. */
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
const BREATH = /([.?!,;:…。？！、，；\n–—-]+)\s*|$/u;

function pair(letters: string, sounds: string): Record<string, string> {
  return Object.fromEntries([...letters].map((letter, i) => [letter, sounds[i] ?? '']));
}

/** Breaks a text into phrases at its punctuation and its words into sounds; any script is spoken somehow. */
export function pronounce(text: string): SpokenPhrase[] {
  const parts = text.split(new RegExp(BREATH, 'u'));
  const phrases: SpokenPhrase[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const words = (parts[i] ?? '').split(/\s+/).map(soundsOf).filter(Boolean);
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

function soundsOf(word: string): string {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
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
