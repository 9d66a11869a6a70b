import { Command, Option } from 'commander';
import { type ConfigOptions, optionNames, readConfig } from '../../base/config/config.ts';
import { Random } from '../../base/random.ts';
import { ControlConnection } from '../../control/control-connection.ts';
import { maskText } from '../../control/mask/mask.ts';
import type { Emulator } from '../../emulator.ts';
import { openDataFolder } from '../../engine/storage/data-folder.ts';
import { deferSignals, exitCodeOfSignal, runCommandToEnd } from '../child-command.ts';
import {
  ADDRESS_AND_FOLDER_OPTION_NAMES,
  addFlags,
  appendValue,
  EMBEDDED_EMULATOR_DEFAULTS,
  EMULATOR_OPTIONS_HEADING,
  isTrueVariable,
  parsePercentage,
  requireCompanionOptions,
  wholeNumberParser,
} from '../config-flags.ts';
import { CommandError, closeWithTimeout, EXIT_CODES, usageError } from '../process-end.ts';
import { emulatorVariables } from '../remote.ts';
import { requireNewOrEmptyFolder, requireWritableOutput, writeTraceFile } from '../report-files.ts';
import { printToStderr } from '../terminal-output.ts';
import { CommandOutput } from './command-output.ts';
import type { RunReporter, RunReporterFlags } from './run-reporter.ts';

const VARIABLES = `
The command finds the emulator in its environment: SVC_BASE_URL (without /v1), SVC_API_KEY, OPENAI_BASE_URL (with /v1)
and OPENAI_API_KEY. Other svc-emulator commands read SVC_EMULATOR_HOST, SVC_EMULATOR_PORT and SVC_EMULATOR_CONTROL_TOKEN.

exec exits with the code of the command, or with 1 if the command succeeds and a gate fails. It prints to standard error
the credits that the run spent. If the command fails, it also prints the failed requests, jobs and webhooks.`;

type ExecFlags = ConfigOptions & RunReporterFlags;

export function createExecCommand(): Command {
  const command = new Command('exec')
    .usage('[options] -- command [arguments]')
    .description('run a command, such as a test suite, against a fresh emulator')
    .argument('<command...>', 'the command with its arguments')
    .optionsGroup('Gates:')
    .option('--max-credits <number>', 'fail if the run spends more credits than this', wholeNumberParser('of credits'))
    .option(
      '--min-requests <number>',
      'fail if the run makes fewer requests than this (default: 1 in CI, otherwise 0)',
      wholeNumberParser('of requests'),
    )
    .option('--fail-on-verdict', 'fail if the verdict has a finding')
    .option('--allow <code>', 'let --fail-on-verdict ignore this finding (repeatable)', appendValue)
    .option('--fail-on-unused-fault', 'fail if a fault rule was never applied')
    .option(
      '--max-increase <percent>',
      'fail if spending exceeds the baseline by more than this, such as 10%',
      parsePercentage,
    )
    .option('--require-baseline', 'fail if there is no baseline')
    .optionsGroup('Output:')
    .option('--report <file>', 'write a report: JSON, or JUnit if the name ends in .xml (repeatable)', appendValue)
    .option('--baseline <file>', 'compare spending with an earlier JSON report')
    .option('--update-baseline', 'write the report of a successful run to the --baseline file')
    .option('--summary <file>', 'append a Markdown summary to this file (default: $GITHUB_STEP_SUMMARY)')
    .option('--trace <file>', 'write the run and the output of the command as one HTML page')
    .addOption(
      new Option(
        '--trace-on <when>',
        'choose when to write the trace (default: failure in CI, otherwise always)',
      ).choices(['failure', 'always', 'never']),
    )
    .option('--trace-media', 'include full images, videos and sounds in the trace')
    .option(
      '--keep <folder>',
      "keep the emulator's data in this folder, so that svc-emulator start --data-dir can open it",
    )
    .option('--quiet', 'do not print the report of the run');
  const names = optionNames().filter((name) => !ADDRESS_AND_FOLDER_OPTION_NAMES.includes(name));
  return addFlags(command, names, { defaults: EMBEDDED_EMULATOR_DEFAULTS, heading: EMULATOR_OPTIONS_HEADING })
    .addHelpText('after', VARIABLES)
    .action(exec);
}

const NEEDED = [
  ['updateBaseline', 'baseline'],
  ['requireBaseline', 'baseline'],
  ['maxIncrease', 'baseline'],
  ['traceOn', 'trace'],
  ['traceMedia', 'trace'],
  ['allow', 'failOnVerdict'],
] as const;

