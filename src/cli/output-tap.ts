import type { ChildProcess } from 'node:child_process';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { OutputLine } from '../trace/trace-file.ts';

/** Bounds of what is kept: lines, and characters of one. The newest stay. */
const MOST_LINES = 20_000;
const MOST_OF_ONE = 4000;

/** Takes down what a command prints, with the time of each line, on its way to where it goes. */
export class OutputTap {
  readonly #clock = new VirtualClock();
  readonly began = this.#clock.real();
  #lines: OutputLine[] = [];
  readonly #open = { out: '', err: '' };

  /** Passes the output of a child on, byte by byte as it comes. */
  attach({ stdout, stderr }: ChildProcess): void {
    for (const [stream, target, from] of [
      [stdout, process.stdout, 'out'],
      [stderr, process.stderr, 'err'],
    ] as const) {
      stream?.pipe(target, { end: false });
      stream?.setEncoding('utf8').on('data', (text: string) => this.#hear(from, text));
    }
  }

  /** Oldest first; what ended in no line end is a line too. */
  lines(): readonly OutputLine[] {
    for (const from of ['out', 'err'] as const) {
      if (this.#open[from] !== '') this.#add(from, this.#open[from]);
      this.#open[from] = '';
    }
    this.#lines = this.#lines.slice(-MOST_LINES);
    return this.#lines;
  }

  #hear(from: OutputLine['from'], text: string): void {
    const lines = (this.#open[from] + text).split('\n');
    this.#open[from] = (lines.pop() ?? '').slice(-MOST_OF_ONE);
    for (const line of lines) this.#add(from, line);
  }

  #add(from: OutputLine['from'], line: string): void {
    // A line that was written over shows what it came to.
    const shown = line.split('\r').findLast((part) => part !== '') ?? '';
    this.#lines.push({ at: this.#clock.real(), from, text: shown.slice(0, MOST_OF_ONE) });
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES);
  }
}
