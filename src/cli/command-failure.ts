import { ConfigError } from '../base/config/config.ts';
import { NativeModuleMissing } from '../base/database/better-sqlite.ts';
import { EmulatorError } from '../base/errors.ts';
import { RunFault } from '../check/runner/runner.ts';
import { DataFolderInUse, DataFolderUnusable } from '../engine/storage/make-folder.ts';
import { FixtureFolderBroken, WorldBroken } from '../service/fixtures/parsed-file.ts';
import { PortInUse } from '../service/http/port-in-use.ts';
import { CommandEnd, EXIT } from './process-end.ts';

/** What a command says in one line before it ends with `exitCode`. */
export interface Failure {
  exitCode: number;
  message: string;
}

/** What says by itself what is wrong and what to do. */
const SPOKEN = [DataFolderUnusable, EmulatorError, NativeModuleMissing, PortInUse];

/** Turns what a command threw into one line and an exit code; only a bug of ours keeps its stack. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandEnd) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof ConfigError) {
    return { exitCode: EXIT.wrongUse, message: `${error.message} See svc-emulator start --help.` };
  }
  if (error instanceof FixtureFolderBroken || error instanceof WorldBroken) {
    return { exitCode: EXIT.wrongUse, message: error.message };
  }
  if (error instanceof RunFault) return { exitCode: error.exitCode, message: error.message };
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
  ['EADDRNOTAVAIL', (where: string) => `${where} is no address of this machine. Choose another one with --host.`],
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

/** A check that failed: its message is the finding. */
class Trouble extends Error {}

export function fail(message: string): never {
  const trouble = new Trouble(message);
  // Only the message is shown.
  trouble.stack = message;
  throw trouble;
}
