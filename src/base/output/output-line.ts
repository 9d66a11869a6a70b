export interface OutputLine {
  at: number;
  from: 'out' | 'err';
  text: string;
}

type Ink = 'red' | 'green' | 'yellow' | 'blue' | 'grey';

interface LinePiece {
  text: string;
  ink: Ink | undefined;
  isBold: boolean;
  isFilled: boolean;
}

type Look = Omit<LinePiece, 'text'>;

const PLAIN: Look = { ink: undefined, isBold: false, isFilled: false };
const INKS = [undefined, 'red', 'green', 'yellow', 'blue', 'blue', 'blue', undefined] as const;

const CHANGES = new Map<number, Partial<Look>>([
  ...INKS.flatMap((ink, n): [number, Partial<Look>][] => [
    [30 + n, { ink }],
    [40 + n, { isFilled: true }],
    [90 + n, { ink }],
    [100 + n, { isFilled: true }],
  ]),
  [0, PLAIN],
  [1, { isBold: true }],
  [2, { ink: 'grey' }],
  [7, { isFilled: true }],
  [22, { isBold: false }],
  [27, { isFilled: false }],
  [39, { ink: undefined }],
  [48, { isFilled: true }],
  [49, { isFilled: false }],
  [90, { ink: 'grey' }],
]);

const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(`${ESCAPE}\\[([0-9;]*)m`);
const ESCAPES = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?)`,
  'g',
);
/** Vitest draws rules with a character that few fonts have. `─` looks the same. */
const RULE = /\u23af/g;

export function plainLine(text: string): string {
  return printed(text.replace(ESCAPES, ''));
}

export function linePieces(text: string): LinePiece[] {
  let look = PLAIN;
  return text.split(COLOURS).flatMap((part, at) => {
    if (at % 2 === 1) {
      look = lookAfter(look, part.split(';').map(Number));
      return [];
    }
    const shown = printed(part.replace(ESCAPES, ''));
    return shown === '' ? [] : [{ text: shown, ...look }];
  });
}

function printed(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, '').replace(RULE, '─');
}

function lookAfter(look: Look, codes: number[]): Look {
  let next = look;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    next = { ...next, ...CHANGES.get(code) };
    // The next numbers select one of 256 colors or an RGB color, which pages do not show.
    if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return next;
}
