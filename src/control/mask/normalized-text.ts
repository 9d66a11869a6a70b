import type { Units } from './multi-pattern-matcher.ts';

const [BACKSLASH, PERCENT, AMPERSAND, PLUS, SPACE] = [0x5c, 0x25, 0x26, 0x2b, 0x20];
const [ESCAPE, BRACKET] = [0x1b, 0x5b];

/** What is spelled by these, and nothing else, is not what it looks like. */
const SPELLED = new RegExp(`[\\\\%&+${String.fromCharCode(ESCAPE)}]`);

/** What JSON and most languages make of these behind a backslash. */
const SHORT_ESCAPES = new Map([...'nrtbf'].map((letter, at) => [letter.charCodeAt(0), '\n\r\t\b\f'.charCodeAt(at)]));
const BY_NUMBER = /u([0-9a-f]{4})|u\{0{0,8}([0-9a-f]{1,6})\}|x([0-9a-f]{2})/iy;
/** As in a URL, and in one within a URL. */
const IN_URL = /%(?:25)*([0-9a-f]{2})/iy;
const ENTITY = /&(?:amp;)*(?:#0{0,8}(\d{1,7})|#x0{0,8}([0-9a-f]{1,6})|([a-z]{2,6}));/iy;
const ENTITIES = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', excl: '!', num: '#', dollar: '$', percnt: '%' },
    ...{ lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';' },
    ...{ equals: '=', quest: '?', commat: '@', lsqb: '[', bsol: '\\', rsqb: ']', hat: '^', lowbar: '_', grave: '`' },
    ...{ lcub: '{', verbar: '|', vert: '|', rcub: '}' },
  }),
);

/** Each code unit as a small letter, where that is one code unit as well. */
const SMALL = Uint16Array.from({ length: 0x10000 }, (_, unit) => {
  const small = String.fromCharCode(unit).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : unit;
});

/** Characters of the longest code between an escape and the letter that ends it. */
const LONGEST_CODE = 64;

/**
 * A text without regard to how it is spelled: small letters, each with its position in the text. Escapes of
 * JSON at any depth, of URLs and of HTML are what they mean, colours of a terminal nothing, and so is a backslash.
 */
export class NormalizedText implements Units {
  units = new Uint16Array(4096);
  count = 0;
  #starts = new Int32Array(4096);
  #ends = new Int32Array(4096);
  /** Since the escape that begins a colour; 0 outside of one. */
  #colour = 0;
  /** A letter of several bytes, of which some are still to come. */
  #wide = { value: 0, left: 0, start: 0 };

  /** Whether a text may mean anything but itself. */
  static isSpelled(text: string): boolean {
    return SPELLED.test(text);
  }

  /** Letter by letter, as written. */
  readPlain(text: string): void {
    this.#begin(text.length);
    for (let at = 0; at < text.length; at += 1) this.#add(text.charCodeAt(at), at, at + 1);
  }

  /** What it means. */
  read(text: string): void {
    this.#begin(text.length);
    for (let at = 0; at < text.length; ) {
      const unit = text.charCodeAt(at);
      if (unit === BACKSLASH) at = this.#escaped(text, at);
      else if (unit === PERCENT) at = this.#inUrl(text, at);
      else if (unit === AMPERSAND) at = this.#entity(text, at);
      else at = this.#put(unit, at, at + 1);
    }
  }

  /** Keeps letters and digits alone: what encodes bytes may be wrapped, and its signs may be others. */
  condense(): void {
    const count = this.count;
    this.count = 0;
    for (let at = 0; at < count; at += 1) {
      const unit = this.units[at] ?? 0;
      const isKept = (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a);
      if (isKept) this.#add(unit, this.#starts[at] ?? 0, this.#ends[at] ?? 0);
    }
  }

  /** The positions of these letters in the text. */
  start(unit: number): number {
    return this.#starts[unit] ?? 0;
  }

