import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { forwardAbort } from '../base/clock/clock.ts';
import { quoted } from '../base/errors.ts';
import { describeLoadOrStartError } from '../base/load-or-start-error.ts';
import { Random } from '../base/random.ts';
import { distinct } from '../base/text.ts';
import {
  describeLeftoverProcesses,
  findProcessesByVariable,
  killLeftoverProcessGroup,
  type LeftoverProcess,
  OUTPUT_DRAIN_MS,
  PROCESS_MARK_VARIABLE,
} from '../check/runner/leftover-processes.ts';
import { findStrayProcesses, startWithMarkedDescendants } from '../check/runner/stray-processes.ts';
import type { ControlConnection } from '../control/control-connection.ts';
import { ControlError } from '../control/control-errors.ts';
import { CommandError, EXIT_CODES, exitCodeAndMessage, onSignals, STOP_SIGNALS } from './process-end.ts';
import { printToStderr } from './terminal-output.ts';

const KILL_AFTER_MS = 10_000;

/** Signals that the command gets from the terminal itself, if there is one. */
const TYPED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** Signals that are passed on as they are, because a command may handle them in its own way. The others become SIGTERM. */
const PASSED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', ...TYPED];

const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

/**
 * Returns the exit code, or 128 plus the number of the signal that ended the command. The first signal to this process
 * is passed on unless the terminal did so; a second one, or ten seconds, kills the command. Throws `CommandError` with
 * 127 for an unknown command, or 126 for one that cannot be run.
 */
export async function runCommandToEnd(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  tap?: { attach(child: ChildProcess): void },
): Promise<number> {
  // On a terminal the command stays in the foreground, where it can read keys and gets Ctrl-C from the terminal.
  const hasTerminal = process.stdin.isTTY === true;
  const isShell = process.platform === 'win32';
  const mark = new Random().scratchName();
  const child = started(command, args, {
    stdio: tap ? ['inherit', 'pipe', 'pipe'] : 'inherit',
    env: { ...(tap && colours()), ...env, [PROCESS_MARK_VARIABLE]: mark },
    detached: !hasTerminal && !isShell,
    shell: isShell,
  });
  tap?.attach(child);
  const release = passSignals(child, hasTerminal);
  try {
    return await ending(child, command, mark);
  } finally {
    release();
  }
}

/** Asks the command for colors if this process prints to a terminal, because most programs print none to a pipe. */
function colours(): NodeJS.ProcessEnv {
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
}

/**
 * Names processes that still run, and does not stop them: some may be meant to outlive the command, such as a build
 * daemon.
 */
function sayWhatRuns(mark: string, ended: readonly LeftoverProcess[]): void {
  const found = [...findProcessesByVariable(`${PROCESS_MARK_VARIABLE}=${mark}`), ...findStrayProcesses()];
  const running = distinct(found, ({ pid }) => `${pid}`).filter(({ pid }) => !ended.some((each) => each.pid === pid));
  if (running.length === 0) return;
  printToStderr(`svc-emulator: the command started processes that still run: ${describeLeftoverProcesses(running)}.\n`);
}

function ending(child: ChildProcess, command: string, mark: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(command, error)));
    child.once('exit', (code, signal) => {
      const left = child.pid === undefined ? [] : killLeftoverProcessGroup(child.pid);
      if (left.length > 0)
        printToStderr(
          `svc-emulator: the command left processes running, which were stopped: ${describeLeftoverProcesses(left)}.\n`,
        );
      sayWhatRuns(mark, left);
      const end = () => resolve(code ?? exitCodeOfSignal(signal));
      if (child.stdout === null) return end();
      // Waits a moment for the last output, but not forever, because another process can keep the pipe open.
      const timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        end();
      }, OUTPUT_DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        end();
      });
    });
  });
}

function passSignals(child: ChildProcess, hasTerminal: boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  const release = onSignals(STOP_SIGNALS, (signal, count) => {
    if (count > 1) return send(child, 'SIGKILL');
    timer = setTimeout(() => send(child, 'SIGKILL'), KILL_AFTER_MS).unref();
    const isSent = hasTerminal && TYPED.includes(signal);
    if (!isSent) send(child, PASSED.includes(signal) ? signal : 'SIGTERM');
  });
  return () => {
    clearTimeout(timer);
    release();
  };
}

