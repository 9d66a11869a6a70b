import { Command, Option } from 'commander';
import { type ConfigOptions, optionNames, readConfig } from '../base/config/config.ts';
import { Random } from '../base/random.ts';
import type { Emulator } from '../emulator.ts';
import { openDataFolder } from '../engine/storage/data-folder.ts';
import type { Tally } from '../lifecycle.ts';
import { exitCodeOf, holdSignals, runToItsEnd } from './child-command.ts';
import { addFlags, gathered, ONE_RUN, QUIET, readRepeat, readShare, wholeNumber } from './config-flags.ts';
import { ExecTrace, greenName, putNote, TRACE_ON, type TraceFlags } from './exec-trace.ts';
import { CommandEnd, closeInTime, EXIT } from './process-end.ts';
import { commandAddress } from './remote.ts';
import { newFolder } from './report-files.ts';
import { sayAside } from './terminal-output.ts';

const VARIABLES = `
The command finds the emulator by its environment: SVC_BASE_URL (without /v1), SVC_API_KEY,
OPENAI_BASE_URL (with /v1) and OPENAI_API_KEY; SVC_EMULATOR_HOST, SVC_EMULATOR_PORT and
SVC_EMULATOR_CONTROL_TOKEN are for the other subcommands. Its exit code is the exit code, but for
a run that succeeds while one of its gates (--max-…, --min-…, --fail-on-…, --require-baseline)
falls: that is 1. What the run cost is printed on standard error, and of a command that failed what
went wrong in it; --report also lists what the run never touched.`;

/** What a run is held to: each is a flag of `exec`. */
export interface GateFlags {
  maxCredits?: number;
  /** A share of the baseline's spend: 0.1 for 10%. */
  maxIncrease?: number;
  requireBaseline?: boolean;
  failOnVerdict?: boolean;
  /** Codes of the verdict that fail no run. */
  allow?: readonly string[];
  failOnUnstruck?: boolean;
  /** Requests that an operation has answered. */
  minRequests: number;
}

/** The gates of a run, and where its report is written. */
export interface AccountingFlags extends Omit<GateFlags, 'minRequests'> {
  /** By default 1 where CI is set, else 0. */
  minRequests?: number;
  report?: string[];
  baseline?: string;
  /** A run that succeeds is the baseline of those after it; nothing is held to the one before. */
  updateBaseline?: boolean;
  summary?: string;
  /** Where the whole run is to be seen afterwards: a page, a world. */
  trace?: string;
  traceOn?: string;
  keep?: string;
  quiet?: boolean;
}

/** What one run of a command cost and did: summed up while its emulator is there, reported once it is gone. */
export interface Accounting {
  /** Counts what the emulator is asked. */
  readonly tally: Tally;
  count(url: string, run: { ended: EndedRun; heard: AbortSignal }): Promise<void>;
  /** Why the run fails; undefined where it does not. */
  failure(unusedFaults: readonly string[]): string | undefined;
  /** Writes and prints; answers what is to be said of a run that its gates stop. */
  report(unusedFaults: readonly string[]): string | undefined;
}

interface EndedRun {
  command: readonly string[];
  exitCode: number;
  printed: readonly string[];
}

/** Throws `CommandEnd` (2) for flags that cannot be. */
export type OpenAccounting = (flags: AccountingFlags, env: NodeJS.ProcessEnv) => Promise<Accounting>;

type ExecFlags = ConfigOptions & AccountingFlags & TraceFlags & { keep?: string; repeat?: number };

/** `svc-emulator exec -- COMMAND`: a fresh instance for one command. */
export function execCommand(openAccounting: OpenAccounting): Command {
  const command = new Command('exec')
    .usage('[options] -- command [arguments]')
    .description('run a command against a fresh emulator that keeps nothing')
    .argument('<command...>', 'the command with its arguments')
    .option('--max-credits <number>', 'fail a run that costs more', wholeNumber('of credits'))
    .option(
      '--min-requests <number>',
      'fail a run that made fewer (default: 1 in CI, else 0)',
      wholeNumber('of requests'),
    )
    .option('--fail-on-verdict', 'fail a run whose clients did something wrong')
    .option('--allow <code>', 'lets a code of the verdict pass --fail-on-verdict (repeatable)', gathered)
    .option('--fail-on-unstruck', 'fail a run in which a fault rule was never used')
    .option(
      '--report <file>',
      'write what the run cost and left out: JSON, or JUnit when it ends in .xml (repeatable)',
      gathered,
    )
    .option('--baseline <file>', 'an earlier JSON report: the difference in spend is printed')
    .option('--update-baseline', 'write the report of a run that succeeds to the file of --baseline')
    .option('--max-increase <percent>', 'fail a run that costs so much more than the baseline, such as 10%', readShare)
    .option('--require-baseline', 'fail a run that has no baseline')
    .option('--summary <file>', 'append the run as Markdown (default: the file that GITHUB_STEP_SUMMARY names)')
    .option('--trace <file>', 'write the run as one HTML page, with what the command printed')
    .addOption(new Option('--trace-on <when>', 'when (default: failure in CI, else always)').choices(TRACE_ON))
    .option('--trace-media', 'with every picture, clip and sound as it is')
    .option('--keep <folder>', 'keep what the emulator held, for svc-emulator start --data-dir')
    .option(
      '--repeat <number>',
      'so many runs, until one fails: --trace has that one, FILE-green.html the one before',
      readRepeat,
    )
    .option('--quiet', 'say nothing at the end of what the run cost');
  const names = optionNames().filter((name) => !ONE_RUN.includes(name));
  return addFlags(command, names, QUIET)
    .addHelpText('after', VARIABLES)
    .action((line: string[], flags: ExecFlags) => execOften(line, flags, openAccounting));
}

