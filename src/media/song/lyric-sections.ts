/** The parts that a song can have; `first` and `last` are single bars that begin and end it. */
export type SectionKind = 'first' | 'intro' | 'verse' | 'pre-chorus' | 'chorus' | 'bridge' | 'outro' | 'last';

/** One syllable as it is hummed: how it begins and what it rests on. */
export interface Syllable {
  onset: 'none' | 'nasal' | 'soft' | 'sharp';
  vowel: 'a' | 'e' | 'i' | 'o' | 'u';
}

export interface LyricSection {
  kind: SectionKind;
  /** A list of syllables for each line; no lines where nothing is sung. */
  lines: Syllable[][];
  /** The same lines as they were written. */
  texts: string[];
}

const KINDS: [RegExp, SectionKind][] = [
  [/^pre.?chorus/, 'pre-chorus'],
  [/^(intro|opening)/, 'intro'],
  [/^(chorus|refrain|hook|drop)/, 'chorus'],
  [/^(bridge|break|solo|interlude|instrumental)/, 'bridge'],
  [/^(outro|end|coda|fade)/, 'outro'],
];
const MOST_SYLLABLES = 24;

/** Cuts lyrics at their section tags (rule R187); untagged lines are a verse. */
export function readSections(lyrics: string): LyricSection[] {
  const sections: LyricSection[] = [];
  for (const line of lyrics.split(/\r?\n/)) {
    const tag = tagOf(line);
    if (tag !== undefined) sections.push({ kind: kindOf(tag), lines: [], texts: [] });
    const syllables = tag === undefined ? readSyllables(line) : [];
    if (syllables.length === 0) continue;
    if (sections.length === 0) sections.push({ kind: 'verse', lines: [], texts: [] });
    sections.at(-1)?.lines.push(syllables);
    sections.at(-1)?.texts.push(line.trim());
  }
  return sections;
}

/** What stands in the brackets of a line that holds nothing else. */
function tagOf(line: string): string | undefined {
  const bare = line.trim();
  if (!bare.startsWith('[') || bare.indexOf(']') !== bare.length - 1) return undefined;
  return bare.length > 2 ? bare.slice(1, -1).trim() : undefined;
}

function kindOf(tag: string): SectionKind {
  const name = tag.toLowerCase();
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'verse';
}

const VOWEL = 'aeiouyаеиоуыэюяαεηιουω';
const SILENT_E = /(?<=[aeiou][b-df-hj-np-tv-z])e(?=\P{L}|$)/gu;
const SMALL = /\p{Ll}/u;
const VOWELLESS = /\p{Lo}/u;

/** Groups of vowels are syllables; a script without vowels counts a syllable a character. */
export function readSyllables(line: string): Syllable[] {
  const bare = line.normalize('NFD').replace(/\p{M}/gu, '');
  const plain = bare.toLowerCase().replace(SILENT_E, '');
  const syllables = countSyllables(plain);
  const wordless = syllables.length === 0 && /\p{L}|\p{N}/u.test(plain);
  return wordless ? [{ onset: 'nasal', vowel: 'u' }] : syllables;
}

/** The first ones; what a syllable begins with is the first of the consonants before it. */
function countSyllables(text: string): Syllable[] {
  const syllables: Syllable[] = [];
  let onset = '';
  let isVowel = false;
  for (const letter of text) {
    if (syllables.length === MOST_SYLLABLES) break;
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
  const [first = ''] = core;
  const known = VOWELS.find(([letters]) => letters.includes(first));
  return known?.[1] ?? VOWELS[(core.codePointAt(0) ?? 0) % VOWELS.length]?.[1] ?? 'a';
}