export function exitCodeOfSignal(signal: NodeJS.Signals | null): number {
  return 128 + (signal ? constants.signals[signal] : 0);
}

/** The first signal aborts `heard` with its name as the reason. Until `release`, no stop signal ends the process. */
export function deferSignals(): { heard: AbortSignal; release(): void } {
  const controller = new AbortController();
  const release = onSignals(STOP_SIGNALS, (signal) => controller.abort(signal));
  return { heard: controller.signal, release };
}

/** Sends to the command's own process group, if it has one, so that its children get the signal too. */
function send(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

function started(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return startWithMarkedDescendants(() => spawn(command, args, options));
  } catch (error) {
    throw notStarted(command, error as NodeJS.ErrnoException);
  }
}

function notStarted(command: string, error: NodeJS.ErrnoException): CommandError {
  const file = programFile(command);
  if (error.code === 'ENOENT' && file === undefined) {
    const remedy = /\s/.test(command)
      ? 'Write its words apart, as in svc-emulator exec -- npm test'
      : 'Check its spelling, and that PATH contains its folder';
    return new CommandError(NOT_FOUND, `There is no command ${quoted(command)}. ${remedy}.`);
  }
  const install = 'Check that it runs in a shell.';
  return new CommandError(NOT_RUNNABLE, describeLoadOrStartError(error, { name: `"${command}"`, file, install }));
}

function programFile(command: string): string | undefined {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.resolve(folder, command)).find((file) => existsSync(file));
}

function hearCrash(): { heard: Promise<never>; release(): void } {
  let hear = (_error: Error) => {};
  const heard = new Promise<never>((_, reject) => {
    hear = reject;
  });
  process.once('uncaughtException', hear);
  return { heard, release: () => void process.off('uncaughtException', hear) };
}

function endOfRun(error: unknown, use: string): CommandError {
  if (error instanceof CommandError) return error;
  const { exitCode, message } = exitCodeAndMessage(error);
  if (exitCode !== EXIT_CODES.failure) return new CommandError(exitCode, message);
  return new CommandError(
    EXIT_CODES.innerFault,
    `An internal error of ${use}, not of the command that it ran: ${message}`,
  );
}

interface Opened {
  progress: { end(): void };
  close(): Promise<void>;
}

/** Closes what was opened, even after a failure. Rejects if `open` does. No stop signal ends the process halfway. */
export async function runWithCleanup<Open extends Opened>(
  { use }: { use: string },
  open: (signal: AbortSignal) => Promise<Open>,
  work: (opened: Open) => Promise<unknown>,
): Promise<{ opened: Open; end: CommandError | undefined }> {
  const { heard, release } = deferSignals();
  const stop = new AbortController();
  forwardAbort(stop, heard);
  try {
    const opened = await open(stop.signal);
    const crash = hearCrash();
    const asEnd = (error: unknown) => endOfRun(error, use);
    const ends = [await Promise.race([work(opened), crash.heard]).then(() => undefined, asEnd)];
    if (ends[0]) stop.abort();
    opened.progress.end();
    ends.push(await opened.close().then(() => undefined, asEnd));
    crash.release();
    const end = heard.aborted
      ? new CommandError(exitCodeOfSignal(heard.reason))
      : ends.find((each) => each !== undefined);
    return { opened, end };
  } finally {
    release();
  }
}

const SETTLE_SECONDS = 30;

export async function waitForIdleOrDescribeError(
  control: ControlConnection,
  heard: AbortSignal,
): Promise<string | null> {
  try {
    await control.until(heard).call('waitFor', { for: 'idle', timeout: SETTLE_SECONDS });
    return null;
  } catch (error) {
    if (heard.aborted) return 'a signal ended the wait for work in progress.';
    if (error instanceof ControlError) return error.message;
    throw error;
  }
}
