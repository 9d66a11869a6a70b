import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, waitRealTime } from '../../base/clock/clock.ts';
import { noProxyVariables, sdkEnvironmentVariables } from '../../base/config/config.ts';
import { hostAndPortOfUrl, LocalHttpClient } from '../../base/local-requests.ts';
import { keepLastLines, OutputBuffer } from '../../base/output/output-line.ts';
import { createOperationCaller, type Transport } from '../../control/call-operation.ts';
import { tailWithoutPartialSecret } from '../../control/mask/mask.ts';
import type { SpendRow } from '../spend.ts';
import { isolateCiFiles } from './ci-files.ts';
import { killProcessesByVariable, type LeftoverProcess } from './leftover-processes.ts';
import { type RunContext, readAllPages } from './run-record.ts';
import { CannotRunError, type KillableApp } from './runner.ts';
import { ShellProcess } from './shell-process.ts';

export interface SandboxEmulator {
  url: string;
  key: string;
  control: Transport;
  spend(): SpendRow[];
  isReset(): boolean;
  close(): Promise<void>;
}

export interface Sandbox {
  emulator: SandboxEmulator;
  context: RunContext;
  port: number;
  folder: string;
  env: NodeJS.ProcessEnv;
  app: AppProcess | undefined;
  printed: OutputBuffer;
}

interface RunCommands {
  env: NodeJS.ProcessEnv;
  tests: string;
  start: string | undefined;
  ready: string | undefined;
  assert: string | undefined;
}

export interface SandboxOptions {
  commands: RunCommands;
  clock: Clock;
  openEmulator(folder: string): Promise<SandboxEmulator>;
  jobs: number;
  /** True if an app is started and no command contains `{port}` or `PORT`, so that only one app can run at a time. */
  sharesPort: boolean;
}

export function replacePortPlaceholder(text: string, { port }: Pick<Sandbox, 'port'>): string {
  return text.replaceAll('{port}', String(port));
}

export class SandboxPool {
  readonly #options: SandboxOptions;
  readonly #onLeft: (left: readonly LeftoverProcess[]) => void;
  readonly #folder: string;
  readonly #sandboxes = new Set<Sandbox>();
  readonly #ports = new FreePorts();
  readonly #clearing = new Set<Promise<void>>();
  readonly #making = new Set<Promise<Sandbox>>();
  #ahead: Promise<Sandbox>[] = [];
  #closed = false;
  #hasLooked = false;

  constructor(options: SandboxOptions, onLeft: (left: readonly LeftoverProcess[]) => void) {
    this.#options = options;
    this.#onLeft = onLeft;
    this.#folder = path.join(tmpdir(), `svc-check-${process.pid}-`);
  }

  async take(isUp: boolean): Promise<Sandbox> {
    if (!isUp) return this.#make();
    return this.#ahead.shift() ?? this.#started();
  }

  prepare(): void {
    const { jobs, sharesPort } = this.#options;
    while (!this.#closed && !sharesPort && this.#ahead.length < jobs) {
      const sandbox = this.#started();
      sandbox.catch(() => undefined);
      this.#ahead.push(sandbox);
    }
  }

