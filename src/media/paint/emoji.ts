/** The characters that are emoji. They are listed, because versions of Unicode differ. Signs such as `©` are left out. */
const SIGN = String.raw`[\u231a-\u23ff\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3297\u3299\u{1f000}-\u{1f1e5}\u{1f200}-\u{1faff}]`;
/** Characters that change an emoji: the choice of a presentation, a tone of skin, the end of a keycap, and tags. */
const MARK = String.raw`[\ufe0e\ufe0f\u20e3\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]`;
const LETTER = String.raw`[\u{1f1e6}-\u{1f1ff}]`;
const EMOJI = `${LETTER}${LETTER}|${SIGN}${MARK}*(?:\\u200d${SIGN}${MARK}*)*`;
const MARKS = new RegExp(MARK, 'gu');
const JOINER = '\u200d';
const FIRST_LETTER = 0x1f1e6;

const PARTS = new RegExp(`(${EMOJI})|[\\s\\S]`, 'gu');
const ANY_EMOJI = new RegExp(`${LETTER}|${SIGN}`, 'u');

export interface TextPart {
  text: string;
  /** The codes of an emoji without marks, in lower-case hex and joined by hyphens. Undefined for other characters. */
  emoji: string | undefined;
}

export function* splitCharactersAndEmoji(text: string): Generator<TextPart> {
  // Most texts have no emoji. Without the regular expression `PARTS`, they are split ten times as fast.
  if (!ANY_EMOJI.test(text)) {
    for (const letter of text) yield { text: letter, emoji: undefined };
    return;
  }
  for (const [part, emoji] of text.matchAll(PARTS)) yield { text: part, emoji: emoji && emojiCode(emoji) };
}

function emojiCode(emoji: string): string {
  return [...emoji.replace(MARKS, '')].map((letter) => letter.codePointAt(0)?.toString(16)).join('-');
}

export function emojiCodeCandidates(code: string): string[] {
  const joiner = `-${JOINER.codePointAt(0)?.toString(16)}-`;
  return [code, ...(code.includes(joiner) ? code.split(joiner) : [])];
}

export function flagLetters(code: string): string | undefined {
  const letters = code.split('-').map((part) => Number.parseInt(part, 16) - FIRST_LETTER);
  if (letters.some((letter) => letter < 0 || letter > 25)) return undefined;
  return letters.map((letter) => String.fromCharCode(65 + letter)).join('');
}