/** Each run has a fresh emulator; the first that fails is the last. */
async function execOften(
  command: string[],
  { repeat = 1, ...flags }: ExecFlags,
  openAccounting: OpenAccounting,
): Promise<void> {
  if (repeat === 1) return exec(command, flags, openAccounting);
  if (flags.keep !== undefined) {
    throw new CommandEnd(EXIT.wrongUse, '--keep is for one run, and --repeat makes several; leave one of them out.');
  }
  const traced = flags.traceOn === 'never' ? flags : { ...flags, traceOn: 'always' as const };
  for (let n = 1; n <= repeat; n += 1) {
    try {
      await exec(command, { ...traced, greenTrace: greenName(flags.trace) }, openAccounting);
    } catch (error) {
      if (error instanceof CommandEnd) sayAside(`svc-emulator: run ${n} of ${repeat} failed.\n`);
      throw error;
    }
  }
  sayAside(`svc-emulator: ${repeat} of ${repeat} runs succeeded.\n`);
}

async function exec(command: string[], flags: ExecFlags, openAccounting: OpenAccounting): Promise<void> {
  const settled = { port: 0, host: '127.0.0.1', ephemeral: true, supervise: false };
  const controlToken = flags.controlToken ?? new Random().token('', 'control', 0);
  const config = readConfig({ ...flags, ...settled, controlToken }, undefined, QUIET);
  const dataDir = flags.keep === undefined ? undefined : newFolder(flags.keep);
  const accounting = await openAccounting(flags, process.env);
  const trace = ExecTrace.of(flags, process.env);
  const signals = holdSignals();
  try {
    const { startEmulator } = await import('../emulator.ts');
    const kept = dataDir === undefined ? undefined : openDataFolder({ dataDir, ephemeral: false });
    const emulator = await startEmulator(config, { tally: accounting.tally, folder: kept });
    const exitCode = await runBeside(emulator, command, { accounting, trace, controlToken, heard: signals.heard });
    const complaint = accounting.report(emulator.unusedFaults);
    trace?.keep(exitCode !== EXIT.success || complaint !== undefined);
    if (exitCode !== EXIT.success) throw new CommandEnd(exitCode, complaint);
    if (complaint !== undefined) throw new CommandEnd(EXIT.failure, complaint);
  } finally {
    signals.release();
  }
}

interface Beside {
  accounting: Accounting;
  trace: ExecTrace | undefined;
  controlToken: string;
  heard: AbortSignal;
}

/** Closes the emulator whatever becomes of the command. */
async function runBeside(
  emulator: Emulator,
  command: readonly string[],
  { accounting, trace, controlToken, heard }: Beside,
): Promise<number> {
  try {
    if (heard.aborted) return exitCodeOf(heard.reason);
    const { WELL_KNOWN_KEY } = await import('../engine/accounts/seed.ts');
    const address = commandAddress(emulator.url, { key: WELL_KNOWN_KEY, controlToken });
    // Fixtures report their tests, so that those that failed are named.
    const env = { SVC_UNITS: '1', ...process.env, ...address };
    if (trace) trace.tap.onNote = (text) => void putNote(emulator, text);
    const exitCode = await runToItsEnd(command, env, trace?.tap);
    const printed = trace?.tap.lines().map(({ text }) => text) ?? [];
    await accounting.count(emulator.localUrl, { ended: { command, exitCode, printed }, heard });
    const failure = accounting.failure(emulator.unusedFaults);
    await trace?.take({ url: emulator.localUrl, controlToken, command, exitCode, failure });
    return exitCode;
  } finally {
    await closeInTime(emulator);
  }
}
