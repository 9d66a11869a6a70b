import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { extractErrorText } from '../../base/output/output-line.ts';
import { maskText } from '../../control/mask/mask.ts';
import { describeLeftoverProcesses, type LeftoverProcess } from './leftover-processes.ts';
import { isReporterRejected, nodeReporterVariables, readFailedNodeTests } from './node-reporter.ts';
import {
  failedTestsInOutput,
  type PageReader,
  type RunContext,
  readAllPages,
  readRunRecord,
  settleRun,
} from './run-record.ts';
import { RunScheduler } from './run-scheduler.ts';
import {
  type ArmedFaults,
  CannotRunError,
  type Run,
  type Runner,
  type RunTask,
  type RunTraceResult,
  type StallDurations,
  type TraceHeading,
} from './runner.ts';
import { replacePortPlaceholder, type Sandbox, type SandboxOptions, SandboxPool } from './sandbox.ts';
import { commandForTests } from './select-tests.ts';
import { type ShellExit, ShellProcess } from './shell-process.ts';
import { findStrayProcesses } from './stray-processes.ts';

export interface CommandRunnerOptions extends SandboxOptions {
  warn(message: string): void;
  signal: AbortSignal;
}

interface CommandEnd {
  end: ShellExit & { message?: string };
  output: string;
  began: number;
  ms: number;
  standstill: StallDurations;
  isKnown: boolean;
}

interface Begun extends CommandEnd {
  sandbox: Sandbox;
  armed: ArmedFaults | undefined;
}

const ASSERT_LIMIT_MS = 20_000;
const [MAX_LINES, MAX_SAID] = [5, 400];

const NO_STALL: StallDurations = { sum: 0, worst: 0 };

export class CommandRunner implements Runner {
  readonly #options: CommandRunnerOptions;
  readonly #pool: SandboxPool;
  readonly #turns: RunScheduler;
  #hasWarned = false;
  #isReporting = true;

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
    this.#pool = new SandboxPool(options, (left) => this.#warnOfLeft(left));
    this.#turns = new RunScheduler(options.jobs);
  }

  get hasApp(): boolean {
    return this.#options.commands.start !== undefined;
  }

  get hasAssert(): boolean {
    return this.#options.commands.assert !== undefined;
  }

  async run(task: RunTask): Promise<Run> {
    const { signal, sharesPort } = this.#options;
    let sandbox: Sandbox | undefined;
    try {
      // A turn ends when the command has ended. The work after that runs next to other commands.
      const begun = await this.#turns.take(task.turn ?? 'ordinary', async () => {
        if (signal.aborted) throw new CannotRunError('The time is over.');
        // An app is not started ahead if a fault applies to the requests at its start, or if apps share a port.
        const isUp = !task.fromStart && !sharesPort;
        const taken = await this.#pool.take(isUp);
        sandbox = taken;
        if (!isUp && !task.fromStart) await taken.app?.start();
        const armed = await task.arm?.(taken);
        const begin = { sandbox: taken, armed };
        if (task.fromStart) {
          const fault = await this.#startUnderFaults(taken);
          if (fault) return { ...begin, ...fault };
          // Waits until the app is ready, because a fault may have killed it during its start.
          await armed?.upAgain();
        }
        return { ...begin, ...(await this.#runTests(taken, task)) };
      });
      if (!this.#isReporting || begun.end.code === 0 || !isReporterRejected(begun.output))
        return await this.#end(begun, task);
    } finally {
      if (sandbox) await this.#pool.clear(sandbox);
    }
    this.#isReporting = false;
    return this.run(task);
  }

  runOneAtATime(): void {
    this.#turns.runOneAtATime();
  }

  async close(): Promise<void> {
    await this.#pool.close();
    const strays = findStrayProcesses();
    if (strays.length === 0) return;
    this.#options.warn(
      `Your command started processes that still run: ${describeLeftoverProcesses(strays)}. Stop them in your tests.`,
    );
  }

  async #startUnderFaults({ app }: Sandbox): Promise<CommandEnd | undefined> {
    const began = this.#options.clock.real();
    try {
      await app?.start();
      return undefined;
    } catch (error) {
      if (!(error instanceof CannotRunError)) throw error;
      const end = { code: undefined, signal: undefined, isHung: true, left: [], message: error.message };
      return { end, output: '', began, ms: this.#options.clock.real() - began, standstill: NO_STALL, isKnown: false };
    }
  }

  async #runTests(sandbox: Sandbox, { limitMs, tests, watch: look }: RunTask): Promise<CommandEnd> {
    const { clock, commands, signal } = this.#options;
    const watch = look?.(sandbox.context);
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const began = clock.real();
    const command = (tests && commandForTests(commands.tests, tests)) ?? commands.tests;
    const env = { ...sandbox.env, ...(this.#isReporting && nodeReporterVariables(sandbox.env, sandbox.folder)) };
    const running = new ShellProcess(replacePortPlaceholder(command, sandbox), { env });
    running.onOutput((from, text) => sandbox.printed.hear(from, text));
    this.#pool.prepare();
    const end = await running.end(clock, limitMs, watch ? AbortSignal.any([signal, watch.over]) : signal);
    const ms = clock.real() - began;
    delay.disable();
    await watch?.end();
    if (!end.isHung && !watch?.over.aborted) this.#warnOfLeft(end.left);
    const isKnown = watch?.isKnown() ?? false;
    return { end, output: running.output, began, ms, standstill: standstillIn(delay), isKnown };
  }

  async #end({ sandbox, armed, end, output: printed, isKnown, ...times }: Begun, task: RunTask): Promise<Run> {
    const { clock, signal } = this.#options;
    await armed?.end();
    const rested = isKnown || signal.aborted || (await settleRun(sandbox.context, clock, this.hasApp));
    const record = await readRunRecord(sandbox.context);
    const isReset = sandbox.emulator.isReset();
    const spent = sandbox.emulator.spend();
    const failure = failureOf(end, times.ms);
    if (!record.failedTests?.length) record.failedTests = readFailedNodeTests(sandbox.folder);
    if (failure && record.failedTests.length === 0) record.failedTests = failedTestsInOutput(printed);
    const unmet = (await armed?.disarm()) ?? [];
    const check = isKnown ? undefined : await this.#check(sandbox);
    const output = [printed, sandbox.app?.output ?? ''].filter(Boolean).join('\n');
    const trace = task.trace && (await this.#trace(sandbox, task.trace, end));
    const seen = { record, spent, isReset, unmet, failure, output, check, rested };
    return { ...seen, ended: clock.real(), ...times, trace };
  }

  /** Returns an error as `fault` instead of throwing it, because the result of the run is already known. */
  async #trace(sandbox: Sandbox, heading: TraceHeading, end: ShellExit): Promise<RunTraceResult> {
    const order = { ...heading, exit: end.code, output: [...sandbox.printed.lines()] };
    try {
      return { html: await sandbox.context.control('saveTrace', order) };
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }

  #warnOfLeft(left: readonly LeftoverProcess[]): void {
    if (left.length === 0 || this.#hasWarned || this.#options.signal.aborted) return;
    this.#hasWarned = true;
    this.#options.warn(
      `Your command left processes running, which were stopped: ${describeLeftoverProcesses(left)}. Close them in your tests.`,
    );
  }

  async #check(sandbox: Sandbox): Promise<string | undefined> {
    const { commands, clock, signal } = this.#options;
    if (commands.assert === undefined || signal.aborted) return undefined;
    const input = JSON.stringify(await readBooks(sandbox.context));
    const check = new ShellProcess(replacePortPlaceholder(commands.assert, sandbox), { env: sandbox.env, input });
    const end = await check.end(clock, ASSERT_LIMIT_MS, signal);
    if (end.code === 0 || signal.aborted) return undefined;
    const printed = beginningOf(extractErrorText(maskText(check.output.trim(), commands.env), MAX_LINES), MAX_SAID);
    return `--assert ${endInWords(end)}${printed === '' ? ' and printed nothing.' : `: ${printed}`}`;
  }
}

