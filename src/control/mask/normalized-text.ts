const [BACKSLASH, PERCENT, AMPERSAND, PLUS, SPACE] = [0x5c, 0x25, 0x26, 0x2b, 0x20];
const [ESCAPE, BRACKET] = [0x1b, 0x5b];

/** A text with these characters may have escapes. */
const SPELLED = new RegExp(`[\\\\%&+${String.fromCharCode(ESCAPE)}]`);

/** The meaning of these letters after a backslash. */
const SHORT_ESCAPES = new Map([...'nrtbf'].map((letter, at) => [letter.charCodeAt(0), '\n\r\t\b\f'.charCodeAt(at)]));
const BY_NUMBER = /u([0-9a-f]{4})|u\{0{0,8}([0-9a-f]{1,6})\}|x([0-9a-f]{2})/iy;
/** A percent sign may itself be encoded in a URL inside a URL. */
const IN_URL = /%(?:25)*([0-9a-f]{2})/iy;
const ENTITY = /&(?:amp;)*(?:#0{0,8}(\d{1,7})|#x0{0,8}([0-9a-f]{1,6})|([a-z]{2,6}));/iy;
const ENTITIES = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    bsol: '\\',
    rsqb: ']',
    hat: '^',
    lowbar: '_',
    grave: '`',
    lcub: '{',
    verbar: '|',
    vert: '|',
    rcub: '}',
  }),
);

/** The small letter of each code unit, if that is one code unit too; 0 until it is met, because a table of all slows each start. */
const SMALL = new Uint16Array(0x10000);

function smallOf(unit: number): number {
  const small = String.fromCharCode(unit).toLowerCase();
  return small.length === 1 ? small.charCodeAt(0) : unit;
}

/** The longest terminal color code, in characters. */
const LONGEST_CODE = 64;

/**
 * A text in small letters without spelling, with the original positions. Decodes escapes of JSON at any depth, of URLs and
 * of HTML, and removes backslashes and terminal colors.
 */
export class NormalizedText implements NormalizedUnits {
  units = new Uint16Array(4096);
  count = 0;
  #starts = new Int32Array(4096);
  #ends = new Int32Array(4096);
  #colour = 0;
  /** The bytes so far of a UTF-8 character. */
  #wide = { value: 0, left: 0, start: 0 };

  /** False if the text has no escapes. */
  static isSpelled(text: string): boolean {
    return SPELLED.test(text);
  }

  readPlain(text: string): void {
    this.#begin(text.length);
    for (let at = 0; at < text.length; at += 1) this.#add(text.charCodeAt(at), at, at + 1);
  }

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

  /** Keeps only letters and digits, because base64 may be wrapped and may use other signs. */
  condense(): void {
    const count = this.count;
    this.count = 0;
    for (let at = 0; at < count; at += 1) {
      const unit = this.units[at] ?? 0;
      const isKept = (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a);
      if (isKept) this.#add(unit, this.#starts[at] ?? 0, this.#ends[at] ?? 0);
    }
  }

  start(unit: number): number {
    return this.#starts[unit] ?? 0;
  }

  end(unit: number): number {
    return this.#ends[unit] ?? 0;
  }

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

  /** The number of backslashes does not count. */
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

  /** Drops incomplete characters. */
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

  /** Skips colors. Returns the next position. */
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
    SMALL[unit] ||= smallOf(unit);
    this.units[this.count] = SMALL[unit] ?? unit;
    this.#starts[this.count] = start;
    this.#ends[this.count] = end;
    this.count += 1;
  }
}

/** Only the first `count` units are valid. */
export interface NormalizedUnits {
  units: Uint16Array;
  count: number;
}

/** Receives positions in code units. If it returns false, a shorter match that ends there is tried. */
export type OnFound = (from: number, to: number) => boolean;

const ROOT = 0;
const NONE = -1;

/**
 * Finds many texts in one pass (Aho and Corasick, 1975). The time depends only on the length of the searched text. Edges
 * are in a hash table, so a step takes the same time for any number of edges.
 */
