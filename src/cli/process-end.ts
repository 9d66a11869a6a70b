import { ConfigError } from '../base/config/config.ts';
import { NativeModuleMissing } from '../base/database/open-sqlite.ts';
import { EmulatorError } from '../base/errors.ts';
import { DataFolderInUse, DataFolderUnusable } from '../engine/storage/data-folder.ts';
import { FixtureFolderBroken, WorldBroken } from '../service/fixtures/parsed-file.ts';
import { PortInUse } from '../service/http/port-in-use.ts';

/** The exit codes of every command. */
export const EXIT = { success: 0, failure: 1, wrongUse: 2, folderInUse: 3, innerFault: 70 } as const;

/** Ends a command with an exit code of its own; `message` is the line on standard error, if there is one to say. */
export class CommandEnd extends Error {
  override name = 'CommandEnd';
  readonly exitCode: number;

  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The exit code of a killed process where no signal is reported. */
const KILLED = 137;

/** Ends this process as `kill -9` does: nothing after it runs, and nothing is closed. */
export function crashHook(): never {
  if (process.platform !== 'win32') process.kill(process.pid, 'SIGKILL');
  process.exit(KILLED);
}

/** Whether a process ended so, or was killed from outside. */
export function wasKilled({ code, signal }: { code: number | null; signal: string | null }) {
  return signal === 'SIGKILL' || code === KILLED;
}

/** The longest that a stop may take; what still runs then is resumed or refunded at the next start, or goes with it. */
const STOP_LIMIT_MS = 4_500;

/** A terminal sends Ctrl-C to its whole process group, and npm passes it on once more: both are one signal. */
const ECHO_MS = 100;

export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `hear` with each signal and how many there were with it. The first one again within 100 ms is its echo and is
 * not counted. The answer ends it.
 */
export function countSignals<Name extends NodeJS.Signals>(
  names: readonly Name[],
  hear: (name: Name, count: number) => void,
): () => void {
  let heard = 0;
  let echo: Name | undefined;
  const count = (name: Name) => {
    if (name === echo) return;
    heard += 1;
    if (heard === 1) {
      echo = name;
      // An echo that came in time while the stop held the event loop is heard before the immediate.
      setTimeout(() => setImmediate(() => (echo = undefined)), ECHO_MS).unref();
    }
    hear(name, heard);
  };
  const listeners = names.map((name) => ({ name, listen: () => count(name) }));
  for (const { name, listen } of listeners) process.on(name, listen);
  return () => {
    for (const { name, listen } of listeners) process.off(name, listen);
  };
}

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP. From then on a stop has its limit, after which the process ends with
 * exit code 0; a second signal ends it at once with exit code 1.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    countSignals(STOP_SIGNALS, (_name, count) => {
      if (count > 1) process.exit(EXIT.failure);
      limitStop();
      resolve();
    });
  });
}

/** A stop has started: when its limit is over, the process ends with exit code 0. */
export function limitStop(): void {
  setTimeout(() => process.exit(EXIT.success), STOP_LIMIT_MS).unref();
}

/** Closes an emulator; one that takes longer does not hold the process. */
export async function closeInTime(emulator: { close(): Promise<void> }): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    limit = setTimeout(() => {
      resolve();
      // The exit code is set by then, and whatever is still open must not hold the process.
      setTimeout(() => process.exit(), 100).unref();
    }, STOP_LIMIT_MS);
  });
  await Promise.race([emulator.close(), late]);
  clearTimeout(limit);
}

/** What a command says in one line before it ends with `exitCode`. */
export interface ProcessFailure {
  exitCode: number;
  message: string;
}

/** What says by itself what is wrong and what to do. */
const SPOKEN = [DataFolderUnusable, EmulatorError, NativeModuleMissing, PortInUse];

/** Turns what a command threw into one line and an exit code; only a bug of ours keeps its stack. */
export function describeFailure(error: unknown): ProcessFailure {
  // That of a command, and of runs that cannot be made.
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    return { exitCode: error.exitCode, message: error.message };
  }
  if (error instanceof ConfigError) {
    return { exitCode: EXIT.wrongUse, message: `${error.message} See svc-emulator start --help.` };
  }
  if (error instanceof FixtureFolderBroken || error instanceof WorldBroken) {
    return { exitCode: EXIT.wrongUse, message: error.message };
  }
  if (error instanceof DataFolderInUse) {
    return { exitCode: EXIT.folderInUse, message: error.message };
  }
  if (SPOKEN.some((kind) => error instanceof kind)) {
    return { exitCode: EXIT.failure, message: (error as Error).message };
  }
  return { exitCode: EXIT.failure, message: listenFault(error) ?? unexpected(error) };
}

/** The texts of what an operating system refuses when a server wants to listen. */
const LISTEN_FAULTS = new Map([
  ['EACCES', (where: string) => `${where} may not be listened on by this user. Choose a --port above 1023.`],
  ['EADDRNOTAVAIL', (where: string) => `${where} is not an address of this machine. Choose another one with --host.`],
  ['ENOTFOUND', (where: string) => `${where} cannot be resolved. Choose another address with --host.`],
]);

function listenFault(error: unknown): string | undefined {
  const { code, syscall, port, address, hostname } = Object(error) as Record<string, unknown>;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const host = address ?? hostname ?? 'The address';
  return LISTEN_FAULTS.get(String(code))?.(port ? `Port ${port} of ${host}` : String(host));
}

function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return `Stopped by ${String(error)}.`;
  return error.stack ?? error.message;
}
