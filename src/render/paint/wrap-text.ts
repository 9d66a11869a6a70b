/**
 * Controls, joiners, direction and variation marks, from first to last: they have no picture of their own. Listed,
 * because what counts as one differs between versions of Unicode.
 */
const INVISIBLE: readonly [number, number][] = [
  ...([
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
  ] as const),
  ...([
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
  ] as const),
  ...([
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0xd800, 0xdfff],
    [0xfe00, 0xfe0f],
  ] as const),
  ...([
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0x1bca0, 0x1bca3],
    [0xe0000, 0xe0fff],
  ] as const),
].map(([first, last]) => [first, last]);

/** What can be shown of a text: one line, composed letters, single spaces, without invisible characters. */
export function visibleText(text: string): string {
  const spaced = text.replace(/\s+/gu, ' ');
  return [...spaced].filter(isVisible).join('').normalize('NFC').trim();
}

function isVisible(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return !INVISIBLE.some(([first, last]) => code >= first && code <= last);
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