export class MultiPatternMatcher {
  /** In code units. */
  readonly longest: number;
  readonly #parents: Int32Array;
  readonly #letters: Uint16Array;
  readonly #depths: Int32Array;
  readonly #fallbacks: Int32Array;
  /** `ROOT` if no text ends at the node. */
  readonly #ends: Int32Array;
  readonly #edges: Int32Array;
  #nodes = 1;

  constructor(texts: Iterable<string>) {
    const patterns = [...new Set(texts)].filter((text) => text !== '');
    const most = patterns.reduce((sum, { length }) => sum + length, 1);
    this.longest = patterns.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#parents = new Int32Array(most);
    this.#letters = new Uint16Array(most);
    this.#depths = new Int32Array(most);
    this.#fallbacks = new Int32Array(most);
    this.#ends = new Int32Array(most);
    this.#edges = new Int32Array(2 ** Math.ceil(Math.log2(2 * most))).fill(NONE);
    for (const pattern of patterns) this.#add(pattern);
    this.#link();
  }

  find({ units, count }: NormalizedUnits, onFound: OnFound): void {
    if (this.longest === 0) return;
    let node = ROOT;
    for (let at = 0; at < count; at += 1) {
      node = this.#after(node, units[at] ?? 0);
      let end = this.#ends[node] ?? ROOT;
      while (end !== ROOT && !onFound(at + 1 - (this.#depths[end] ?? 0), at + 1)) {
        end = this.#ends[this.#fallbacks[end] ?? ROOT] ?? ROOT;
      }
    }
  }

  #add(pattern: string): void {
    let node = ROOT;
    for (let at = 0; at < pattern.length; at += 1) {
      const letter = pattern.charCodeAt(at);
      const slot = this.#slot(node, letter);
      const known = this.#edges[slot] ?? NONE;
      node = known === NONE ? this.#grow(slot, node, letter) : known;
    }
    this.#ends[node] = node;
  }

  #grow(slot: number, parent: number, letter: number): number {
    const node = this.#nodes;
    this.#nodes += 1;
    this.#parents[node] = parent;
    this.#letters[node] = letter;
    this.#depths[node] = (this.#depths[parent] ?? 0) + 1;
    this.#edges[slot] = node;
    return node;
  }

  /** Sets the fallback of each node, shallow nodes first. */
  #link(): void {
    for (const node of this.#byDepth()) {
      const parent = this.#parents[node] ?? ROOT;
      const fallback = parent === ROOT ? ROOT : this.#after(this.#fallbacks[parent] ?? ROOT, this.#letters[node] ?? 0);
      this.#fallbacks[node] = fallback;
      if (this.#ends[node] === ROOT) this.#ends[node] = this.#ends[fallback] ?? ROOT;
    }
  }

  /** A counting sort. */
  #byDepth(): Int32Array {
    const places = new Int32Array(this.longest + 2);
    const depths = this.#depths.subarray(1, this.#nodes);
    for (const depth of depths) places[depth + 1] = (places[depth + 1] ?? 0) + 1;
    for (let depth = 1; depth < places.length; depth += 1) {
      places[depth] = (places[depth] ?? 0) + (places[depth - 1] ?? 0);
    }
    const nodes = new Int32Array(depths.length);
    depths.forEach((depth, at) => {
      const place = places[depth] ?? 0;
      places[depth] = place + 1;
      nodes[place] = at + 1;
    });
    return nodes;
  }

  #after(from: number, letter: number): number {
    for (let node = from; ; node = this.#fallbacks[node] ?? ROOT) {
      const next = this.#edges[this.#slot(node, letter)] ?? NONE;
      if (next !== NONE) return next;
      if (node === ROOT) return ROOT;
    }
  }

  /** The slot of the edge, or a free slot for it. */
  #slot(node: number, letter: number): number {
    const last = this.#edges.length - 1;
    let slot = (Math.imul(node, 0x9e3779b1) ^ Math.imul(letter, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & last;
    for (;;) {
      const child = this.#edges[slot] ?? NONE;
      if (child === NONE || (this.#parents[child] === node && this.#letters[child] === letter)) return slot;
      slot = (slot + 1) & last;
    }
  }
}