  /** Resolves once the app is gone. Removes the rest of the sandbox in the background. */
  async clear(sandbox: Sandbox): Promise<void> {
    if (!this.#sandboxes.delete(sandbox)) return;
    await sandbox.app?.kill();
    // Looks for leftover processes only after the first run and at the end, because reading all processes is slow.
    if (!this.#hasLooked) this.#endLeft(`${path.join(sandbox.folder, OWN)}\0`);
    this.#hasLooked = true;
    const cleared = this.#dismantle(sandbox);
    this.#clearing.add(cleared);
    // Ignores errors here, because they are reported when the pool is closed.
    void cleared.then(
      () => this.#clearing.delete(cleared),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#making, ...this.#ahead]);
    await Promise.all([...this.#sandboxes].map((sandbox) => this.clear(sandbox)));
    await Promise.all(this.#clearing);
    this.#endLeft(this.#folder);
  }

  async #dismantle({ emulator, folder }: Sandbox): Promise<void> {
    await emulator.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #endLeft(folder: string): void {
    this.#onLeft(killProcessesByVariable(`SVC_CHECK_DIR=${folder}`));
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

  #make(): Promise<Sandbox> {
    const making = this.#open();
    this.#making.add(making);
    const end = () => this.#making.delete(making);
    making.then(end, end);
    return making;
  }

  async #open(): Promise<Sandbox> {
    const { openEmulator, commands, clock } = this.#options;
    const { start, ready } = commands;
    const folder = mkdtempSync(this.#folder);
    mkdirSync(path.join(folder, OWN));
    const emulator = await openEmulator(path.join(folder, 'emulator')).catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    });
    const control = createOperationCaller(emulator.control);
    const [account] = await readAllPages((page) => control('listAccounts', page));
    const port = await this.#ports.next();
    const context = { control, accountId: account?.id ?? '' };
    const env = {
      ...commands.env,
      ...isolateCiFiles(commands.env, folder),
      ...sdkEnvironmentVariables(emulator),
      ...noProxyVariables(),
      SVC_CHECK: '1',
      SVC_CHECK_DIR: path.join(folder, OWN),
      SVC_REPORT_TESTS: '1',
      PORT: String(port),
    };
    const printed = new OutputBuffer(clock);
    const sandbox: Sandbox = { emulator, context, port, folder, env, app: undefined, printed };
    if (start !== undefined) {
      const command = replacePortPlaceholder(start, sandbox);
      sandbox.app = new AppProcess({
        command,
        ready: ready && replacePortPlaceholder(ready, sandbox),
        port,
        env,
        clock,
        printed,
      });
    }
    this.#sandboxes.add(sandbox);
    return sandbox;
  }
}

const OWN = 'app';

/**
 * The first port for apps, below Linux's range of outgoing connections, which could take a port before its app listens.
 */
const FIRST = 20_000;
const COUNT = 10_000;

export class FreePorts {
  #next = (process.pid * 61) % COUNT;

  async next(): Promise<number> {
    for (let tries = 0; tries < COUNT; tries += 1) {
      const port = FIRST + this.#next;
      this.#next = (this.#next + 1) % COUNT;
      if (await isFree(port)) return port;
    }
    throw new Error(`No port from ${FIRST} to ${FIRST + COUNT - 1} is free.`);
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

interface AppOptions {
  command: string;
  /**
   * A URL that returns 2xx or 3xx once the app is ready. If undefined, the app is ready when it listens or prints a
   * line.
   */
  ready: string | undefined;
  port: number;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  printed: OutputBuffer;
}

/** Enough for a busy machine, even if two faults each delay a response that the starting app waits for. */
const READY_LIMIT_MS = 45_000;
/**
 * An app may end because a request at its start fails. It is then started again, as in production, after a pause longer
 * than the Retry-After of a refusal.
 */
const MAX_STARTS = 3;
const START_PAUSE_MS = 1100;
const LOOK_AGAIN_MS = 8;

export class AppProcess implements KillableApp {
  readonly #options: AppOptions;
  #process: ShellProcess | undefined;
  #output = '';
  #isUp = false;
  #gone: Promise<void> | undefined;

  constructor(options: AppOptions) {
    this.#options = options;
  }

  /** Throws `CannotRunError` if the app is not ready in time, or ends in each of `MAX_STARTS` starts. */
  async start(): Promise<void> {
    const { command, clock } = this.#options;
    const end = clock.real() + READY_LIMIT_MS;
    for (let left = MAX_STARTS - 1; ; left -= 1) {
      const running = this.#launch();
      await this.#untilReady(running, end);
      // If a fault killed the app before it was ready, the fault starts it again.
      if (this.#isUp || this.#process !== running) return;
      const { output, isRunning } = running;
      if (isRunning || left === 0) {
        await this.kill();
        const what = isRunning ? `was not ready within ${READY_LIMIT_MS / 1000} s` : 'ended before it was ready';
        const said = output.trim() === '' ? 'It printed nothing.' : `It printed:\n${keepLastLines(output, 10)}`;
        throw new CannotRunError(`The app of --start (${command}) ${what}. ${said}`);
      }
      await this.#ended(running);
      await waitRealTime(clock, START_PAUSE_MS);
      if (this.#process !== running) return;
    }
  }

  #launch(): ShellProcess {
    const { command, env, printed } = this.#options;
    const running = new ShellProcess(command, { env });
    running.onOutput((from, text) => printed.hear(from, text));
    this.#isUp = false;
    this.#process = running;
    return running;
  }

  async #untilReady(running: ShellProcess, end: number): Promise<void> {
    const { clock } = this.#options;
    while (clock.real() < end && (running.isRunning || this.#process !== running)) {
      if (this.#process !== running && this.#isUp) return;
      if (this.#process === running && (await this.#isReady(running))) {
        this.#isUp = true;
        return;
      }
      await waitRealTime(clock, LOOK_AGAIN_MS);
    }
  }

  /** Starts the app. If another kill has already started it again, waits until it is ready. */
  async restart(): Promise<void> {
    const { clock } = this.#options;
    if (!this.#process) return this.start();
    const end = clock.real() + READY_LIMIT_MS;
    while (this.#process && !this.#isUp && clock.real() < end) await waitRealTime(clock, LOOK_AGAIN_MS);
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running) this.#gone = this.#ended(running);
    await this.#gone;
  }

  async #ended(running: ShellProcess): Promise<void> {
    await running.kill();
    this.#output = tailWithoutPartialSecret(this.#output + running.output, 8000);
  }

  get output(): string {
    return this.#output + (this.#process?.output ?? '');
  }

  async #isReady(running: ShellProcess): Promise<boolean> {
    const { ready, port } = this.#options;
    if (ready !== undefined) return answersWell(ready);
    return running.stdout.includes('\n') || (await listens({ host: '127.0.0.1', port }));
  }
}

async function answersWell(url: string): Promise<boolean> {
  if (!(await listens(hostAndPortOfUrl(new URL(url))))) return false;
  try {
    const { statusCode = 0 } = (await new LocalHttpClient().send(url)).resume();
    return statusCode < 400;
  } catch {
    return false;
  }
}

function listens(address: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
