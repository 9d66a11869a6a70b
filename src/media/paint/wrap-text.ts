/** Characters without a picture. Listed here, because versions of Unicode differ. */
const INVISIBLE = rangesOf(
  '0-1f 7f-9f ad-ad 34f-34f 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f d800-dfff fe00-fe0f feff-feff fff9-fffb 1bca0-1bca3 e0000-e0fff',
);
/** Right-to-left scripts and scripts whose letters change with their neighbours are not drawn. */
const SHAPED = rangesOf('590-77f 900-97f e00-e7f fb1d-fdff fe70-fefc');

function rangesOf(listed: string): [first: number, last: number][] {
  return listed
    .split(' ')
    .map((range) => range.split('-').map((code) => Number.parseInt(code, 16)) as [number, number]);
}

/** The drawable part of a text in one line, or nothing if less than half can be drawn. */
export function visibleText(text: string): string {
  const spaced = text.replace(/\s+/gu, ' ');
  const letters = [...spaced].filter((letter) => !isWithin(INVISIBLE, letter));
  const drawn = letters.filter((letter) => !isWithin(SHAPED, letter));
  if (drawn.length === letters.length) return drawn.join('').normalize('NFC').trim();
  const shown = drawn.join('').normalize('NFC').replace(/ +/g, ' ').trim();
  return shown.length > letters.length / 2 ? shown : '';
}

function isWithin(ranges: typeof SHAPED, letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => code >= first && code <= last);
}

/** Breaks a text into at most `most` lines. Words that are too long are split, and the rest becomes an ellipsis. */
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
