import { Command } from 'commander';
import { type ConfigOptions, flagOf, optionNames, readConfig, variableOf } from '../config/config.ts';
import { addFlags } from './config-flags.ts';
import { runEmulator } from './run-emulator.ts';
import { stopSignal } from './stop-signals.ts';

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

async function start(flags: ConfigOptions): Promise<void> {
  const config = readConfig(flags);
  // Renders, uploads and snapshots are written by many hands; none of them is for others to read [I229].
  process.umask(0o077);
  if (!config.supervise) return runEmulator(config, stopSignal());
  const { supervise } = await import('./supervise.ts');
  await supervise(flags, config);
}
