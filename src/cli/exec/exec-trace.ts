import type { ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { OutputLine } from '../../base/output/output-line.ts';
import { PrintedLines } from '../../base/output/printed-lines.ts';
import { ControlConnection } from '../../control/control-connection.ts';
import { maskedText } from '../../control/mask/masked-text.ts';
import type { Emulator } from '../../emulator.ts';
import { isSet } from '../config-flags.ts';
import { EXIT } from '../process-end.ts';
import { keepTrace, requireOutput } from '../report-files.ts';
import { sayAside } from '../terminal-output.ts';

export const TRACE_ON = ['failure', 'always', 'never'] as const;

export interface TraceFlags {
  trace?: string;
  traceOn?: (typeof TRACE_ON)[number];
  traceMedia?: boolean;
}

/** Which runs are traced, and to which file. */
interface TracePlan {
  on: 'failure' | 'always';
  file: string;
  media: 'small' | 'whole';
}

/** What the trace of a run says of its command. */
interface Ended {
  url: string;
  controlToken: string;
  command: readonly string[];
  exitCode: number;
  /** Failed tests, and gates that are not passed. */
  failure: string | undefined;
}

/** Characters of why a run failed. */
const LONGEST_FAILURE = 10_000;

/** The trace of one run of `exec`: records what the command prints, and saves what the emulator has on record. */
export class ExecTrace {
  readonly #plan: TracePlan;
  readonly tap = new OutputTap();
  #html: string | undefined;

  /** Undefined where none is asked for: the command has the terminal to itself. Throws `CommandEnd` (2) for a file that cannot be written. */
  static of({ trace, traceOn, traceMedia }: TraceFlags, env: NodeJS.ProcessEnv): ExecTrace | undefined {
    const on = traceOn ?? (isSet(env.CI) ? 'failure' : 'always');
    if (trace === undefined || on === 'never') return undefined;
    requireOutput('--trace', trace);
    return new ExecTrace({ file: trace, on, media: traceMedia ? 'whole' : 'small' });
  }

  private constructor(plan: TracePlan) {
    this.#plan = plan;
  }

  /** Takes what is on record, while the emulator is still there. */
  async take({ url, controlToken, command, exitCode, failure }: Ended): Promise<void> {
    const { on, media } = this.#plan;
    if (on === 'failure' && exitCode === EXIT.success && failure === undefined) return;
    const output: OutputLine[] = [...this.tap.lines()];
    const order = {
      title: maskedText(command.join(' ')).slice(0, 500),
      media,
      exit: exitCode,
      ...(failure !== undefined && { failure: maskedText(failure).slice(0, LONGEST_FAILURE) }),
      began: this.tap.began,
      output,
      secrets: [controlToken],
    };
    this.#html = await new ControlConnection(url, { controlToken }).call('saveTrace', order);
  }

  /** Writes it, where the run came to what it is wanted for. Throws `CommandEnd` (1) where that cannot be. */
  keep(hasFailed: boolean): void {
    const { on, file } = this.#plan;
    if (this.#html === undefined || (on === 'failure' && !hasFailed)) return;
    keepTrace(file, this.#html);
    sayAside(`svc-emulator: wrote the trace of this run to ${file}; open it in a browser.\n`);
  }
}

/** A runner may print something before it. */
const NOTE = /(?:^|\s)::svc note (\S.{0,1999})/u;

/** Records what a command prints, with the time of each line, on its way to where it goes. */
export class OutputTap {
  readonly #clock = new VirtualClock();
  readonly #printed = new PrintedLines(this.#clock, (line) => this.#lookForNote(line));
  /** Takes the text of each line `::svc note TEXT`. */
  onNote: ((text: string) => void) | undefined;
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

  #lookForNote(line: string): void {
    const [, text] = NOTE.exec(stripVTControlCharacters(line)) ?? [];
    if (text !== undefined) this.onNote?.(text);
  }
}

/** A note that cannot be kept is still a line of the output. */
export async function putNote(emulator: Emulator, text: string): Promise<void> {
  await emulator.control('POST', '/_emulator/notes', { body: { text } }).catch(() => undefined);
}
