import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ControlConnection } from '../client/control-connection.ts';
import type { Clock } from '../clock/clock.ts';
import { AppProcess } from './app-process.ts';
import { type CarriedOut, carryOut } from './carry-out.ts';
import { endReversed } from './end-reversed.ts';
import { FreePorts } from './free-ports.ts';
import { PrintedLines } from './printed-lines.ts';
import type { Run, RunTrace } from './run-record.ts';
import { readAccount, readRecord, type Stage } from './run-stage.ts';
import { settleRun } from './settle-run.ts';
import { type ShellEnd, ShellProcess } from './shell-process.ts';
import { ExploreFault, type RunOrder, type TraceHeading, type World } from './world.ts';

/** The commands of a story, each as the shell is to run it. */
export interface StoryCommands {
  story: string;
  start: string | undefined;
  ready: string | undefined;
  probe: string | undefined;
  check: string | undefined;
}

/** An emulator that is this run's alone. */
export interface OpenEmulator {
  url: string;
  /** The key of its first account. */
  key: string;
  close(): Promise<void>;
}

export interface CommandWorldOptions {
  commands: StoryCommands;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  slowMs: number;
  openEmulator(): Promise<OpenEmulator>;
  /** No text uses the port that a run is given: only one app can be there at a time. */
  sharesPort: boolean;
  /** Told once of what is wrong with the story and hinders nobody. */
  warn(message: string): void;
  signal: AbortSignal;
}

/** All that one run has for itself. */
interface Rig {
  emulator: OpenEmulator;
  stage: Stage;
  port: number;
  folder: string;
  env: NodeJS.ProcessEnv;
  app: AppProcess | undefined;
  printed: PrintedLines;
}

const PROBE_LIMIT_MS = 20_000;

/** Runs a command as the story: each run with its own emulator, port and folder, and, with `start`, its own app. */
export class CommandWorld implements World {
  readonly #options: CommandWorldOptions;
  readonly #rigs = new Set<Rig>();
  readonly #ports = new FreePorts();
  #ahead: Promise<Rig> | undefined;
  #closed = false;
  #hasWarned = false;

  constructor(options: CommandWorldOptions) {
    this.#options = options;
  }

  get hasApp(): boolean {
    return this.#options.commands.start !== undefined;
  }

