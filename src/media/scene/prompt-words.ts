export type Script = 'latin' | 'cyrillic' | 'greek' | 'arabic' | 'hebrew' | 'devanagari' | 'thai' | 'hangul' | 'han';

/** A word, or what is written without blanks in a script that has none between words. */
export interface PromptWord {
  /** In lower case. */
  text: string;
  script: Script;
  /** Words and, without blanks, letters before it; a mark such as a comma counts as many. */
  at: number;
}

/** A comma, or the end of a sentence, is further than any two words that belong together. */
const MARK = 8;

/** First and last code of the letters of each script. */
const RANGES: readonly (readonly [Script, number, number])[] = [
  ['latin', 0x41, 0x5a],
  ['latin', 0x61, 0x7a],
  ['latin', 0xc0, 0x24f],
  ['latin', 0x300, 0x36f],
  ['latin', 0x1e00, 0x1eff],
  ['greek', 0x370, 0x3ff],
  ['greek', 0x1f00, 0x1fff],
  ['cyrillic', 0x400, 0x52f],
  ['hebrew', 0x591, 0x5f4],
  ['arabic', 0x620, 0x6ff],
  ['devanagari', 0x900, 0x963],
  ['thai', 0xe01, 0xe4e],
  ['hangul', 0xac00, 0xd7a3],
  ['han', 0x3005, 0x3007],
  ['han', 0x3041, 0x30ff],
  ['han', 0x3400, 0x4dbf],
  ['han', 0x4e00, 0x9fff],
];
const UNSPACED = new Set<Script>(['han', 'thai']);
const APOSTROPHES = new Set(["'", '’']);

/** Whether words of a script follow each other without blanks. */
export function isUnspaced(script: Script): boolean {
  return UNSPACED.has(script);
}

/** The words of a text in their order; digits count as words of the script before them. */
export function wordsOf(text: string): PromptWord[] {
  const words: PromptWord[] = [];
  let place = 0;
  let open: PromptWord | undefined;
  for (const letter of lowered(text)) {
    const script = scriptOf(letter, open, words.at(-1)?.script);
    if (script === undefined) {
      if (open) place += lengthOf(open);
      open = undefined;
      if (!/\s/u.test(letter)) place += MARK;
      continue;
    }
    if (open?.script === script) {
      open.text += letter;
      continue;
    }
    if (open) place += lengthOf(open);
    open = { text: letter, script, at: place };
    words.push(open);
  }
  return words;
}

/** How many places a word takes. */
export function lengthOf({ text, script }: PromptWord): number {
  return isUnspaced(script) ? text.length : 1;
}

/** A dotted i of Turkish is written as two letters by some. */
function lowered(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i');
}

function scriptOf(letter: string, open: PromptWord | undefined, before: Script | undefined): Script | undefined {
  const code = letter.codePointAt(0) ?? 0;
  if (code >= 0x30 && code <= 0x39) return open?.script ?? before ?? 'latin';
  if (open && (APOSTROPHES.has(letter) || letter === '-')) return isUnspaced(open.script) ? undefined : open.script;
  const range = RANGES.find(([, first, last]) => code >= first && code <= last);
  // The cross and the division sign stand among letters.
  return code === 0xd7 || code === 0xf7 ? undefined : range?.[0];
}
