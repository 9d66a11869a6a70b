import { escapeInvisibleCharacters } from '../base/text.ts';
import { ciRunsOutputCommands, escapeCiCommands } from './workflow-commands.ts';

export function print(text: string): void {
  process.stdout.write(printable(text));
}

export function printToStderr(text: string): void {
  process.stderr.write(printable(text));
}

export function printCiCommand(line: string): void {
  process.stderr.write(`${escapeInvisibleCharacters(line)}\n`);
}

function printable(text: string): string {
  const visible = escapeInvisibleCharacters(text);
  return ciRunsOutputCommands() ? escapeCiCommands(visible) : visible;
}

const INKS = { red: 31, green: 32 };
type Ink = keyof typeof INKS;

/** Wraps and colors lines on a terminal. Pipes and CI get the lines as they are; NO_COLOR turns colors off. */
export function printReport(
  text: string,
  inkOf: (line: string) => Ink | undefined,
  terminal: Terminal = process.stdout,
): void {
  terminal.write(formatReportForTerminal(printable(text), inkOf, terminal));
}

function formatReportForTerminal(text: string, inkOf: (line: string) => Ink | undefined, terminal: Terminal): string {
  const { NO_COLOR, CI } = process.env;
  if (!terminal.isTTY || CI) return text;
  const lines = text.split('\n').map((line) => {
    const ink = NO_COLOR ? undefined : inkOf(line);
    const whole = wrapped(line, columnsOf(terminal));
    return ink === undefined ? whole : `\u001b[${INKS[ink]}m${whole}\u001b[39m`;
  });
  return lines.join('\n');
}

function columnsOf({ columns }: Terminal): number {
  return columns || 80;
}

/** The text before a command in a line. A line with this text is not wrapped, so that the command can be copied. */
const COMMAND = ' -- ';

function wrapped(line: string, width: number): string {
  if (line.includes(COMMAND)) return line;
  const indent = Math.min(/^(?:.* {2})?(?=\S)/.exec(line.slice(0, width / 2))?.[0].length ?? 0, width / 2);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const at = rest.lastIndexOf(' ', width);
    const end = at > indent ? at : width;
    lines.push(rest.slice(0, end));
    rest = ' '.repeat(indent) + rest.slice(end).trimStart();
  }
  return [...lines, rest].join('\n');
}

export interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

export type ProgressCallback = (done: number, total: number) => void;

const TICK_MS = 100;
const TICKS_BEFORE = 10;
const WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

export function showStatus(words: string, terminal: Terminal = process.stderr): void {
  terminal.write(CLEAR_LINE + escapeInvisibleCharacters(words).slice(0, columnsOf(terminal) - 1));
}

export function clearStatus(terminal: Terminal = process.stderr): void {
  if (terminal.isTTY) terminal.write(CLEAR_LINE);
}

/** Shows progress as a bar on a terminal, and otherwise as a line for each tenth. */
export class CommandProgress {
  readonly #doing: string;
  readonly #budgetMs: number;
  #printed = '0';

  constructor(doing: string, budgetMs = 0) {
    this.#doing = doing;
    this.#budgetMs = budgetMs;
  }

  /** Shows `done` (0 to 1), or the share of the time that has passed if that is larger. Each `phase` gets its own lines. */
  show(done: number, words: string, { elapsedMs = 0, phase = '' } = {}): void {
    const ofTime = this.#budgetMs === 0 ? 0 : elapsedMs / this.#budgetMs;
    const share = Math.min(1, Math.max(done, ofTime));
    const status = `${this.#doing} [${filled(Math.round(share * WIDTH))}] ${words}${this.#left(elapsedMs)}`;
    if (process.stderr.isTTY) {
      showStatus(status);
      return;
    }
    const step = `${phase}${Math.floor(share * 10)}`;
    if (step === this.#printed) return;
    this.#printed = step;
    printToStderr(`${this.#doing}: ${words}${this.#left(elapsedMs)}\n`);
  }

  #left(elapsedMs: number): string {
    if (this.#budgetMs === 0) return '';
    return `, ${Math.max(0, Math.ceil((this.#budgetMs - elapsedMs) / 1000))} s left`;
  }

  end(): void {
    clearStatus();
  }
}

export async function withProgress<T>(
  title: string,
  work: (progress: ProgressCallback) => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> {
  if (!terminal.isTTY) return work(() => {});
  let share: number | undefined;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks >= TICKS_BEFORE) showStatus(lineOf(title, ticks, share), terminal);
  }, TICK_MS);
  try {
    return await work((done, total) => {
      share = done / total;
    });
  } finally {
    clearInterval(timer);
    if (ticks >= TICKS_BEFORE) clearStatus(terminal);
  }
}

function lineOf(title: string, ticks: number, share: number | undefined): string {
  const bar = share === undefined ? swing(ticks) : filled(Math.round(share * WIDTH));
  const seconds = Math.floor((ticks * TICK_MS) / 1000);
  return `${title} [${bar}] ${seconds} s`;
}

function filled(length: number): string {
  return '='.repeat(length).padEnd(WIDTH);
}

function swing(ticks: number): string {
  const span = WIDTH - 4;
  const step = ticks % (2 * span);
  return `${' '.repeat(step < span ? step : 2 * span - step)}====`.padEnd(WIDTH);
}