const RESOLUTION_MS = 20;

function standstillIn(delay: IntervalHistogram): StallDurations {
  if (delay.count === 0) return NO_STALL;
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  return { sum: late(delay.mean) * delay.count, worst: late(delay.max) };
}

function beginningOf(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

function endInWords({ code, signal, isHung }: ShellExit): string {
  if (isHung) return `did not end within ${ASSERT_LIMIT_MS / 1000} s and was stopped`;
  return signal === undefined ? `failed with exit code ${code}` : `was ended by ${signal}`;
}

function failureOf({ code, signal, isHung, message }: CommandEnd['end'], ms: number): Run['failure'] {
  if (message !== undefined) return { kind: 'hang', message };
  if (isHung)
    return { kind: 'hang', message: `The command did not end within ${Math.round(ms / 1000)} s and was stopped.` };
  if (code === 0) return undefined;
  return {
    kind: 'exit',
    exitCode: code,
    message: signal ? `The command was ended by ${signal}.` : `The command ended with exit code ${code}.`,
  };
}

async function readBooks({ control, accountId }: RunContext): Promise<Record<string, unknown>> {
  const accounts = await readAllPages((page) => control('listAccounts', page));
  const ofAll = async <Row extends { id: string }>(read: (id: string) => PageReader<Row>) => {
    const lists = accounts.map(async ({ id }) =>
      (await readAllPages(read(id))).map((row) => ({ ...row, account_id: id })),
    );
    return (await Promise.all(lists)).flat();
  };
  const [ledger, jobs, deliveries] = await Promise.all([
    ofAll((id) => (page) => control('listUsage', { id, ...page })),
    ofAll((id) => (page) => control('listJobs', { account_id: id, ...page })),
    ofAll((id) => (page) => control('listDeliveries', { account_id: id, ...page })),
  ]);
  return {
    account_id: accountId,
    balance: accounts.find(({ id }) => id === accountId)?.credits,
    accounts: accounts.map(({ id, name, credits }) => ({ account_id: id, name, balance: credits })),
    charges: ledger.filter(({ type }) => type === 'charge'),
    refunds: ledger.filter(({ type }) => type === 'refund'),
    jobs,
    deliveries,
  };
}
