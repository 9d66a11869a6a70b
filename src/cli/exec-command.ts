import { Command, InvalidArgumentError } from 'commander';
import { type ConfigOptions, type OptionName, optionNames, readConfig } from '../config/config.ts';
import type { Emulator } from '../emulator.ts';
import { exitCodeOf, holdSignals, runToItsEnd } from './child-command.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { addFlags } from './config-flags.ts';
import { type AccountingFlags, RunAccounting } from './run-accounting.ts';

/** What a fresh instance that ends with its command decides by itself. */
const SETTLED: readonly OptionName[] = ['port', 'host', 'dataDir', 'ephemeral', 'supervise'];

const VARIABLES = `
The command finds the emulator by its environment: SVC_BASE_URL (without /v1), SVC_API_KEY,
OPENAI_BASE_URL (with /v1) and OPENAI_API_KEY. Its exit code is the exit code, but for a run that
succeeds and costs more than --max-credits: that is 1. What the run cost and what it never touched
is told on standard error.`;

/** `svc-emulator exec -- COMMAND`: a fresh instance for one command. */
export function execCommand(): Command {
  const command = new Command('exec')
    .usage('[options] -- command [arguments]')
    .description('run a command against a fresh emulator that keeps nothing')
    .argument('<command...>', 'the command with its arguments')
    .option('--max-credits <number>', 'fail a run that costs more', readCredits)
    .option(
      '--report <file>',
      'write what the run cost and left out: JSON, or JUnit properties when it ends in .xml (repeatable)',
      (file: string, earlier: string[] = []) => [...earlier, file],
    )
    .option('--baseline <file>', 'an earlier JSON report: the difference in spend is printed')
    .option('--quiet', 'say nothing at the end of what the run cost and left out');
  const names = optionNames().filter((name) => !SETTLED.includes(name));
  return addFlags(command, names).addHelpText('after', VARIABLES).action(exec);
}

async function exec(command: string[], flags: ConfigOptions & AccountingFlags): Promise<void> {
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, supervise: false };
  const config = readConfig({ log: 'silent', ...flags, ...settled });
  const accounting = new RunAccounting(flags);
  const signals = holdSignals();
  try {
    const { startEmulator } = await import('../emulator.ts');
    const emulator = await startEmulator(config, { tally: accounting.tally });
    const exitCode = await runBeside(emulator, command, { accounting, heard: signals.heard });
    const complaint = accounting.tell(emulator.unstruckFaults);
    if (exitCode !== EXIT.success) throw new CommandEnd(exitCode);
    if (complaint !== undefined) throw new CommandEnd(EXIT.failure, complaint);
  } finally {
    signals.release();
  }
}

/** Closes the emulator whatever becomes of the command. */
async function runBeside(
  emulator: Emulator,
  command: readonly string[],
  { accounting, heard }: { accounting: RunAccounting; heard: AbortSignal },
): Promise<number> {
  try {
    if (heard.aborted) return exitCodeOf(heard.reason);
    const { WELL_KNOWN_KEY } = await import('../seed.ts');
    const env = { ...process.env, ...addressOf(emulator.url, WELL_KNOWN_KEY) };
    const exitCode = await runToItsEnd(command, env);
    await accounting.settle(emulator.url, heard);
    await accounting.count();
    return exitCode;
  } finally {
    await closeInTime(emulator);
  }
}

/** What a stop may take; then the process ends with what it has. */
const CLOSE_LIMIT_MS = 4500;

async function closeInTime(emulator: Emulator): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    limit = setTimeout(() => {
      resolve();
      // The exit code is set by then, and whatever is still open must not hold the process.
      setTimeout(() => process.exit(), 100).unref();
    }, CLOSE_LIMIT_MS);
  });
  await Promise.race([emulator.close(), late]);
  clearTimeout(limit);
}

function addressOf(url: string, key: string): Record<string, string> {
  return {
    SVC_BASE_URL: url,
    SVC_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
  };
}

function readCredits(text: string): number {
  const credits = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(credits)) return credits;
  throw new InvalidArgumentError('It must be a whole number of credits.');
}
