import { ConfigError } from '../config/config.ts';
import { EmulatorError } from '../errors.ts';
import { ExploreFault } from '../explore/world.ts';
import { FixtureFolderBroken } from '../fixtures/folder-fault.ts';
import { DataFolderInUse, DataFolderUnusable } from '../storage/data-folder.ts';
import { CommandEnd } from './command-end.ts';

export const EXIT = { success: 0, failure: 1, wrongUse: 2, folderInUse: 3 } as const;

/** What a command says in one line before it ends with `exitCode`. */
export interface Failure {
  exitCode: number;
  message: string;
}

/** Turns what a command threw into one line and an exit code; only a bug of ours keeps its stack. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommandEnd) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof ConfigError) {
    return { exitCode: EXIT.wrongUse, message: `${error.message} See svc-emulator start --help.` };
  }
  if (error instanceof FixtureFolderBroken) {
    return { exitCode: EXIT.wrongUse, message: error.message };
  }
  if (error instanceof ExploreFault) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof DataFolderInUse) {
    return { exitCode: EXIT.folderInUse, message: error.message };
  }
  if (error instanceof DataFolderUnusable || error instanceof EmulatorError) {
    return { exitCode: EXIT.failure, message: error.message };
  }
  return { exitCode: EXIT.failure, message: listenFault(error) ?? unexpected(error) };
}

/** The texts of what an operating system refuses when a server wants to listen. */
const LISTEN_FAULTS = new Map([
  [
    'EADDRINUSE',
    (where: string) =>
      `${where} is in use by another program. Stop that one, choose another port with --port (or SVC_EMULATOR_PORT), or let --port 0 pick a free one.`,
  ],
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
  if (error.message.includes('better_sqlite3.node')) return NATIVE_MODULE_MISSING;
  return error.stack ?? error.message;
}

const NATIVE_MODULE_MISSING =
  'better-sqlite3 has no compiled part for this Node: npm was kept from running its install script, or Node was changed since. Run npm rebuild better-sqlite3 (npm 11: npm install-scripts approve better-sqlite3 before it).';
