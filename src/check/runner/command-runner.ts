import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../base/clock/clock.ts';
import { serviceVariables } from '../../base/config/real-target.ts';
import { PrintedLines } from '../../base/output/printed-lines.ts';
import { LieRelay } from '../../client/lie-relay.ts';
import { operationsOver } from '../../control/call-operation.ts';
import { AppProcess } from './app-process.ts';
import { ALL, type RunContext, type RunRecord, readRecord, settleRun } from './run-record.ts';
import {
  type Preparation,
  type Run,
  RunFault,
  type Runner,
  type RunOrder,
  type RunTrace,
  type TraceHeading,
} from './runner.ts';
import { dismantle, endLeft, FreePorts, filled, type OpenEmulator, type Sandbox } from './sandbox.ts';
import { type ShellEnd, ShellProcess } from './shell-process.ts';
import { Turns } from './turns.ts';

/** The commands of a story, each as the shell is to run it, and the environment that they run in. */
export interface StoryCommands {
  env: NodeJS.ProcessEnv;
  story: string;
  start: string | undefined;
  ready: string | undefined;
  probe: string | undefined;
  check: string | undefined;
}

export interface CommandRunnerOptions {
  /** The command of this program that runs the story: `explore` gives `SVC_EXPLORE` and `SVC_EXPLORE_DIR`, `check` all. */
  use: string;
  commands: StoryCommands;
  clock: Clock;
  openEmulator(folder: string): Promise<OpenEmulator>;
  /** How many stories go on at the same time. */
  stories: number;
  /** No text uses the port that a run is given: only one app can be there at a time. */
  sharesPort: boolean;
  /** Called once with what is wrong with the story but stops nothing. */
  warn(message: string): void;
  signal: AbortSignal;
}

/** How a story ended, and when it began. */
interface StoryEnd {
  end: ShellEnd;
  output: string;
  began: number;
  ms: number;
}

const PROBE_LIMIT_MS = 20_000;

/** Runs a command as the story: each run with its own emulator, port and folder, and, with `start`, its own app. */
export class CommandRunner implements Runner {
  readonly #options: CommandRunnerOptions;
  readonly #pool: SandboxPool;
  /** What comes after a story, and before the next one, goes on beside others. */
  readonly #stories: Turns;
  #hasWarned = false;
  #hasProbed = false;

  constructor(options: CommandRunnerOptions) {
    const { commands, stories, sharesPort } = options;
    const { env, start, ready } = commands;
    this.#options = options;
    const onLeft = () => this.#warnOfLeft();
    this.#pool = new SandboxPool({ ...options, env, start, ready, onLeft, ahead: sharesPort ? 0 : stories });
    this.#stories = new Turns(stories);
  }

  get hasApp(): boolean {
    return this.#options.commands.start !== undefined;
  }

