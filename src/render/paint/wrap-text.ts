/** Controls, joiners, direction and variation marks; listed, because what counts as one differs between versions of Unicode. */
const INVISIBLE =
  /[\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF9-\uFFFB\u{D800}-\u{DFFF}\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/gu;

/** What can be shown of a text: one line, composed letters, single spaces, without invisible characters. */
export function visibleText(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(INVISIBLE, '').normalize('NFC').trim();
}

/** Breaks a text into lines no wider than `width`; a word that is wider itself is broken within, and what exceeds `most` lines ends in an ellipsis. */
export function wrapText(
  text: string,
  width: number,
  most: number,
  measure: (text: string) => number,
): string[] {
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
