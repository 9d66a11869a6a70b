import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../base/clock/clock.ts';
import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import { describeLoadOrStartError } from '../../base/load-or-start-error.ts';
import { Random } from '../../base/random.ts';
import { tailWithoutPartialSecret } from '../../control/mask/mask.ts';
import {
  killLeftoverProcessGroup,
  killProcessesByVariable,
  type LeftoverProcess,
  OUTPUT_DRAIN_MS,
  PROCESS_MARK_VARIABLE,
  signalProcessGroup,
} from './leftover-processes.ts';
import { startWithMarkedDescendants } from './stray-processes.ts';

export interface ShellExit {
  code: number | undefined;
  signal: string | undefined;
  isHung: boolean;
  left: readonly LeftoverProcess[];
}

type Listener = (from: 'out' | 'err', text: string) => void;

const KEPT = 64 * 1024;

export class ShellProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<ShellExit>;
  #listener: Listener = () => {};
  #output = '';
  #stdout = '';
  #isHung = false;
  #left: LeftoverProcess[] = [];
  #isOver = false;
  #isKilled = false;
  readonly #mark = new Random().scratchName();

  constructor(command: string, options: { env: NodeJS.ProcessEnv; input?: string; cwd?: string | undefined }) {
    const { env, input, cwd } = options;
    const isPosix = process.platform !== 'win32';
    const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
    const marked = { ...env, [PROCESS_MARK_VARIABLE]: this.#mark };
    const settings = { shell: true, detached: isPosix, env: marked, cwd, stdio: [...stdio] };
    this.#child = startWithMarkedDescendants(() => spawn(command, settings));
    // The streams decode the output, so that a character that arrives in two pieces is joined.
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#hear('out', text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#hear('err', text));
    if (input !== undefined) {
      this.#child.stdin?.on('error', () => {});
      this.#child.stdin?.end(input);
    }
    this.#ended = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null) => {
        this.#killGroup();
        this.#isOver = true;
        const [isHung, left] = [this.#isHung, this.#left];
        resolve({ code: code ?? undefined, signal: signal ?? undefined, isHung, left });
      };
      this.#child.once('error', (error) => {
        const install = 'Check that commands run in a shell.';
        this.#hear('err', `${describeLoadOrStartError(error, { name: 'The shell', install })}\n`);
        end(126, null);
      });
      this.#child.once('close', end);
      this.#child.once('exit', () => {
        this.#left = this.#endGroup();
        new VirtualClock().after(OUTPUT_DRAIN_MS, () => this.#closeOutput());
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  onOutput(listener: Listener): void {
    this.#listener = listener;
  }

  async end(clock: Clock, limitMs: number | undefined, signal?: AbortSignal): Promise<ShellExit> {
    const cancel =
      limitMs === undefined
        ? undefined
        : clock.after(limitMs, () => {
            this.#isHung = true;
            this.#killGroup();
          });
    const stop = () => this.#killGroup();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      return await this.#ended;
    } finally {
      cancel?.();
      signal?.removeEventListener('abort', stop);
    }
  }

  endDetached(): LeftoverProcess[] {
    return killProcessesByVariable(`${PROCESS_MARK_VARIABLE}=${this.#mark}`);
  }

  async kill(): Promise<void> {
    this.#killGroup();
    await this.#ended;
  }

  #hear(from: 'out' | 'err', text: string): void {
    this.#output = tailWithoutPartialSecret(this.#output + text, KEPT);
    if (from === 'out') this.#stdout = (this.#stdout + text).slice(-KEPT * 16);
    this.#listener(from, text);
  }

  /** Closes the output, because a process that left the process group may keep it open. */
  #closeOutput(): void {
    if (this.#isOver) return;
    this.#left.push(...this.endDetached());
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Does nothing after the end of the process, because its id may then belong to another one. */
  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    this.#isKilled = true;
    if (process.platform === 'win32') this.#child.kill('SIGKILL');
    else signalProcessGroup(pid);
  }

  #endGroup(): LeftoverProcess[] {
    const { pid } = this.#child;
    const isOver = this.#isKilled || this.#isOver || process.platform === 'win32';
    return pid === undefined || isOver ? [] : killLeftoverProcessGroup(pid);
  }
}