  end(unit: number): number {
    return this.#ends[unit] ?? 0;
  }

  /** What was read, as a text. */
  toString(): string {
    return Buffer.from(this.units.buffer, 0, 2 * this.count).toString('utf16le');
  }

  #begin(length: number): void {
    this.count = 0;
    this.#colour = 0;
    this.#wide.left = 0;
    if (this.units.length >= length) return;
    this.units = new Uint16Array(length);
    this.#starts = new Int32Array(length);
    this.#ends = new Int32Array(length);
  }

  /** A run of backslashes, and what follows it: how deep it was escaped does not count. */
  #escaped(text: string, start: number): number {
    let at = start;
    while (text.charCodeAt(at) === BACKSLASH) at += 1;
    const short = SHORT_ESCAPES.get(text.charCodeAt(at));
    if (short !== undefined) return this.#put(short, start, at + 1);
    BY_NUMBER.lastIndex = at;
    const [all, four, braced, byte] = BY_NUMBER.exec(text) ?? [];
    if (all === undefined) return at;
    const end = at + all.length;
    if (byte !== undefined) return this.#byte(Number.parseInt(byte, 16), start, end);
    return this.#point(Number.parseInt(four ?? braced ?? '', 16), start, end);
  }

  #inUrl(text: string, start: number): number {
    IN_URL.lastIndex = start;
    const [all, byte = ''] = IN_URL.exec(text) ?? [];
    if (all === undefined) return this.#put(PERCENT, start, start + 1);
    return this.#byte(Number.parseInt(byte, 16), start, start + all.length);
  }

  #entity(text: string, start: number): number {
    ENTITY.lastIndex = start;
    const [all, decimal, hex, name = ''] = ENTITY.exec(text) ?? [];
    const named = ENTITIES.get(name.toLowerCase())?.charCodeAt(0);
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (all === undefined || (Number.isNaN(point) && named === undefined)) {
      return this.#put(AMPERSAND, start, start + 1);
    }
    return this.#point(named ?? point, start, start + all.length);
  }

  /** A byte of UTF-8; what is broken off is left out. */
  #byte(byte: number, start: number, end: number): number {
    const wide = this.#wide;
    if (byte < 0x80) return this.#put(byte, start, end);
    if (byte >= 0xc0) {
      wide.left = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      wide.value = byte & (0x3f >> wide.left);
      wide.start = start;
      return end;
    }
    if (wide.left === 0) return end;
    wide.value = (wide.value << 6) | (byte & 0x3f);
    wide.left -= 1;
    return wide.left === 0 ? this.#point(wide.value, wide.start, end) : end;
  }

  #point(point: number, start: number, end: number): number {
    if (point <= 0xffff) return this.#put(point, start, end);
    if (point > 0x10ffff) return end;
    const letter = String.fromCodePoint(point);
    this.#put(letter.charCodeAt(0), start, end);
    return this.#put(letter.charCodeAt(1), start, end);
  }

  /** Leaves colours out. Answers where to go on. */
  #put(unit: number, start: number, end: number): number {
    if (unit === ESCAPE) this.#colour = 1;
    else if (unit === BACKSLASH) return end;
    else if (this.#colour === 0 || !this.#isInColour(unit)) this.#add(unit === PLUS ? SPACE : unit, start, end);
    return end;
  }

  #isInColour(unit: number): boolean {
    const place = this.#colour;
    const isOpen = place === 1 ? unit === BRACKET : unit >= 0x20 && unit < 0x40 && place < LONGEST_CODE;
    this.#colour = isOpen ? place + 1 : 0;
    return isOpen || (place > 1 && unit >= 0x40 && unit < 0x7f);
  }

  #add(unit: number, start: number, end: number): void {
    this.units[this.count] = SMALL[unit] ?? unit;
    this.#starts[this.count] = start;
    this.#ends[this.count] = end;
    this.count += 1;
  }
}
