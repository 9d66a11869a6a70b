import { isAscii, isUtf8 } from 'node:buffer';
import { setImmediate as breath } from 'node:timers/promises';
import { JsonBoundError, JsonBounds } from './json-bounds.ts';
import { inkAt, LIMITS, readShort, searchEnd, type Text } from './json-text.ts';

/** How a body is to be parsed. */
export interface Parsing {
  /** Fields whose pictures are not used: of a long one only the start is kept, because decoding all of it takes long. */
  skimmed: readonly string[];
}

type Container = unknown[] | Record<string, unknown>;
/** What may come next. */
type Next = 'value' | 'value or ]' | 'key' | 'key or }' | ': and value' | ', or end' | 'nothing';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Parses a body of up to many megabytes without holding the event loop, however many values it has and however long its
 * strings are: so much a turn, and a long string in a turn of its own. A raw control character within a long string is
 * let pass. Answers undefined for what is not UTF-8; throws a `SyntaxError`, or `JsonBoundError` for what is beyond a
 * limit before it builds anything of it.
 */
export async function parseLargeJson(bytes: Buffer, { skimmed }: Parsing): Promise<unknown> {
  if (!(await isText(bytes))) return undefined;
  const reading = new JsonReading(bytes);
  for (let long = reading.advance(); !reading.isDone; long = reading.advance()) {
    if (long) reading.put(head(bytes, long, skimmed.includes(reading.key)) ?? (await readLong(bytes, long)));
    await breath();
  }
  return reading.value;
}

/** Whether all of it is UTF-8, a piece a turn. */
async function isText(bytes: Buffer): Promise<boolean> {
  for (let from = 0; from < bytes.length; ) {
    const to = characterEnd(bytes, from + LIMITS.checked);
    if (!isUtf8(bytes.subarray(from, to))) return false;
    from = to;
    await breath();
  }
  return true;
}

/** The first position from `at` on at which a character of UTF-8 may end; one has three bytes more at most. */
function characterEnd(bytes: Buffer, at: number): number {
  let end = Math.min(at, bytes.length);
  while (end < Math.min(at + 4, bytes.length) && ((bytes[end] as number) & 0xc0) === 0x80) end += 1;
  return end;
}

/** A reader of JSON that can stop after any value and go on later. */
class JsonReading {
  value: unknown;
  /** The name of the field that is read; empty for an item of a list. */
  key = '';
  isDone = false;
  readonly #bytes: Buffer;
  readonly #bounds = new JsonBounds();
  readonly #open: Container[] = [];
  readonly #keys: string[] = [];
  #at = 0;
  #next: Next = 'value';
  /** How far the end of the current string was searched for. */
  #searched = 0;
  #isTired = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads on for a millisecond or two. Stops at a long string and answers it: the caller has to `put` its text. */
  advance(): Text | undefined {
    const until = this.#at + LIMITS.slice;
    this.#isTired = false;
    for (let steps = 0; steps < LIMITS.steps && this.#at < until && !this.#isTired; steps += 1) {
      this.#at = inkAt(this.#bytes, this.#at, until);
      if (this.#at >= until && this.#at < this.#bytes.length) return undefined;
      if (this.#at >= this.#bytes.length) {
        if (this.#next !== 'nothing') throw new SyntaxError('Unexpected end of JSON input');
        this.isDone = true;
        return undefined;
      }
      const long = this.#step(this.#bytes[this.#at] as number);
      if (long) return long;
    }
    return undefined;
  }

  put(value: unknown): void {
    const parent = this.#open.at(-1);
    if (Array.isArray(parent)) parent.push(value);
    else if (!parent) this.value = value;
    // A plain assignment would change what the object inherits from.
    else if (this.key === '__proto__') define(parent, this.key, value);
    else parent[this.key] = value;
    this.#next = parent ? ', or end' : 'nothing';
  }

  #step(byte: number): Text | undefined {
    switch (this.#next) {
      case 'value or ]':
        if (byte === CLOSE_LIST) return this.#leave();
        return this.#read(byte);
      case 'value':
        return this.#read(byte);
      case ': and value':
        if (byte !== COLON) throw this.#unexpected();
        return this.#expect('value');
      case ', or end':
        return this.#goOn(byte);
      case 'key or }':
        if (byte === CLOSE_MAP) return this.#leave();
        return this.#readKey(byte);
      case 'key':
        return this.#readKey(byte);
      default:
        throw this.#unexpected();
    }
  }

  #expect(next: Next): undefined {
    this.#next = next;
    this.#at += 1;
  }

