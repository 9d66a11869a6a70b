import { Command } from 'commander';
import { type ConfigOptions, type OptionName, optionNames, readConfig } from '../config.ts';
import { runToItsEnd } from './child-command.ts';
import { CommandEnd } from './command-end.ts';
import { addFlags } from './config-flags.ts';

/** What a fresh instance that ends with its command decides by itself. */
const SETTLED: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'supervise'];

const VARIABLES = `
The command finds the emulator by its environment: SVC_BASE_URL (without /v1), SVC_API_KEY,
OPENAI_BASE_URL (with /v1) and OPENAI_API_KEY. Its exit code is the exit code.`;

/** `svc-emulator exec -- COMMAND`: a fresh instance for one command. */
export function execCommand(): Command {
  const command = new Command('exec')
    .usage('[options] -- command [arguments]')
    .description('run a command against a fresh emulator that keeps nothing')
    .argument('<command...>', 'the command with its arguments');
  const names = optionNames().filter((name) => !SETTLED.includes(name));
  return addFlags(command, names).addHelpText('after', VARIABLES).action(exec);
}

async function exec(command: string[], flags: ConfigOptions): Promise<void> {
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, supervise: false };
  const config = readConfig({ log: 'silent', ...flags, ...settled });
  const { startEmulator } = await import('../emulator.ts');
  const { WELL_KNOWN_KEY } = await import('../seed.ts');
  const emulator = await startEmulator(config);
  try {
    const exitCode = await runToItsEnd(command, {
      ...process.env,
      ...addressOf(emulator.url, WELL_KNOWN_KEY),
    });
    if (exitCode !== 0) throw new CommandEnd(exitCode);
  } finally {
    await emulator.close();
  }
}

function addressOf(url: string, key: string): Record<string, string> {
  return {
    SVC_BASE_URL: url,
    SVC_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
  };
}
