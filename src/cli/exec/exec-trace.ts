import type { ChildProcess } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { type OutputLine, PrintedLines } from '../../base/output/output-line.ts';
import { ControlConnection } from '../../control/control-connection.ts';
import { maskedText } from '../../control/mask/mask.ts';
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

interface TracePlan {
  on: 'failure' | 'always';
  file: string;
  media: 'small' | 'whole';
}

interface Ended {
  url: string;
  controlToken: string;
  command: readonly string[];
  exitCode: number;
  failure: string | undefined;
}

const LONGEST_FAILURE = 10_000;

export class ExecTrace {
  readonly #plan: TracePlan;
  readonly tap = new OutputTap();
  #html: string | undefined;

  /** Returns undefined if no trace is wanted. Throws `CommandEnd` (2) if the file cannot be written. */
  static of({ trace, traceOn, traceMedia }: TraceFlags, env: NodeJS.ProcessEnv): ExecTrace | undefined {
    const on = traceOn ?? (isSet(env.CI) ? 'failure' : 'always');
    if (trace === undefined || on === 'never') return undefined;
    requireOutput('--trace', trace);
    return new ExecTrace({ file: trace, on, media: traceMedia ? 'whole' : 'small' });
  }

  private constructor(plan: TracePlan) {
    this.#plan = plan;
  }

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

  /** Throws `CommandEnd` (1) if the file cannot be written. */
  keep(hasFailed: boolean): void {
    const { on, file } = this.#plan;
    if (this.#html === undefined || (on === 'failure' && !hasFailed)) return;
    keepTrace(file, this.#html);
    sayAside(`svc-emulator: wrote the trace of this run to ${file}; open it in a browser.\n`);
  }
}

/** A runner may print a prefix before it. */
const NOTE = /(?:^|\s)::svc note (\S.{0,1999})/u;

export class OutputTap {
  readonly #clock = new VirtualClock();
  readonly #printed = new PrintedLines(this.#clock, (line) => this.#lookForNote(line));
  onNote: ((text: string) => void) | undefined;
  readonly began = this.#clock.real();

  attach({ stdout, stderr }: ChildProcess): void {
    for (const [stream, target, from] of [
      [stdout, process.stdout, 'out'],
      [stderr, process.stderr, 'err'],
    ] as const) {
      stream?.pipe(target, { end: false });
      stream?.setEncoding('utf8').on('data', (text: string) => this.#printed.hear(from, text));
    }
  }

  /** An unfinished last line counts too. */
  lines(): readonly OutputLine[] {
    return this.#printed.lines();
  }

  #lookForNote(line: string): void {
    const [, text] = NOTE.exec(stripVTControlCharacters(line)) ?? [];
    if (text !== undefined) this.onNote?.(text);
  }
}

/** A note that cannot be recorded stays in the output. */
export async function putNote(emulator: Emulator, text: string): Promise<void> {
  await emulator.control('POST', '/_emulator/notes', { body: { text } }).catch(() => undefined);
}