async function exec(command: string[], flags: ExecFlags, { options }: Command): Promise<void> {
  requireCompanionOptions(NEEDED, flags, options);
  if (command[0]?.trim() === '')
    throw usageError('The command is empty. Write it after --: svc-emulator exec -- npm test');
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true };
  const controlToken = flags.controlToken ?? new Random().token('', 'control', 0);
  const config = readConfig({ ...flags, ...settled, controlToken }, undefined, EMBEDDED_EMULATOR_DEFAULTS);
  const dataDir = flags.keep === undefined ? undefined : requireNewOrEmptyFolder(flags.keep);
  const { RunReporter } = await import('./run-reporter.ts');
  const reporter = new RunReporter(flags, process.env);
  const trace = ExecTrace.of(flags, process.env);
  const signals = deferSignals();
  try {
    const { startEmulator } = await import('../../emulator.ts');
    const kept = dataDir === undefined ? undefined : openDataFolder({ dataDir, ephemeral: false });
    const emulator = await startEmulator(config, { tally: reporter.tally, folder: kept });
    const exitCode = await runWithEmulator(emulator, command, {
      reporter,
      trace,
      controlToken,
      heard: signals.heard,
    });
    const complaint = reporter.print();
    trace?.keep(exitCode !== EXIT_CODES.success || complaint !== undefined);
    if (exitCode !== EXIT_CODES.success) throw new CommandError(exitCode, complaint);
    if (complaint !== undefined) throw new CommandError(EXIT_CODES.failure, complaint);
  } finally {
    signals.release();
  }
}

interface CommandParts {
  reporter: RunReporter;
  trace: ExecTrace | undefined;
  controlToken: string;
  heard: AbortSignal;
}

async function runWithEmulator(
  emulator: Emulator,
  command: readonly string[],
  { reporter, trace, controlToken, heard }: CommandParts,
): Promise<number> {
  try {
    if (heard.aborted) return exitCodeOfSignal(heard.reason);
    const { WELL_KNOWN_KEY } = await import('../../engine/accounts/accounts.ts');
    const address = emulatorVariables(emulator.url, { key: WELL_KNOWN_KEY, controlToken });
    // Tells the fixtures to report their tests, so that the failed ones can be named.
    const env = { SVC_REPORT_TESTS: '1', ...process.env, ...address };
    const tap = trace?.tap ?? (reporter.needsOutput() ? new CommandOutput() : undefined);
    if (tap) tap.onNote = (text) => void putNote(emulator, text);
    const exitCode = await runCommandToEnd(command, env, tap);
    const printed = tap?.lines().map(({ text }) => text) ?? [];
    await reporter.count(emulator, { ended: { command, exitCode, printed }, heard });
    const failure = reporter.failure();
    await trace?.take({ url: emulator.localUrl, controlToken, command, exitCode, failure });
    return exitCode;
  } finally {
    await closeWithTimeout(emulator);
  }
}

interface TracePlan {
  on: 'failure' | 'always';
  file: string;
  media: 'small' | 'whole';
}

interface Ended {
  url: string;
  controlToken: string;
  command: readonly string[];
  exitCode: number;
  failure: string | undefined;
}

const MAX_FAILURE = 10_000;

class ExecTrace {
  readonly #plan: TracePlan;
  readonly tap = new CommandOutput();
  #html: string | undefined;

  /** Undefined if no trace is wanted. Throws `CommandError` (2) if the file cannot be written. */
  static of({ trace, traceOn, traceMedia }: RunReporterFlags, env: NodeJS.ProcessEnv): ExecTrace | undefined {
    const on = traceOn ?? (isTrueVariable(env.CI) ? 'failure' : 'always');
    if (trace === undefined || on === 'never') return undefined;
    requireWritableOutput('--trace', trace);
    return new ExecTrace({ file: trace, on, media: traceMedia ? 'whole' : 'small' });
  }

  private constructor(plan: TracePlan) {
    this.#plan = plan;
  }

  async take({ url, controlToken, command, exitCode, failure }: Ended): Promise<void> {
    const { on, media } = this.#plan;
    if (on === 'failure' && exitCode === EXIT_CODES.success && failure === undefined) return;
    const order = {
      title: maskText(command.join(' ')).slice(0, 500),
      media,
      exit: exitCode,
      ...(failure !== undefined && { failure: maskText(failure).slice(0, MAX_FAILURE) }),
      began: this.tap.began,
      output: [...this.tap.lines()],
      secrets: [controlToken],
    };
    this.#html = await new ControlConnection(url, { controlToken }).call('saveTrace', order);
  }

  keep(hasFailed: boolean): void {
    const { on, file } = this.#plan;
    if (this.#html === undefined || (on === 'failure' && !hasFailed)) return;
    writeTraceFile(file, this.#html);
    printToStderr(`svc-emulator: wrote the trace of this run to ${file}; open it in a browser.\n`);
  }
}

async function putNote(emulator: Emulator, text: string): Promise<void> {
  await emulator.control('POST', '/_emulator/notes', { body: { text } }).catch(() => undefined);
}
