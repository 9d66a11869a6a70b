type Ranges = readonly (readonly [first: number, last: number])[];

/** Controls, joiners, direction and variation marks have no picture. Listed, because versions of Unicode differ in them. */
const INVISIBLE: Ranges = [
  ...([
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
  ] as const),
  ...([
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0xd800, 0xdfff],
  ] as const),
  ...([
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0x1bca0, 0x1bca3],
    [0xe0000, 0xe0fff],
  ] as const),
];
/** Hebrew, Arabic, Devanagari and Thai, which run to the left or change with their neighbours, are not drawn. */
const SHAPED: Ranges = [
  [0x590, 0x77f],
  [0x900, 0x97f],
  [0xe00, 0xe7f],
  [0xfb1d, 0xfdff],
  [0xfe70, 0xfefc],
];

/** What can be shown of a text: one line, composed letters, single spaces; nothing where that would be the lesser part. */
export function visibleText(text: string): string {
  const spaced = text.replace(/\s+/gu, ' ');
  const letters = [...spaced].filter((letter) => !isWithin(INVISIBLE, letter));
  const drawn = letters.filter((letter) => !isWithin(SHAPED, letter));
  if (drawn.length === letters.length) return drawn.join('').normalize('NFC').trim();
  const shown = drawn.join('').normalize('NFC').replace(/ +/g, ' ').trim();
  return shown.length > letters.length / 2 ? shown : '';
}

function isWithin(ranges: Ranges, letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => code >= first && code <= last);
}

/** Breaks a text into lines no wider than `width`; a word that is wider itself is broken within, and what exceeds `most` lines ends in an ellipsis. */
export function wrapText(text: string, width: number, most: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < most) {
    const taken = takeLine(rest, width, measure);
    lines.push(taken.trimEnd());
    rest = rest.slice(taken.length).trimStart();
  }
  if (rest !== '') lines.push(ellipsed(lines.pop() ?? '', width, measure));
  return lines;
}

function takeLine(text: string, width: number, measure: (text: string) => number): string {
  let [used, at, afterSpace] = [0, 0, 0];
  for (const letter of text) {
    used += measure(letter);
    if (used > width && at > 0) return text.slice(0, afterSpace > 0 ? afterSpace : at);
    at += letter.length;
    if (letter === ' ') afterSpace = at;
  }
  return text;
}

function ellipsed(line: string, width: number, measure: (text: string) => number): string {
  const letters = [...line];
  while (letters.length > 0 && measure(`${letters.join('')}…`) > width) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
