import { isAscii } from 'node:buffer';
import { setImmediate as breath } from 'node:timers/promises';

/** Strings longer than this, in bytes, are read apart from the rest. */
const LONG = 65_536;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** A long string's place in the body, quotes aside. */
interface LongString {
  start: number;
  end: number;
}

/**
 * Parses a body of many megabytes without holding the event loop: what makes bodies large is a few long strings
 * (pictures as data URLs), so these are cut out first and decoded one a turn. `mark` is a text that no body holds.
 * A raw control character within such a string is let pass. Throws what `JSON.parse` throws.
 */
export async function parseLargeJson(bytes: Buffer, mark: string): Promise<unknown> {
  const long = findLongStrings(bytes);
  await breath();
  const value: unknown = JSON.parse(withoutLong(bytes, long, mark));
  const strings: string[] = [];
  for (const place of long) {
    await breath();
    strings.push(decode(bytes.subarray(place.start, place.end)));
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
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d)
    at += 1;
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

function decode(bytes: Buffer): string {
  if (bytes.includes(BACKSLASH)) return JSON.parse(`"${bytes.toString()}"`);
  // What base64 consists of is the same in both, and as Latin-1 it is copied rather than decoded.
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
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
