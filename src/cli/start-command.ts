import { rmSync } from 'node:fs';
import { Command } from 'commander';
import {
  type Config,
  ConfigError,
  type ConfigOptions,
  flagOf,
  optionNames,
  readConfig,
  variableOf,
} from '../base/config/config.ts';
import type { Host } from '../emulator.ts';
import { openDataFolder } from '../engine/storage/data-folder.ts';
import { addFlags } from './config-flags.ts';
import { crashHook, limitStop, STOP_SIGNALS, stopSignal } from './process-end.ts';
import { withProgress } from './progress-bar.ts';
import type { Ready, StartOrder } from './supervise.ts';
import { say, sayAside } from './terminal-output.ts';

const VARIABLES = `
Each flag has an environment variable; flags win. ${flagOf('maxDisk')} is ${variableOf('maxDisk')},
a switch is set by true or 1, and what may be given several times is separated by commas there.
What neither says is read from svc-emulator.config.json, as in {"maxDisk": "1GiB", "strict": true}.

Exit codes: 0 after a signal, 1 on failure, 2 on wrong use, 3 when the data folder is in use.`;

/** `svc-emulator start`: runs until a signal comes. */
export function startCommand(): Command {
  const command = new Command('start').description('start the emulator (the default command)');
  return addFlags(command, optionNames()).addHelpText('after', VARIABLES).action(start);
}

const NOT_BOTH =
  '--https and --supervise cannot be combined: what is started again has another certificate. Leave one of them out.';

/** Runs until a signal comes, with these flags. */
export async function start(flags: ConfigOptions): Promise<void> {
  const config = readConfig(flags);
  // Renders, uploads and snapshots are written by many hands; none of them is for others to read [I229].
  process.umask(0o077);
  if (config.supervise && config.https) throw new ConfigError(NOT_BOTH);
  if (!config.supervise) return runEmulator(config, stopSignal());
  const { supervise } = await import('./supervise.ts');
  await supervise(flags, config);
}

/** Where one goes from here. */
function firstSteps(url: string, key: string): string {
  const rows = [
    ['dashboard', `${url}/`],
    ['base URL', `${url}/v1`],
    ['key', key],
    ['docs', `${url}/docs`],
  ];
  return rows.map(([name = '', value]) => `  ${name.padEnd(9)}  ${value}\n`).join('');
}

/** Runs the emulator until `stop` resolves, and says in one line where it listens; below it, on the other output, what is there. */
async function runEmulator(
  config: Config,
  stop: Promise<void>,
  host: Host = {},
  onReady: (ready: Ready) => void = () => {},
): Promise<void> {
  const { startEmulator } = await import('../emulator.ts');
  const { WELL_KNOWN_KEY } = await import('../engine/accounts/seed.ts');
  const emulator = await withProgress('starting', () => startEmulator(config, host));
  const { url, controlToken } = emulator;
  onReady({ port: Number(new URL(url).port || 80), controlToken });
  if (controlToken && controlToken !== config.controlToken) {
    say(`control token: ${controlToken}\n`);
  }
  if (emulator.authority) say(`certificate authority: ${emulator.authority.own}\n`);
  say(`svc-emulator ready on ${url}\n`);
  const { count } = emulator.lies;
  if (count > 0) say(`this emulator lies: rules of the contract that it breaks on purpose: ${count}\n`);
  if (config.log === 'pretty') sayAside(firstSteps(emulator.authority ? url : emulator.localUrl, WELL_KNOWN_KEY));
  await stop;
  await emulator.close();
}

/** `svc-emulator supervised`: what `start --supervise` starts. It takes its orders over its IPC channel. */
export function supervisedCommand(): Command {
  return new Command('supervised').description('the process that start --supervise starts').action(async () => {
    if (!process.send) {
      throw new ConfigError('The command supervised is not for you; use start --supervise.');
    }
    try {
      await obey();
    } finally {
      // An open channel would keep the process alive.
      if (process.connected) process.disconnect();
    }
  });
}

async function obey(): Promise<void> {
  const { started, stopped } = orders();
  const { flags, folder } = await started;
  // That of an ephemeral emulator outlives this process.
  const kept = folder === undefined ? undefined : openDataFolder({ dataDir: folder, ephemeral: false });
  await runEmulator(readConfig(flags), stopped, { crashHook, folder: kept }, (ready) => process.send?.(ready, deaf));
  // Otherwise the supervisor, which made it, removes it.
  if (folder && !process.connected) rmSync(folder, { recursive: true, force: true });
}

/** The end of the channel shows that the supervisor is gone. */
function deaf(): void {}

/**
 * The supervisor counts the signals, so a stop is asked for once however many arrive: a terminal's interrupt
 * reaches both processes. Without a supervisor there is nothing left to run for.
 */
function orders(): { started: Promise<StartOrder>; stopped: Promise<void> } {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  void stopped.then(limitStop);
  for (const name of STOP_SIGNALS) process.on(name, stop);
  const started = new Promise<StartOrder>((resolve, reject) => {
    process.on('message', (order: StartOrder | 'stop') => (order === 'stop' ? stop() : resolve(order)));
    process.once('disconnect', () => {
      stop();
      reject(new Error('The supervisor ended before it said what to start.'));
    });
  });
  return { started, stopped };
}
