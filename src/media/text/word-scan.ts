import type { Lexicon, WordEntry } from './lexicon.ts';

/** One word of a turn. */
export interface Word {
  /** As it stands in the text. */
  raw: string;
  lower: string;
  entry: WordEntry | undefined;
  /** Whether punctuation or the text's beginning stands before it. */
  first: boolean;
  /** Whether a sentence begins with it. */
  opens: boolean;
  capital: boolean;
}

/** The words of a text and what was seen between them. */
export interface ScannedText {
  words: Word[];
  question: boolean;
  /** Narrated between asterisks. */
  narrated: boolean;
  /** Whether anything but words and spaces was seen. */
  marked: boolean;
  /** Letters outside the Latin script. */
  foreignLetters: number;
}

/** A text longer than twice this is read at both ends only. In UTF-16 units. */
const END = 2048;
const CURLY_APOSTROPHE = 0x2019;
const LAST_LATIN = 0x24f;
const SPACE = 0x20;

/** Splits a text into words in one pass; of a very long text only both ends are read. */
export function scanWords(text: string, lexicon: Lexicon): ScannedText {
  const read = text.length > 2 * END ? `${text.slice(0, END)} ${text.slice(-END)}` : text;
  const scan = new Scan(read, lexicon);
  scan.run();
  return scan;
}

class Scan implements ScannedText {
  words: Word[] = [];
  question = false;
  narrated = false;
  marked = false;
  foreignLetters = 0;
  readonly #text: string;
  readonly #lexicon: Lexicon;
  #first = true;
  #opens = true;

  constructor(text: string, lexicon: Lexicon) {
    this.#text = text;
    this.#lexicon = lexicon;
  }

  run(): void {
    const text = this.#text;
    let start = -1;
    for (let at = 0; at <= text.length; at += 1) {
      const code = at < text.length ? text.charCodeAt(at) : SPACE;
      const inWord = isWordCode(code);
      if (inWord && start === -1) start = at;
      if (inWord && code > LAST_LATIN && code !== CURLY_APOSTROPHE) this.foreignLetters += 1;
      if (inWord) continue;
      if (start !== -1) this.#add(bare(text.slice(start, at)));
      start = -1;
      if (code !== SPACE) this.#mark(code);
    }
  }

  #add(raw: string): void {
    if (raw === '') return;
    const code = raw.charCodeAt(0);
    const capital = (code >= 0x41 && code <= 0x5a) || (code >= 0xc0 && code <= 0xde);
    const lower = normal(raw);
    this.words.push({
      raw,
      lower,
      entry: this.#lexicon.get(lower),
      first: this.#first,
      opens: this.#opens,
      capital,
    });
    this.#first = false;
    this.#opens = false;
  }

  #mark(code: number): void {
    this.#first = true;
    this.marked = true;
    if (code === 0x3f || code === 0xff1f) this.question = true;
    if (code === 0x2a) this.narrated = true;
    if (code !== 0x2c && code !== 0x3b) this.#opens = true;
  }
}

/** Letters, digits, apostrophes and hyphens make words; so does every letter beyond ASCII. */
function isWordCode(code: number): boolean {
  if (code < 0x80) {
    const lower = code | 0x20;
    if (lower >= 0x61 && lower <= 0x7a) return true;
    return (code >= 0x30 && code <= 0x39) || code === 0x27 || code === 0x2d;
  }
  if (code === CURLY_APOSTROPHE) return true;
  return code >= 0xc0 && (code < 0x2000 || (code >= 0x3040 && code < 0xd800));
}

function normal(raw: string): string {
  const lower = raw.toLowerCase();
  return lower.includes('\u2019') ? lower.replaceAll('\u2019', "'") : lower;
}

/** Without the quotes and dashes at its ends. */
function bare(raw: string): string {
  let from = 0;
  let to = raw.length;
  while (from < to && isEdge(raw.charCodeAt(from))) from += 1;
  while (to > from && isEdge(raw.charCodeAt(to - 1))) to -= 1;
  return to - from === raw.length ? raw : raw.slice(from, to);
}

function isEdge(code: number): boolean {
  return code === 0x27 || code === 0x2d || code === CURLY_APOSTROPHE;
}