  #goOn(byte: number): undefined {
    const isList = Array.isArray(this.#open.at(-1));
    if (byte === COMMA) return this.#expect(isList ? 'value' : 'key');
    if (byte !== (isList ? CLOSE_LIST : CLOSE_MAP)) throw this.#unexpected();
    return this.#leave();
  }

  #enter(container: Container, next: Next): undefined {
    this.#bounds.open();
    this.put(container);
    this.#open.push(container);
    this.#keys.push(this.key);
    this.key = '';
    this.#expect(next);
  }

  #leave(): undefined {
    this.#bounds.close();
    this.#open.pop();
    this.key = this.#keys.pop() ?? '';
    this.#expect(this.#open.length > 0 ? ', or end' : 'nothing');
  }

  #readKey(byte: number): undefined {
    if (byte !== QUOTE) throw this.#unexpected();
    const text = this.#text();
    if (!text) return undefined;
    if (text.end - text.start > LIMITS.key)
      throw new JsonBoundError('has a field whose name is over 1 MiB; shorten it');
    this.key = readShort(this.#bytes, text);
    this.#next = ': and value';
    return undefined;
  }

  #read(byte: number): Text | undefined {
    this.#bounds.count();
    if (byte === OPEN_MAP) return this.#enter({}, 'key or }');
    if (byte === OPEN_LIST) return this.#enter([], 'value or ]');
    if (byte !== QUOTE) return this.#readPlain();
    const text = this.#text();
    if (!text) return undefined;
    if (text.end - text.start > LIMITS.long) return text;
    this.put(readShort(this.#bytes, text));
    return undefined;
  }

  /** The position of the current string, which the reader then has passed; undefined while its end is searched for. */
  #text(): Text | undefined {
    const start = this.#at + 1;
    const { at: end, isOver } = searchEnd(this.#bytes, start, Math.max(start, this.#searched));
    this.#searched = end;
    this.#isTired = !isOver;
    if (!isOver) return undefined;
    if (end === -1) throw new SyntaxError(`Unterminated string in JSON at position ${this.#at}`);
    this.#at = end + 1;
    return { start, end };
  }

  /** A number, or one of the three words. */
  #readPlain(): undefined {
    const start = this.#at;
    let end = start;
    while (end < start + LIMITS.plain && isPlain(this.#bytes[end])) end += 1;
    if (end === start) throw this.#unexpected();
    const text = this.#bytes.toString('latin1', start, end);
    this.put(JSON.parse(text));
    this.#at = end;
  }

  #unexpected(): SyntaxError {
    const found = String.fromCharCode(this.#bytes[this.#at] ?? 0);
    return new SyntaxError(`Unexpected token ${JSON.stringify(found)} at position ${this.#at}`);
  }
}

/** Whether numbers and literals contain this byte; `JSON.parse` judges the rest. */
function isPlain(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || '+-.E'.includes(String.fromCharCode(byte));
}

function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The start of a picture in a field that is only skimmed. */
function head(bytes: Buffer, { start }: Text, isSkimmed: boolean): string | undefined {
  if (!isSkimmed) return undefined;
  const text = bytes.toString('latin1', start, start + LIMITS.head);
  return text.startsWith('data:image/') && !text.includes('\\') ? text : undefined;
}

/** One step a turn: each takes a millisecond or two. */
async function readLong(bytes: Buffer, { start, end }: Text): Promise<string> {
  const part = bytes.subarray(start, end);
  const isEscaped = part.includes(0x5c);
  await breath();
  if (isEscaped) return readEscaped(part);
  const isLatin = isAscii(part);
  await breath();
  // What base64 consists of is the same in both, and as Latin-1 it is copied rather than decoded.
  return part.toString(isLatin ? 'latin1' : 'utf8');
}

/** Escapes are read a piece at a time, none of them cut in two. */
async function readEscaped(part: Buffer): Promise<string> {
  const pieces: string[] = [];
  for (let from = 0; from < part.length; ) {
    const to = Math.min(part.length, pieceEnd(part, from));
    pieces.push(readShort(part, { start: from, end: to }));
    from = to;
    await breath();
  }
  return pieces.join('');
}

/** Behind whole escapes and whole characters: a piece is read on its own. */
function pieceEnd(part: Buffer, from: number): number {
  let end = from;
  const enough = from + LIMITS.slice;
  while (end < enough && end < part.length) {
    const next = part.indexOf(0x5c, end);
    if (next === -1 || next >= enough) end = enough;
    else end = next + (part[next + 1] === 0x75 ? 6 : 2);
  }
  while (end < part.length && ((part[end] as number) & 0xc0) === 0x80) end += 1;
  return end;
}
