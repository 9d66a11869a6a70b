import type { ChildProcess } from 'node:child_process';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { PrintedLines } from '../runs/printed-lines.ts';
import type { OutputLine } from '../trace/trace-file.ts';

/** Takes down what a command prints, with the time of each line, on its way to where it goes. */
export class OutputTap {
  readonly #clock = new VirtualClock();
  readonly #printed = new PrintedLines(this.#clock);
  readonly began = this.#clock.real();

  /** Passes the output of a child on, byte by byte as it comes. */
  attach({ stdout, stderr }: ChildProcess): void {
    for (const [stream, target, from] of [
      [stdout, process.stdout, 'out'],
      [stderr, process.stderr, 'err'],
    ] as const) {
      stream?.pipe(target, { end: false });
      stream?.setEncoding('utf8').on('data', (text: string) => this.#printed.hear(from, text));
    }
  }

  /** Oldest first; what ended in no line end is a line too. */
  lines(): readonly OutputLine[] {
    return this.#printed.lines();
  }
}
