/** A text as it reads without its spelling, in small letters, and where each letter of it comes from. */
export interface Reading {
  text: string;
  start(at: number): number;
  end(at: number): number;
}

const ESCAPE = String.fromCharCode(0x1b);
/** Colours of a terminal, escapes of JSON at any depth, bytes of a URL, and entities of HTML. */
const SPELLED = new RegExp(
  [
    String.raw`((?:${ESCAPE}|\\+(?:u001b|x1b|u\{0{0,8}1b\})|%(?:25)*1b|&(?:amp;)*#(?:27|x1b);)\[[\x20-\x3f]{0,64}[\x40-\x7e])`,
    String.raw`\\+(?:u([0-9a-f]{4})|u\{0{0,8}([0-9a-f]{1,6})\}|x([0-9a-f]{2})|([nrtbf]))`,
    String.raw`(\\+)`,
    '((?:%(?:25)*[0-9a-f]{2})+)',
    '&(?:amp;)*(?:#0{0,8}(\\d{1,7})|#x0{0,8}([0-9a-f]{1,6})|([a-z]{2,6}));',
  ].join('|'),
  'gi',
);

const CONTROL: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const ENTITIES: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', excl: '!', num: '#', dollar: '$', percnt: '%' },
  ...{ lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';' },
  ...{ equals: '=', quest: '?', commat: '@', lsqb: '[', bsol: '', rsqb: ']', hat: '^', lowbar: '_', grave: '`' },
  ...{ lcub: '{', verbar: '|', vert: '|', rcub: '}' },
};

export function isSpelled(text: string): boolean {
  return /[\\%&+]/.test(text) || text.includes(ESCAPE);
}

export function asWritten(text: string): Reading {
  return { text: small(text), start: (at) => at, end: (at) => at + 1 };
}

export function asMeant(text: string): Reading {
  const places: { at: number; from: number; to: number; isLiteral: boolean }[] = [];
  let [read, last] = ['', 0];
  const add = (piece: string, from: number, to: number, isLiteral: boolean) => {
    if (piece !== '') places.push({ at: read.length, from, to, isLiteral });
    read += piece;
  };
  for (const match of text.matchAll(SPELLED)) {
    const to = match.index + match[0].length;
    add(text.slice(last, match.index), last, match.index, true);
    add(meaningOf(match), match.index, to, false);
    last = to;
  }
  add(text.slice(last), last, text.length, true);
  const placeOf = (at: number) => places[lastAtMost(places, at)] ?? { at: 0, from: 0, to: 0, isLiteral: false };
  return {
    // A form writes a space as a plus.
    text: small(read).replaceAll('+', ' '),
    start(at) {
      const place = placeOf(at);
      return place.isLiteral ? place.from + at - place.at : place.from;
    },
    end(at) {
      const place = placeOf(at);
      return place.isLiteral ? place.from + at - place.at + 1 : place.to;
    },
  };
}

/** Letters and digits alone: what encodes bytes may be wrapped, and its signs may be others. */
export function condensed(reading: Reading): Reading {
  const kept: number[] = [];
  for (const { index } of reading.text.matchAll(/[0-9a-z]/g)) kept.push(index);
  return {
    text: reading.text.replaceAll(/[^0-9a-z]/g, ''),
    start: (at) => reading.start(kept[at] ?? 0),
    end: (at) => reading.end(kept[at] ?? 0),
  };
}

function small(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}

function meaningOf(match: RegExpMatchArray): string {
  const [all, colour, four, braced, byte, control, backslashes, bytes, decimal, hex, name] = match;
  if (colour !== undefined || backslashes !== undefined) return '';
  if (control !== undefined) return CONTROL[control.toLowerCase()] ?? '';
  if (bytes !== undefined) return textOf(bytes);
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? all;
  const point = decimal === undefined ? Number.parseInt(four ?? braced ?? byte ?? hex ?? '', 16) : Number(decimal);
  const letter = point <= 0x10ffff ? String.fromCodePoint(point) : '';
  return letter === '\\' ? '' : letter;
}

/** Bytes of UTF-8; what is broken off is left out. */
function textOf(bytes: string): string {
  const read = Buffer.from(bytes.replaceAll(/%(?:25)*/g, ''), 'hex').toString('utf8');
  return read.replaceAll(/[\ufffd\\]/g, '');
}

function lastAtMost(places: readonly { at: number }[], wanted: number): number {
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((places[middle]?.at ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