  async run(order: RunOrder): Promise<Run> {
    const { sharesPort } = this.#options;
    // What the app asks at its start belongs to the run: where that is to be disturbed, it is not started ahead.
    const isUp = !order.fromStart && !sharesPort;
    const sandbox = await this.#pool.take(isUp);
    try {
      const { emulator, relay } = sandbox;
      const prepared = await order.prepare?.({ ...sandbox, lies: relay ?? emulator.lies, tally: emulator.tally });
      const ended = await this.#stories.take(order, async () => {
        if (!isUp) await sandbox.app?.start();
        // What asks at its start may be killed there: the story is to find it up, whenever that was noticed.
        if (!isUp) await prepared?.upAgain();
        return this.#story(sandbox, order, prepared?.over);
      });
      return await this.#end(sandbox, ended, { prepared, heading: order.trace });
    } finally {
      await this.#pool.clear(sandbox);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #story(sandbox: Sandbox, { limitMs }: RunOrder, over: AbortSignal | undefined): Promise<StoryEnd> {
    const { clock, commands, signal } = this.#options;
    const began = clock.real();
    const story = new ShellProcess(filled(commands.story, sandbox), { env: sandbox.env });
    story.onOutput((from, text) => sandbox.printed.hear(from, text));
    this.#pool.prepare();
    const end = await story.end(clock, limitMs, over ? AbortSignal.any([signal, over]) : signal);
    const ms = clock.real() - began;
    if (end.leftBehind && !end.isHung && !over?.aborted) this.#warnOfLeft();
    return { end, output: story.output, began, ms };
  }

  async #end(
    sandbox: Sandbox,
    { end, output: printed, began, ms }: StoryEnd,
    { prepared, heading }: { prepared: Preparation | undefined; heading: TraceHeading | undefined },
  ): Promise<Run> {
    const { clock, signal } = this.#options;
    await prepared?.end();
    const isKnown = prepared?.isKnown?.() ?? false;
    const rested = isKnown || signal.aborted || (await settleRun(sandbox.context, clock, this.hasApp));
    const probed = isKnown ? { probe: undefined } : await this.#probe(sandbox);
    const check = isKnown ? undefined : await this.#check(sandbox);
    const record = await readRecord(sandbox.context);
    await prepared?.read?.();
    const output = [printed, sandbox.app?.output ?? ''].filter(Boolean).join('\n');
    const trace = heading && (await this.#trace(sandbox, heading, { end, record }));
    const times = { made: sandbox.made, began, ended: clock.real(), ms };
    return { record, failure: failureOf(end, ms), output, ...probed, check, rested, ...times, trace };
  }

  /** A run counts for as much without its trace. */
  async #trace(
    sandbox: Sandbox,
    { openAt, ...heading }: TraceHeading,
    { end, record }: { end: ShellEnd; record: RunRecord },
  ): Promise<RunTrace> {
    const order = { ...heading, open_at: openAt?.(record), exit: end.code, output: [...sandbox.printed.lines()] };
    try {
      return { html: await sandbox.context.control('saveRunTrace', order) };
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }

  #warnOfLeft(): void {
    if (this.#hasWarned || this.#options.signal.aborted) return;
    this.#hasWarned = true;
    this.#options.warn('Your command left processes running; they were stopped. Close them in your tests.');
  }

  /** A probe that never worked is of no use; where one fails later, the app is in a state that it cannot report. */
  async #probe(sandbox: Sandbox): Promise<Pick<Run, 'probe' | 'probeFault'>> {
    const { commands, clock, signal } = this.#options;
    if (commands.probe === undefined || signal.aborted) return { probe: undefined };
    const probe = new ShellProcess(filled(commands.probe, sandbox), { env: sandbox.env });
    const end = await probe.end(clock, PROBE_LIMIT_MS, signal);
    const { code } = end;
    if (signal.aborted) return { probe: undefined };
    try {
      const state = code === 0 ? { probe: JSON.parse(probe.stdout) } : undefined;
      this.#hasProbed ||= state !== undefined;
      if (state) return state;
    } catch {
      // Reported below.
    }
    const what = code === 0 ? "printed no JSON; expected the app's state as one JSON value" : endInWords(end);
    const probeFault = `The probe (${commands.probe}) ${what}. It printed: ${probe.output.slice(-500)}`;
    if (!this.#hasProbed) throw new RunFault(probeFault);
    return { probe: undefined, probeFault };
  }

  async #check(sandbox: Sandbox): Promise<string | undefined> {
    const { commands, clock, signal } = this.#options;
    if (commands.check === undefined || signal.aborted) return undefined;
    const input = JSON.stringify(await readAccount(sandbox.context));
    const check = new ShellProcess(filled(commands.check, sandbox), { env: sandbox.env, input });
    const end = await check.end(clock, PROBE_LIMIT_MS, signal);
    if (end.code === 0 || signal.aborted) return undefined;
    return `The check (${commands.check}) ${endInWords(end)}. It printed: ${check.output.trim().slice(-400)}`;
  }
}

