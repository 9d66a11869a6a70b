import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { OutputBuffer, type OutputLine } from '../../base/output/output-line.ts';
import { CiCommandEscaper, ciRunsOutputCommands } from '../workflow-commands.ts';

const NOTE = /(?:^|\s)::svc note (\S.{0,1999})/u;

export class CommandOutput {
  readonly #clock = new VirtualClock();
  readonly #printed = new OutputBuffer(this.#clock, (line) => this.#lookForNote(line));
  onNote: ((text: string) => void) | undefined;
  readonly began = this.#clock.real();

  attach({ stdout, stderr }: ChildProcess): void {
    for (const [stream, target, from] of [
      [stdout, process.stdout, 'out'],
      [stderr, process.stderr, 'err'],
    ] as const) {
      const shown = ciRunsOutputCommands() ? stream?.pipe(new CiCommandEscaper()) : stream;
      shown?.pipe(target, { end: false });
      const decoder = new StringDecoder('utf8');
      stream?.on('data', (bytes: Buffer) => this.#printed.hear(from, decoder.write(bytes)));
    }
  }

  /** The lines that the command printed, including a last one without a line break. */
  lines(): readonly OutputLine[] {
    return this.#printed.lines();
  }

  #lookForNote(line: string): void {
    const [, text] = NOTE.exec(stripVTControlCharacters(line)) ?? [];
    if (text !== undefined) this.onNote?.(text);
  }
}
