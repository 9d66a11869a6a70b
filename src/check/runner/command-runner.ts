import { Semaphore } from '../../base/clock/clock.ts';
import { maskedText } from '../../control/mask/mask.ts';
import { type LeftProcess, leftText } from './left-processes.ts';
import { everyRow, type ReadPage, type RunContext, readRecord, settleRun } from './run-record.ts';
import type { OwnRunner, Preparation, Run, RunOrder, RunTrace, TraceHeading } from './runner.ts';
import { type Sandbox, type SandboxOptions, SandboxPool, withPort } from './sandbox.ts';
import { type ShellEnd, ShellProcess } from './shell-process.ts';
import { strayProcesses } from './stray-processes.ts';

export interface CommandRunnerOptions extends SandboxOptions {
  warn(message: string): void;
  signal: AbortSignal;
}

interface CommandEnd {
  end: ShellEnd;
  output: string;
  began: number;
  ms: number;
}

const ASSERT_LIMIT_MS = 20_000;
const MAX_SAID = 400;

export class CommandRunner implements OwnRunner {
  readonly #options: CommandRunnerOptions;
  readonly #pool: SandboxPool;
  /** The work before and after commands, which runs next to other commands. */
  readonly #jobs: Turns;
  #hasWarned = false;

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
    this.#pool = new SandboxPool(options, (left) => this.#warnOfLeft(left));
    this.#jobs = new Turns(options.jobs);
  }

  get hasApp(): boolean {
    return this.#options.commands.start !== undefined;
  }

  async run(order: RunOrder): Promise<Run> {
    const { sharesPort } = this.#options;
    // The requests of an app at its start belong to the run, so an app under a fault is not started ahead.
    const isUp = !order.fromStart && !sharesPort;
    const sandbox = await this.#pool.take(isUp);
    try {
      const { emulator } = sandbox;
      const prepared = await order.prepare?.({ ...sandbox, tally: emulator.tally });
      const ended = await this.#jobs.take(order, async () => {
        if (!isUp) await sandbox.app?.start();
        // The app may have been killed during its start, so the command waits until it is up.
        if (!isUp) await prepared?.upAgain?.();
        return this.#runTests(sandbox, order, prepared?.over);
      });
      return await this.#end(sandbox, ended, { prepared, heading: order.trace });
    } finally {
      await this.#pool.clear(sandbox);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
    const strays = strayProcesses();
    if (strays.length === 0) return;
    this.#options.warn(`Your command started processes that still run: ${leftText(strays)}. Stop them in your tests.`);
  }

  async #runTests(sandbox: Sandbox, { limitMs }: RunOrder, over: AbortSignal | undefined): Promise<CommandEnd> {
    const { clock, commands, signal } = this.#options;
    const began = clock.real();
    const running = new ShellProcess(withPort(commands.tests, sandbox), { env: sandbox.env });
    running.onOutput((from, text) => sandbox.printed.hear(from, text));
    this.#pool.prepare();
    const end = await running.end(clock, limitMs, over ? AbortSignal.any([signal, over]) : signal);
    const ms = clock.real() - began;
    if (!end.isHung && !over?.aborted) this.#warnOfLeft(end.left);
    return { end, output: running.output, began, ms };
  }

  async #end(
    sandbox: Sandbox,
    { end, output: printed, began, ms }: CommandEnd,
    { prepared, heading }: { prepared: Preparation | undefined; heading: TraceHeading | undefined },
  ): Promise<Run> {
    const { clock, signal } = this.#options;
    await prepared?.end?.();
    const isKnown = prepared?.isKnown?.() ?? false;
    const rested = isKnown || signal.aborted || (await settleRun(sandbox.context, clock, this.hasApp));
    const record = await readRecord(sandbox.context);
    await prepared?.read?.();
    const check = isKnown ? undefined : await this.#check(sandbox);
    const output = [printed, sandbox.app?.output ?? ''].filter(Boolean).join('\n');
    const trace = heading && (await this.#trace(sandbox, heading, end));
    const times = { made: sandbox.made, began, ended: clock.real(), ms };
    return { record, failure: failureOf(end, ms), output, check, rested, ...times, trace };
  }

  /** A run counts even if its trace fails. */
  async #trace(sandbox: Sandbox, heading: TraceHeading, end: ShellEnd): Promise<RunTrace> {
    const order = { ...heading, exit: end.code, output: [...sandbox.printed.lines()] };
    try {
      return { html: await sandbox.context.control('saveTrace', order) };
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }

  #warnOfLeft(left: readonly LeftProcess[]): void {
    if (left.length === 0 || this.#hasWarned || this.#options.signal.aborted) return;
    this.#hasWarned = true;
    this.#options.warn(
      `Your command left processes running, which were stopped: ${leftText(left)}. Close them in your tests.`,
    );
  }

  async #check(sandbox: Sandbox): Promise<string | undefined> {
    const { commands, clock, signal } = this.#options;
    if (commands.assert === undefined || signal.aborted) return undefined;
    const input = JSON.stringify(await readBooks(sandbox.context));
    const check = new ShellProcess(withPort(commands.assert, sandbox), { env: sandbox.env, input });
    const end = await check.end(clock, ASSERT_LIMIT_MS, signal);
    if (end.code === 0 || signal.aborted) return undefined;
    const printed = maskedText(check.output.trim(), commands.env).slice(-MAX_SAID);
    return `--assert ${endInWords(end)}${printed === '' ? ' and printed nothing.' : `: ${printed}`}`;
  }
}

function endInWords({ code, signal, isHung }: ShellEnd): string {
  if (isHung) return `did not end within ${ASSERT_LIMIT_MS / 1000} s and was stopped`;
  return signal === undefined ? `failed with exit code ${code}` : `was ended by ${signal}`;
}

function failureOf({ code, signal, isHung }: ShellEnd, ms: number): Run['failure'] {
  if (isHung)
    return { kind: 'hang', message: `The command did not end within ${Math.round(ms / 1000)} s and was stopped.` };
  if (code === 0) return undefined;
  return {
    kind: 'exit',
    exitCode: code,
    message: signal ? `The command was ended by ${signal}.` : `The command ended with exit code ${code}.`,
  };
}

/** The standard input of `--assert`: the books of all accounts, because each test may have its own. */
async function readBooks({ control, accountId }: RunContext): Promise<Record<string, unknown>> {
  const accounts = await everyRow((page) => control('listAccounts', page));
  const ofAll = async <Row extends { id: string }>(read: (id: string) => ReadPage<Row>) => {
    const lists = accounts.map(async ({ id }) => (await everyRow(read(id))).map((row) => ({ ...row, account_id: id })));
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

/** Limits parallel runs. Runs that mostly wait, and runs that confirm a failure, have turns of their own. */
export class Turns {
  #ordinary: Semaphore;
  #waiting: Semaphore;
  #urgent: Semaphore;

  constructor(jobs: number) {
    this.#ordinary = new Semaphore(jobs);
    this.#waiting = new Semaphore(jobs);
    this.#urgent = jobs === 1 ? this.#ordinary : new Semaphore(jobs + 1);
  }

  take<T>(order: Pick<RunOrder, 'isUrgent' | 'isWaiting'>, work: () => Promise<T>): Promise<T> {
    const turns = order.isUrgent ? this.#urgent : order.isWaiting ? this.#waiting : this.#ordinary;
    return turns.run(work, order);
  }

  narrow(): void {
    this.#ordinary = new Semaphore(1);
    this.#waiting = this.#ordinary;
    this.#urgent = this.#ordinary;
  }
}
