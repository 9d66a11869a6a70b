import type { Clock } from '../clock/clock.ts';

/** A line that a command printed; `at` is the machine's time in milliseconds. */
export interface PrintedLine {
  at: number;
  from: 'out' | 'err';
  text: string;
}

/** Bounds of what is kept: lines, and characters of one. The newest stay. */
const MOST_LINES = 20_000;
const MOST_OF_ONE = 4000;

/** Takes down what a command prints, with the time of each line. */
export class PrintedLines {
  readonly #clock: Pick<Clock, 'real'>;
  #lines: PrintedLine[] = [];
  readonly #open = { out: '', err: '' };

  constructor(clock: Pick<Clock, 'real'>) {
    this.#clock = clock;
  }

  hear(from: PrintedLine['from'], text: string): void {
    const lines = (this.#open[from] + text).split('\n');
    this.#open[from] = (lines.pop() ?? '').slice(-MOST_OF_ONE);
    for (const line of lines) this.#add(from, line);
  }

  /** Oldest first; what ended in no line end is a line too. */
  lines(): readonly PrintedLine[] {
    for (const from of ['out', 'err'] as const) {
      if (this.#open[from] !== '') this.#add(from, this.#open[from]);
      this.#open[from] = '';
    }
    this.#lines = this.#lines.slice(-MOST_LINES);
    return this.#lines;
  }

  #add(from: PrintedLine['from'], line: string): void {
    // A line that was written over shows what it came to.
    const shown = line.split('\r').findLast((part) => part !== '') ?? '';
    this.#lines.push({ at: this.#clock.real(), from, text: shown.slice(0, MOST_OF_ONE) });
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES);
  }
}
