import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate as breath } from 'node:timers/promises';

/** Strings longer than this, in bytes, are read apart from the rest. */
const LONG = 65_536;
/** So many bytes tell what kind of picture it is. */
const HEAD = 1_024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** A long string's place in the body, quotes aside. */
interface LongString {
  start: number;
  end: number;
}

/** How a body is to be parsed. */
export interface Parsing {
  /** A text that no body holds. */
  mark: string;
  /** Fields whose pictures nobody reads: of a long one only the beginning is kept, for making all of it a text takes long. */
  skimmed: readonly string[];
}

/**
 * Parses a body of many megabytes without holding the event loop: what makes bodies large is a few long strings
 * (pictures as data URLs), so these are cut out first and decoded one a turn. A raw control character within such a
 * string is let pass. Answers undefined for what is not UTF-8; throws what `JSON.parse` throws.
 */
export async function parseLargeJson(bytes: Buffer, { mark, skimmed }: Parsing): Promise<unknown> {
  if (!isUtf8(bytes)) return undefined;
  await breath();
  const long = findLongStrings(bytes);
  await breath();
  const value: unknown = JSON.parse(withoutLong(bytes, long, mark));
  const strings: string[] = [];
  for (const place of long) {
    await breath();
    strings.push(head(bytes, place, skimmed) ?? (await decode(bytes, place)));
  }
  return strings.length === 0 ? value : putBack(value, mark, strings);
}

function findLongStrings(bytes: Buffer): LongString[] {
  const found: LongString[] = [];
  for (let open = bytes.indexOf(QUOTE); open !== -1; ) {
    const start = open + 1;
    const end = closingQuote(bytes, start);
    if (end - start > LONG && !isKey(bytes, end)) found.push({ start, end });
    open = bytes.indexOf(QUOTE, end + 1);
  }
  return found;
}

function closingQuote(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    if (escapesBefore(bytes, at) % 2 === 0) return at;
  }
  return bytes.length;
}

function escapesBefore(bytes: Buffer, at: number): number {
  let count = 0;
  while (bytes[at - 1 - count] === BACKSLASH) count += 1;
  return count;
}

function isKey(bytes: Buffer, end: number): boolean {
  let at = end + 1;
  while (isBlank(bytes[at])) at += 1;
  return bytes[at] === COLON;
}

function withoutLong(bytes: Buffer, long: readonly LongString[], mark: string): string {
  const ends = [0, ...long.map(({ end }) => end)];
  const pieces = ends.map((from, position) => {
    const next = long[position];
    const piece = bytes.toString('utf8', from, next?.start);
    return next ? `${piece}${mark}:${position}` : piece;
  });
  return pieces.join('');
}

/** The beginning of a picture in a field that is only skimmed. */
function head(bytes: Buffer, { start }: LongString, skimmed: readonly string[]) {
  const text = bytes.toString('latin1', start, start + HEAD);
  if (!text.startsWith('data:image/') || text.includes('\\')) return undefined;
  return skimmed.includes(keyBefore(bytes, start)) ? text : undefined;
}

/** The name of the field whose string begins at `start`; empty for an item of a list. */
function keyBefore(bytes: Buffer, start: number): string {
  const colon = lastInk(bytes, start - 2);
  if (bytes[colon] !== COLON) return '';
  const end = lastInk(bytes, colon - 1);
  return bytes.toString('latin1', bytes.lastIndexOf(QUOTE, end - 1) + 1, end);
}

function lastInk(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at -= 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** One look a turn: each takes a millisecond or two. */
async function decode(bytes: Buffer, { start, end }: LongString): Promise<string> {
  const part = bytes.subarray(start, end);
  const isEscaped = part.includes(BACKSLASH);
  await breath();
  if (isEscaped) return JSON.parse(`"${part.toString()}"`);
  const isPlain = isAscii(part);
  await breath();
  // What base64 consists of is the same in both, and as Latin-1 it is copied rather than decoded.
  return part.toString(isPlain ? 'latin1' : 'utf8');
}

function putBack(value: unknown, mark: string, strings: readonly string[]): unknown {
  if (typeof value === 'string') {
    return value.startsWith(`${mark}:`) ? strings[Number(value.slice(mark.length + 1))] : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, item] of Object.entries(value)) {
    const restored = putBack(item, mark, strings);
    if (restored !== item) Reflect.set(value, name, restored);
  }
  return value;
}