  async run(order: RunOrder): Promise<Run> {
    const { clock, slowMs } = this.#options;
    const rig = await this.#taken();
    try {
      const carried = await carryOut(order.bounds, rig.stage, { clock, slowMs, app: rig.app, delayed: order.delayed });
      // What the app asks at its start belongs to the run, and is disturbed like all else.
      await rig.app?.start();
      return await this.#story(rig, order, carried);
    } finally {
      await this.#clear(rig);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ahead = await this.#ahead?.catch(() => undefined);
    if (ahead) await this.#clear(ahead);
    await Promise.all([...this.#rigs].map((rig) => this.#clear(rig)));
  }

  async #story(rig: Rig, { limitMs, reversed, trace: heading }: RunOrder, carried: CarriedOut): Promise<Run> {
    const { clock, commands, signal } = this.#options;
    const began = clock.real();
    const ending = reversed ? endReversed(rig.stage, clock) : undefined;
    await ending?.ready;
    const story = new ShellProcess(filled(commands.story, rig), { env: rig.env });
    story.onOutput((from, text) => rig.printed.hear(from, text));
    const end = await story.end(clock, limitMs, signal);
    const ms = clock.real() - began;
    if (end.leftBehind && !end.isHung) this.#tellOfLeft();
    await ending?.stop();
    await carried.end();
    const rested = signal.aborted || (await settleRun(rig.stage, clock, this.hasApp));
    const probe = await this.#probe(rig);
    const check = await this.#check(rig);
    const record = await readRecord(rig.stage);
    const output = [story.output, rig.app?.output ?? ''].filter(Boolean).join('\n');
    const failure = failureOf(end, ms);
    const trace = heading && (await this.#trace(rig, heading, end));
    return { record, failure, output, probe, check, rested, began, ended: clock.real(), ms, trace };
  }

  /** A run counts for as much without its trace. */
  async #trace(rig: Rig, heading: TraceHeading, { code }: ShellEnd): Promise<RunTrace> {
    const order = { ...heading, exit: code, output: rig.printed.lines() };
    try {
      return { html: await rig.stage.control.text('/trace', order) };
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }

  #tellOfLeft(): void {
    if (this.#hasWarned || this.#options.signal.aborted) return;
    this.#hasWarned = true;
    this.#options.warn('The story leaves processes behind, which are ended with it: let it end what it starts.');
  }

  async #probe(rig: Rig): Promise<unknown> {
    const { commands, clock, signal } = this.#options;
    if (commands.probe === undefined || signal.aborted) return undefined;
    const probe = new ShellProcess(filled(commands.probe, rig), { env: rig.env });
    const { code } = await probe.end(clock, PROBE_LIMIT_MS, signal);
    if (signal.aborted) return undefined;
    const printed = `It printed: ${probe.output.slice(-500)}`;
    if (code !== 0) throw new ExploreFault(`The probe (${commands.probe}) failed with exit code ${code}. ${printed}`);
    try {
      return JSON.parse(probe.stdout);
    } catch {
      throw new ExploreFault(
        `The probe (${commands.probe}) printed no JSON; expected the app's state as one JSON value. ${printed}`,
      );
    }
  }

  async #check(rig: Rig): Promise<string | undefined> {
    const { commands, clock, signal } = this.#options;
    if (commands.check === undefined || signal.aborted) return undefined;
    const input = JSON.stringify(await readAccount(rig.stage));
    const check = new ShellProcess(filled(commands.check, rig), { env: rig.env, input });
    const { code } = await check.end(clock, PROBE_LIMIT_MS, signal);
    if (code === 0 || signal.aborted) return undefined;
    return `The check ended with exit code ${code}: ${check.output.trim().slice(-400)}`;
  }

  /** The next emulator is made ready while this run goes on. */
  async #taken(): Promise<Rig> {
    // Taken before anything is waited for: of two runs that begin at once each has its own.
    const taken = this.#ahead ?? this.#make();
    this.#ahead = this.#closed || this.#options.sharesPort ? undefined : this.#make();
    // Whoever takes it hears of what went wrong.
    this.#ahead?.catch(() => undefined);
    return taken;
  }

  async #make(): Promise<Rig> {
    const { openEmulator, commands, env, clock } = this.#options;
    const emulator = await openEmulator();
    const control = new ControlConnection(emulator.url);
    const [account] = await control.list<{ id: string }>('/accounts', { limit: 1 });
    const port = await this.#ports.next();
    const folder = mkdtempSync(path.join(tmpdir(), 'svc-explore-'));
    const stage = { control, scope: undefined, accountId: account?.id ?? '' };
    const own = { ...env, ...addressOf(emulator), PORT: String(port), SVC_EXPLORE: '1', SVC_EXPLORE_DIR: folder };
    const printed = new PrintedLines(clock);
    const rig: Rig = { emulator, stage, port, folder, env: own, app: undefined, printed };
    if (commands.start !== undefined) {
      const ready = commands.ready === undefined ? undefined : filled(commands.ready, rig);
      rig.app = new AppProcess({ command: filled(commands.start, rig), ready, port, env: own, clock, printed });
    }
    this.#rigs.add(rig);
    return rig;
  }

  async #clear(rig: Rig): Promise<void> {
    if (!this.#rigs.delete(rig)) return;
    await rig.app?.kill();
    await rig.emulator.close();
    rmSync(rig.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function failureOf({ code, signal, isHung }: ShellEnd, ms: number): Run['failure'] {
  if (isHung)
    return { kind: 'hang', message: `The story did not end within ${Math.round(ms / 1000)} s and was stopped.` };
  if (code === 0) return undefined;
  return {
    kind: 'exit',
    message: signal ? `The story was ended by ${signal}.` : `The story ended with exit code ${code}.`,
  };
}

function filled(text: string, { port }: Pick<Rig, 'port'>): string {
  return text.replaceAll('{port}', String(port));
}

function addressOf({ url, key }: OpenEmulator): Record<string, string> {
  return { SVC_BASE_URL: url, SVC_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
}
