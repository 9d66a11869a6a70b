import { constants } from 'node:os';
import { FixtureFolderError, WorldFileError } from '../base/config/config.ts';
import { NativeModuleError } from '../base/database/open-sqlite.ts';
import { ConfigError, EmulatorError } from '../base/errors.ts';
import { DataFolderInUse, DataFolderUnusable } from '../engine/storage/data-folder.ts';
import { PortInUse } from '../service/http/port-in-use.ts';

export const EXIT_CODES = { success: 0, failure: 1, wrongUse: 2, folderInUse: 3, innerFault: 70 } as const;

/** `message` is printed on standard error. An empty one prints nothing. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message = '') {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(EXIT_CODES.wrongUse, message);
}

/** How long a stop may take. In a data folder that is kept, unfinished work continues or is refunded at the next start. */
const STOP_LIMIT_MS = 4_500;

/**
 * Repetitions of the first signal within this time are ignored: a terminal sends Ctrl-C to its whole process group, and
 * npm sends it again.
 */
const ECHO_MS = 100;

/**
 * Signals that end a process unless it listens. SIGSEGV and the like, which show a broken program, are left out, and so is
 * SIGUSR1, with which Node opens its debugger.
 */
const ENDING: readonly NodeJS.Signals[] = [
  ...(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM'] as const),
  ...(['SIGPROF', 'SIGXCPU', 'SIGIO', 'SIGPWR', 'SIGSTKFLT'] as const),
];
export const STOP_SIGNALS = ENDING.filter((name) => name in constants.signals);

/** Calls `hear` with each signal and their number so far. Ignores repetitions of the first one within 100 ms. */
export function onSignals<Name extends NodeJS.Signals>(
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
      // `setImmediate`, because the stop may block the event loop: a repeated signal must be handled before the echo is
      // forgotten.
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
 * Resolves at the first signal, and limits the stop to a few seconds. A second signal ends the process at once with
 * exit code 1.
 */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    onSignals(STOP_SIGNALS, (_name, count) => {
      if (count > 1) process.exit(EXIT_CODES.failure);
      limitStop();
      resolve();
    });
  });
}

function limitStop(): void {
  setTimeout(() => process.exit(EXIT_CODES.success), STOP_LIMIT_MS).unref();
}

export async function closeWithTimeout(emulator: { close(): Promise<void> }): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    limit = setTimeout(() => {
      resolve();
      // Open handles must not keep the process alive.
      setTimeout(() => process.exit(), 100).unref();
    }, STOP_LIMIT_MS);
  });
  await Promise.race([emulator.close(), late]);
  clearTimeout(limit);
}

const ERRORS_WITHOUT_STACK = [DataFolderUnusable, EmulatorError, NativeModuleError, PortInUse];

export function exitCodeAndMessage(error: unknown): { exitCode: number; message: string } {
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    return { exitCode: error.exitCode, message: error.message };
  }
  if (error instanceof ConfigError) {
    return { exitCode: EXIT_CODES.wrongUse, message: error.message };
  }
  if (error instanceof FixtureFolderError || error instanceof WorldFileError) {
    return { exitCode: EXIT_CODES.wrongUse, message: error.message };
  }
  if (error instanceof DataFolderInUse) {
    return { exitCode: EXIT_CODES.folderInUse, message: error.message };
  }
  if (ERRORS_WITHOUT_STACK.some((kind) => error instanceof kind)) {
    return { exitCode: EXIT_CODES.failure, message: (error as Error).message };
  }
  return { exitCode: EXIT_CODES.failure, message: listenFault(error) ?? unexpected(error) };
}

const LISTEN_FAULTS = new Map([
  ['EACCES', (where: string) => `This user may not listen on ${where}. Choose a --port above 1023.`],
  ['EADDRNOTAVAIL', (where: string) => `${where} is not an address of this machine. Choose another one with --host.`],
  ['ENOTFOUND', (where: string) => `${where} cannot be resolved. Choose another address with --host.`],
]);

function listenFault(error: unknown): string | undefined {
  const { code, syscall, port, address, hostname } = Object(error) as Record<string, unknown>;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const host = address ?? hostname ?? 'The address';
  return LISTEN_FAULTS.get(String(code))?.(port ? `port ${port} of ${host}` : String(host));
}

function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return `Stopped by ${String(error)}.`;
  return error.stack ?? error.message;
}
