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
const LETTERS: readonly (readonly [Script, RegExp])[] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['devanagari', /\p{Script=Devanagari}/u],
  ['thai', /\p{Script=Thai}/u],
  ['hangul', /\p{Script=Hangul}/u],
  ['han', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u],
];

/** Whether words of a script follow each other without blanks. */
export function isUnspaced(script: Script): boolean {
  return script === 'han' || script === 'thai';
}

/** The words of a text in their order; digits count as words of the script before them. */
export function wordsOf(text: string): PromptWord[] {
  const words: PromptWord[] = [];
  let place = 0;
  let open: PromptWord | undefined;
  // A dotted i of Turkish is written as two letters by some.
  for (const letter of text.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i')) {
    const script = scriptOf(letter, open, words.at(-1)?.script);
    if (open && open.script !== script) {
      place += lengthOf(open);
      open = undefined;
    }
    if (open) open.text += letter;
    if (!script && !/\s/u.test(letter)) place += MARK;
    if (open || !script) continue;
    open = { text: letter, script, at: place };
    words.push(open);
  }
  return words;
}

/** How many places a word takes. */
export function lengthOf({ text, script }: PromptWord): number {
  return isUnspaced(script) ? text.length : 1;
}

function scriptOf(letter: string, open: PromptWord | undefined, before: Script | undefined): Script | undefined {
  if (/[0-9]/.test(letter)) return open?.script ?? before ?? 'latin';
  if (open && /['’\p{M}-]/u.test(letter))
    return isUnspaced(open.script) && !/\p{M}/u.test(letter) ? undefined : open.script;
  return LETTERS.find(([, letters]) => letters.test(letter))?.[0];
}
