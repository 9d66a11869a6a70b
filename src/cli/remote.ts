import { Command } from 'commander';
import {
  type ConfigOptions,
  noProxyVariables,
  type OptionName,
  readConfig,
  sdkEnvironmentVariables,
} from '../base/config/config.ts';
import { VERSION } from '../base/package/package-folder.ts';
import { ControlConnection } from '../control/control-connection.ts';
import { ControlError, NoEmulator, NotAnEmulator } from '../control/control-errors.ts';
import { addFlags } from './config-flags.ts';
import { CommandError, EXIT_CODES } from './process-end.ts';
import { printToStderr } from './terminal-output.ts';

const ADDRESS: readonly OptionName[] = ['host', 'port', 'controlToken', 'config'];

const MEANT: Partial<Record<string, string>> = {
  host: 'connect to the emulator on this host (default: 127.0.0.1)',
  port: 'connect to this port (default: 4600)',
  controlToken: 'use this control token',
};

export interface RemoteFlags extends Pick<ConfigOptions, 'host' | 'port' | 'controlToken' | 'config'> {
  json?: boolean;
}

export interface CommandToolOptions {
  words: readonly string[];
  flags: RemoteFlags;
  ending: AbortSignal;
}

export function createRemoteCommand(name: string, description: string): Command {
  return createCommandWithAddress(name, description).option('--json', 'print JSON');
}

export function createCommandWithAddress(name: string, description: string): Command {
  const command = addFlags(new Command(name).description(description), ADDRESS);
  for (const option of command.options) option.description = MEANT[option.attributeName()] ?? option.description;
  return command;
}

export function connectionFromFlags(flags: RemoteFlags): ControlConnection {
  const { controlToken } = readConfig({ controlToken: flags.controlToken, config: flags.config });
  return new ControlConnection(addressOf(flags), {
    controlToken,
    onUnused(fields) {
      printToStderr(`Had no effect: ${fields.replaceAll(/;([^,]*)/g, ' ($1)')}\n`);
    },
  });
}

/** Throws `CommandError` (1) if no emulator responds at the address, or if it rejects the call. */
export async function withEmulatorConnection<T>(
  flags: RemoteFlags,
  work: (control: ControlConnection) => Promise<T>,
): Promise<T> {
  const control = connectionFromFlags(flags);
  try {
    return await work(control);
  } catch (error) {
    if (error instanceof NoEmulator) throw noEmulatorError(control.url);
    if (error instanceof ControlError && error.status === 401) {
      throw new CommandError(EXIT_CODES.failure, `${error.message} ${TOKEN_REMEDY}`);
    }
    if (error instanceof ControlError || error instanceof NotAnEmulator) {
      throw new CommandError(EXIT_CODES.failure, error.message);
    }
    throw error;
  }
}

const TOKEN_REMEDY = 'Give it to this command with --control-token, or set SVC_EMULATOR_CONTROL_TOKEN.';

/** Throws `NotAnEmulator` if another version or program responds, and `ControlError` for an unknown account. */
export async function requireSameVersionAndKnownAccount(
  control: ControlConnection,
  account: string | undefined,
): Promise<void> {
  const { version } = Object(await control.call('getHealth'));
  if (version !== VERSION) throw notAnEmulatorError(control.url);
  if (account !== undefined) await control.call('showAccount', { id: account });
}

export function notAnEmulatorError(url: string): NotAnEmulator {
  return new NotAnEmulator(`The server at ${url} is not svc-emulator of this version. Check --host and --port.`);
}

function addressOf(flags: RemoteFlags): string {
  const { host, port } = readConfig({ host: flags.host, port: flags.port, config: flags.config });
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

export function noEmulatorError(url: string): CommandError {
  return new CommandError(
    EXIT_CODES.failure,
    `No emulator responds at ${url}. Start one with svc-emulator start, or set its address with --host and --port (SVC_EMULATOR_HOST, SVC_EMULATOR_PORT).`,
  );
}

export function emulatorVariables(
  url: string,
  { key, controlToken }: { key: string; controlToken: string | undefined },
): Record<string, string> {
  const { hostname, port } = new URL(url);
  return {
    ...sdkEnvironmentVariables({ url, key }),
    ...noProxyVariables(),
    SVC_EMULATOR_HOST: hostname,
    SVC_EMULATOR_PORT: port,
    ...(controlToken !== undefined && { SVC_EMULATOR_CONTROL_TOKEN: controlToken }),
  };
}
