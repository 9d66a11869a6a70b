import type { Clock } from '../clock/clock.ts';

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

export function toPlainLine(text: string): string {
  return printed(text.replace(ESCAPES, ''));
}

export function parseColoredText(text: string): LinePiece[] {
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
    // Skips the color number (256 colors) or three values (RGB) that follow, because pages do not show these colors.
    if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4;
  }
  return next;
}

const MAX_LINES = 19_900;
const MAX_OF_ONE = 16_000;
const MAX_CHARACTERS = 4_000_000;

export class OutputBuffer {
  readonly #clock: Pick<Clock, 'real'>;
  #lines: OutputLine[] = [];
  #size = 0;
  readonly #open = { out: '', err: '' };

  readonly #onLine: (line: string) => void;

  constructor(clock: Pick<Clock, 'real'>, onLine: (line: string) => void = () => {}) {
    this.#clock = clock;
    this.#onLine = onLine;
  }

  hear(from: OutputLine['from'], text: string): void {
    const lines = (this.#open[from] + text).split('\n');
    this.#open[from] = lastWritten(lines.pop() ?? '').slice(0, MAX_OF_ONE);
    for (const line of lines) this.#add(from, line);
  }

  lines(): readonly OutputLine[] {
    for (const from of ['out', 'err'] as const) {
      if (this.#open[from] !== '') this.#add(from, this.#open[from]);
      this.#open[from] = '';
    }
    this.#cut();
    return this.#lines;
  }

  #add(from: OutputLine['from'], line: string): void {
    const text = lastWritten(line).replace(/\r$/, '').slice(0, MAX_OF_ONE);
    this.#onLine(text);
    this.#lines.push({ at: this.#clock.real(), from, text });
    this.#size += text.length;
    if (this.#lines.length > MAX_LINES * 2 || this.#size > MAX_CHARACTERS * 2) this.#cut();
  }

  #cut(): void {
    const least = Math.max(0, this.#lines.length - MAX_LINES);
    let [first, size] = [this.#lines.length, 0];
    while (first > least && size < MAX_CHARACTERS) {
      first -= 1;
      size += this.#lines[first]?.text.length ?? 0;
    }
    this.#lines = this.#lines.slice(first);
    this.#size = size;
  }
}

/** Leaves out the text before the last carriage return, because a terminal writes over it. */
function lastWritten(line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1);
}

/** Words with digits, such as ids, may differ between runs, so they become `#`. */
export function comparableErrorLine(output: string): string {
  return maskWordsWithDigits(extractErrorText(output, 1));
}

export function maskWordsWithDigits(text: string): string {
  return text.replaceAll(/\w+/g, (word) => (/\d/.test(word) ? '#' : word));
}

/** True if an error shows its values only in part, as those of Vitest and pytest do. */
export function isShortenedError(error: string): boolean {
  return /…|\.{3}/.test(error);
}

/** The lines that differ in a difference of two objects, as Vitest and Jest print it, without its legend. */
export function changedLines(lines: readonly string[]): string[] {
  return lines.filter((line) => /^[-+] (?!Expected\b|Received\b)/.test(line));
}

/** Matches a line of an error that pytest prints. The first one has the assertion, and the others explain its values. */
const OF_PYTEST = /^E(?: {2,}|\s*$)/;

export function extractErrorText(text: string, most: number): string {
  const lines = text.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => /^\s*(?:[\w.]+ )*[\w.]*(?:Error|Exception)\b.*:|^E {2,}\S/.test(line));
  if (last === -1) return lastSaid(lines, most);
  const before = lines.slice(0, last).findLastIndex((line) => !OF_PYTEST.test(line));
  const at = OF_PYTEST.test(lines[last] ?? '') ? before + 1 : last;
  return lines.slice(at, at + most).join('\n');
}

const NO_ERROR = /^\s*(?:#|\d+\.\.\d+$|(?:not )?ok \d|\.\.\.$|---$|duration_ms\b|$)/;

function lastSaid(lines: readonly string[], most: number): string {
  return lines
    .filter((line) => !NO_ERROR.test(line))
    .slice(-most)
    .join('\n');
}

export function keepLastLines(text: string, most: number): string {
  return text.trimEnd().split('\n').slice(-most).join('\n');
}
