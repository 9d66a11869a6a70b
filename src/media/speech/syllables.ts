export interface Syllable {
  onset: 'none' | 'nasal' | 'soft' | 'sharp';
  vowel: 'a' | 'e' | 'i' | 'o' | 'u';
}

const VOWEL = 'aeiouyаеиоуыэюяαεηιουω';
const SILENT_E = /(?<=[aeiou][b-df-hj-np-tv-z])e(?=\P{L}|$)/gu;
const SMALL = /\p{Ll}/u;
const VOWELLESS = /\p{Lo}/u;

/** A group of vowels is one syllable. In a script without vowels, each character is one. */
export function splitSyllables(line: string): Syllable[] {
  const bare = line.normalize('NFD').replace(/\p{M}/gu, '');
  const plain = bare.toLowerCase().replace(SILENT_E, '');
  const syllables = countSyllables(plain);
  const wordless = syllables.length === 0 && /\p{L}|\p{N}/u.test(plain);
  return wordless ? [{ onset: 'nasal', vowel: 'u' }] : syllables;
}

function countSyllables(text: string): Syllable[] {
  const syllables: Syllable[] = [];
  let onset = '';
  let isVowel = false;
  for (const letter of text) {
    const wasVowel = isVowel;
    isVowel = VOWEL.includes(letter);
    const isCore = isVowel ? !wasVowel : VOWELLESS.test(letter);
    if (isCore) syllables.push({ onset: onsetOf(onset), vowel: vowelOf(letter) });
    const isConsonant = !isVowel && !isCore && SMALL.test(letter);
    onset = isConsonant ? onset || letter : '';
  }
  return syllables;
}

function onsetOf(first: string): Syllable['onset'] {
  if (first === '') return 'none';
  if ('mnñмнμν'.includes(first)) return 'nasal';
  return 'sztfхсшщчцтфkxcpкпσξψθχτκπ'.includes(first) ? 'sharp' : 'soft';
}

const VOWELS: [string, Syllable['vowel']][] = [
  ['aаяα', 'a'],
  ['eеэεη', 'e'],
  ['iyиыι', 'i'],
  ['oоω', 'o'],
  ['uуюυ', 'u'],
];

function vowelOf(core: string): Syllable['vowel'] {
  const known = VOWELS.find(([letters]) => letters.includes(core));
  return known?.[1] ?? VOWELS[(core.codePointAt(0) ?? 0) % VOWELS.length]?.[1] ?? 'a';
}
