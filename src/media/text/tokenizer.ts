/**
 * The emulator's own tokenizer. From left to right, a token is the first match of:
 * 1. a word: at most one space, and up to eight letters (ASCII, or U+00C0 to U+1FFF) or apostrophes;
 * 2. a number: at most one space, and up to three ASCII digits;
 * 3. up to sixteen of the same white-space character, without a last space that begins a word or a number;
 * 4. any other code point (punctuation, an ideograph, an emoji, a lone surrogate).
 * English has about one token per word, and every character belongs to exactly one token.
 */

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
const BLANK = 3;

const MAX_WORD = 8;
const MAX_NUMBER = 3;
const MAX_RUN = 16;
const SPACE = 0x20;

const classes = new Uint8Array(0x2000);
classes.fill(LETTER, 0xc0).fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b).fill(LETTER, 0x27, 0x28);
classes
  .fill(DIGIT, 0x30, 0x3a)
  .fill(BLANK, SPACE, SPACE + 1)
  .fill(BLANK, 0x09, 0x0e);

export function countTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; at = tokenEnd(text, at)) tokens += 1;
  return tokens;
}

export class ResumableTokenCounter {
  tokens = 0;
  readonly #texts: readonly string[];
  #text = 0;
  #at = 0;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  get isDone(): boolean {
    return this.#text >= this.#texts.length;
  }

  advance(units: number): void {
    for (let left = units; left > 0 && !this.isDone; ) {
      const text = this.#texts[this.#text] ?? '';
      const from = this.#at;
      const until = Math.min(text.length, from + left);
      while (this.#at < until) {
        this.#at = tokenEnd(text, this.#at);
        this.tokens += 1;
      }
      left -= this.#at - from + 1;
      if (this.#at < text.length) continue;
      this.#text += 1;
      this.#at = 0;
    }
  }
}

export function truncateToTokens(text: string, max: number): { text: string; tokens: number; cut: boolean } {
  let tokens = 0;
  let at = 0;
  while (at < text.length && tokens < max) {
    at = tokenEnd(text, at);
    tokens += 1;
  }
  const cut = at < text.length;
  return { text: cut ? text.slice(0, at) : text, tokens, cut };
}

/** A stream sends one token per chunk, unless its pieces are scripted [I037]. */
export function splitTokens(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function tokenEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  const kind = classOf(first);
  if (first === SPACE) {
    const next = classOf(text.charCodeAt(start + 1));
    if (next === LETTER || next === DIGIT) return runEnd(text, start + 1, next);
  }
  if (kind === LETTER || kind === DIGIT) return runEnd(text, start, kind);
  if (kind === BLANK) return blankEnd(text, start, first);
  return start + (isPair(text, start, first) ? 2 : 1);
}

function runEnd(text: string, start: number, kind: number): number {
  const limit = Math.min(text.length, start + (kind === LETTER ? MAX_WORD : MAX_NUMBER));
  let end = start + 1;
  while (end < limit && classOf(text.charCodeAt(end)) === kind) end += 1;
  return end;
}

function blankEnd(text: string, start: number, code: number): number {
  const limit = Math.min(text.length, start + MAX_RUN);
  let end = start + 1;
  while (end < limit && text.charCodeAt(end) === code) end += 1;
  if (code !== SPACE || end - start < 2) return end;
  const next = classOf(text.charCodeAt(end));
  return next === LETTER || next === DIGIT ? end - 1 : end;
}

function isPair(text: string, at: number, code: number): boolean {
  if ((code & 0xfc00) !== 0xd800) return false;
  return (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

function classOf(code: number): number {
  return code < 0x2000 ? (classes[code] ?? OTHER) : OTHER;
}
