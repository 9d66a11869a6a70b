import { visibleText } from '../base/text.ts';

/** Prints a text on standard output, with what a terminal would carry out shown instead. */
export function say(text: string): void {
  process.stdout.write(visibleText(text));
}

/** The same on standard error. */
export function sayAside(text: string): void {
  process.stderr.write(visibleText(text));
}

/** Where a bar is drawn: standard error, unless it is no terminal. */
export interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** How far a piece of work is; said as often as it changes. */
export type Progress = (done: number, total: number) => void;

const TICK_MS = 100;
/** Ticks that pass before a bar appears: what takes less than a second needs none. */
const TICKS_BEFORE = 10;
const WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

/** Shows in one line of a terminal how far a command is, in place of what it showed before. */
export function showStatus(words: string, terminal: Terminal = process.stderr): void {
  terminal.write(CLEAR_LINE + visibleText(words).slice(0, (terminal.columns ?? 80) - 1));
}

/** Clears that line; where nothing is a terminal there is none. */
export function clearStatus(terminal: Terminal = process.stderr): void {
  if (terminal.isTTY) terminal.write(CLEAR_LINE);
}

/** Shows how far a long command is: a bar in one line of a terminal, else a line for each tenth. */
export class CommandProgress {
  readonly #doing: string;
  readonly #budgetMs: number;
  #printed = '0';

  /** `doing` is what the command does, such as checking; of a `budgetMs` of 0 nothing is left. */
  constructor(doing: string, budgetMs = 0) {
    this.#doing = doing;
    this.#budgetMs = budgetMs;
  }

  /** `done` is from 0 to 1, where the time that has passed is no larger share; each `phase` has lines of its own. */
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
    sayAside(`${this.#doing}, ${Math.floor(share * 10) * 10} %: ${words}${this.#left(elapsedMs)}\n`);
  }

  #left(elapsedMs: number): string {
    if (this.#budgetMs === 0) return '';
    return `, ${Math.max(0, Math.ceil((this.#budgetMs - elapsedMs) / 1000))} s left`;
  }

  end(): void {
    clearStatus();
  }
}

/** Does a piece of work; on a terminal a bar is shown for as long as it takes more than a second. */
export async function withProgress<T>(
  title: string,
  work: (progress: Progress) => Promise<T>,
  terminal: Terminal = process.stderr,
): Promise<T> {
  if (!terminal.isTTY) return work(() => {});
  let share: number | undefined;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks >= TICKS_BEFORE) showStatus(lineOf(title, { share, ticks }), terminal);
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

interface Stand {
  /** From 0 to 1; undefined where the work does not know. */
  share: number | undefined;
  ticks: number;
}

function lineOf(title: string, { share, ticks }: Stand): string {
  const bar = share === undefined ? swing(ticks) : filled(Math.round(share * WIDTH));
  const seconds = Math.floor((ticks * TICK_MS) / 1000);
  return `${title} [${bar}] ${seconds} s`;
}

function filled(length: number): string {
  return '='.repeat(length).padEnd(WIDTH);
}

/** A block that moves to and fro, where the progress is unknown. */
function swing(ticks: number): string {
  const span = WIDTH - 4;
  const step = ticks % (2 * span);
  return `${' '.repeat(step < span ? step : 2 * span - step)}====`.padEnd(WIDTH);
}