/** How a probe or a check has ended that did not succeed. */
function endInWords({ code, signal, isHung }: ShellEnd): string {
  if (isHung) return `did not end within ${PROBE_LIMIT_MS / 1000} s and was stopped`;
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

/** What a check is given on standard input. */
async function readAccount({ control, accountId: id }: RunContext): Promise<Record<string, unknown>> {
  const query = { account_id: id, limit: ALL };
  const [account, { data: ledger }, { data: jobs }, { data: deliveries }] = await Promise.all([
    control('showAccount', { id }),
    control('listUsage', { id, limit: ALL }),
    control('listJobs', query),
    control('listDeliveries', query),
  ]);
  const oldest = ledger.reverse();
  return {
    account_id: id,
    balance: account.credits,
    charges: oldest.filter(({ type }) => type === 'charge'),
    refunds: oldest.filter(({ type }) => type === 'refund'),
    jobs: jobs.reverse(),
    deliveries: deliveries.reverse(),
  };
}

interface SandboxPoolOptions {
  /** The command of this program that runs the story: `explore` gives `SVC_EXPLORE` and `SVC_EXPLORE_DIR`. */
  use: string;
  /** The commands that run beside the story. */
  start: string | undefined;
  ready: string | undefined;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** `folder` is where it keeps its state. */
  openEmulator(folder: string): Promise<OpenEmulator>;
  /** How many are made ready ahead. */
  ahead: number;
  /** Called when a run leaves a process behind that is no longer in the group of what it started. */
  onLeft(): void;
}

/** Makes what each run has for itself, some of it ahead: while a story waits, the next one's app gets ready. */
class SandboxPool {
  readonly #options: SandboxPoolOptions;
  /** How the folders of all its runs begin. */
  readonly #folder: string;
  /** The setting that names the app's own folder of a run. */
  readonly #setting: string;
  readonly #sandboxes = new Set<Sandbox>();
  readonly #ports = new FreePorts();
  /** What goes on while the next stories run, and what of it went wrong. */
  readonly #clearing = new Set<Promise<void>>();
  #ahead: Promise<Sandbox>[] = [];
  #closed = false;
  #hasLooked = false;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
    this.#folder = path.join(tmpdir(), `svc-${options.use}-${process.pid}-`);
    this.#setting = `SVC_${searchesOf(options.use)[0]}_DIR`;
  }

  /** One whose app runs; without `isUp` one whose app is yet to be started. */
  async take(isUp: boolean): Promise<Sandbox> {
    if (!isUp) return this.#make();
    return this.#ahead.shift() ?? this.#started();
  }

  /** Makes some ready for the next runs. */
  prepare(): void {
    while (!this.#closed && this.#ahead.length < this.#options.ahead) {
      const sandbox = this.#started();
      // A failure reaches the run that takes it.
      sandbox.catch(() => undefined);
      this.#ahead.push(sandbox);
    }
  }

  /** Resolves when its app is gone; the rest is cleared while others go on. */
  async clear(sandbox: Sandbox): Promise<void> {
    if (!this.#sandboxes.delete(sandbox)) return;
    await sandbox.app?.kill();
    // All processes are looked at once, and again at the end: that is not for each run.
    if (!this.#hasLooked) this.#endLeft(`${sandbox.env[this.#setting]}\0`);
    this.#hasLooked = true;
    const cleared = dismantle(sandbox);
    this.#clearing.add(cleared);
    // What went wrong is reported when the pool is closed.
    void cleared.then(
      () => this.#clearing.delete(cleared),
      () => undefined,
    );
  }

  /** Clears whatever there still is. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#ahead);
    await Promise.all([...this.#sandboxes].map((sandbox) => this.clear(sandbox)));
    await Promise.all(this.#clearing);
    this.#endLeft(this.#folder);
  }

  #endLeft(folder: string): void {
    if (endLeft(`${this.#setting}=${folder}`) > 0) this.#options.onLeft();
  }

  async #started(): Promise<Sandbox> {
    const sandbox = await this.#make();
    try {
      await sandbox.app?.start();
      return sandbox;
    } catch (error) {
      await this.clear(sandbox);
      throw error;
    }
  }

  async #make(): Promise<Sandbox> {
    const { openEmulator, start, ready, env, clock } = this.#options;
    const made = clock.real();
    const folder = mkdtempSync(this.#folder);
    const [state, own] = [path.join(folder, 'emulator'), path.join(folder, 'app')];
    mkdirSync(own);
    const emulator = await openEmulator(state).catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    });
    const control = operationsOver(emulator.control);
    const { data: accounts } = await control('listAccounts', { limit: 1 });
    const port = await this.#ports.next();
    const context = { control, scope: undefined, accountId: accounts[0]?.id ?? '' };
    const relay = await this.#relay(emulator);
    const lies = relay ? { SVC_MUTATE_URL: relay.url } : {};
    const settings = { ...env, ...this.#settings(emulator, own), ...lies, PORT: String(port) };
    const printed = new PrintedLines(clock);
    const sandbox: Sandbox = { emulator, relay, context, port, folder, env: settings, app: undefined, printed, made };
    if (start !== undefined) {
      const command = filled(start, sandbox);
      sandbox.app = new AppProcess({
        command,
        ready: ready && filled(ready, sandbox),
        port,
        env: settings,
        clock,
        printed,
      });
    }
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  async #relay({ lies }: OpenEmulator): Promise<LieRelay | undefined> {
    return lies && this.#options.use !== 'explore' ? LieRelay.open(lies) : undefined;
  }

  /** How the story finds its emulator, and knows by what it is run. */
  #settings(emulator: OpenEmulator, own: string): Record<string, string> {
    const searches = searchesOf(this.#options.use).flatMap((name) => [
      [`SVC_${name}`, '1'],
      [`SVC_${name}_DIR`, own],
    ]);
    return { ...serviceVariables(emulator), ...Object.fromEntries(searches), SVC_UNITS: '1' };
  }
}

/** As which searches a suite sees itself run: `check` is both of those that it knows. */
function searchesOf(use: string): string[] {
  return use === 'check' ? ['EXPLORE', 'MUTATE'] : [use.toUpperCase()];
}
