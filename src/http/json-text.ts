import { EmulatorError } from '../errors.ts';

/** The position of a string in a body, without its quotes. */
export interface Text {
  start: number;
  end: number;
}

/** In bytes, but for `steps`. */
export const LIMITS = {
  /** What is read in one turn of the event loop: bytes, and values, names, marks and quotes. */
  slice: 524_288,
  steps: 20_000,
  /** What is checked for UTF-8 in one turn. */
  checked: 4_194_304,
  /** Strings longer than this are read in turns of their own. */
  long: 65_536,
  /** Enough to identify the type of a picture. */
  head: 1_024,
  /** No real field has a longer name. */
  key: 1_048_576,
  /** No real number has more characters. */
  plain: 1_024,
};

export const QUOTE = 0x22;

export const BACKSLASH = 0x5c;

/** A string up to this length is checked byte by byte. */
const SHORT = 32;

/** The state of the search for a string's end. */
export interface TextSearch {
  /** The closing quote, or where to go on; -1 where there is none. */
  at: number;
  isOver: boolean;
}

/** Searches the string that begins at `start`, from `from` on; stops after a number of quotes. */
export function searchEnd(bytes: Buffer, start: number, from: number): TextSearch {
  let at = bytes.indexOf(QUOTE, from);
  for (let looked = 0; at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (escapesBefore(bytes, at, start) % 2 === 0) return { at, isOver: true };
    looked += 1;
    if (looked > LIMITS.steps) return { at: at + 1, isOver: false };
  }
  return { at, isOver: true };
}

function escapesBefore(bytes: Buffer, at: number, start: number): number {
  let from = at;
  while (from > start && bytes[from - 1] === BACKSLASH) from -= 1;
  return at - from;
}

/** Throws a `SyntaxError` for an escape or a control character that JSON does not have. */
export function readShort(bytes: Buffer, { start, end }: Text): string {
  if (end - start <= SHORT && isPlain(bytes, start, end)) return bytes.toString('latin1', start, end);
  return JSON.parse(`"${bytes.toString('utf8', start, end)}"`) as string;
}

/** Whether these bytes are the text itself, without escapes. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false;
  }
  return true;
}

/** The first byte from `from` on that is no white space, or `until`. */
export function inkAt(bytes: Buffer, from: number, until: number): number {
  let at = from;
  while (at < until && isBlank(bytes[at])) at += 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof EmulatorError && error.code === code;
}

/** Undefined for what is no JSON, such as a form. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
