import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../base/clock/clock.ts';
import { LieRelay } from '../../client/lie-relay.ts';
import { operationsOver } from '../../control/call-operation.ts';
import { AppProcess } from './app-process.ts';
import { PrintedLines } from './printed-lines.ts';
import { dismantle, endLeft, FreePorts, filled, type OpenEmulator, type Sandbox, serviceVariables } from './sandbox.ts';

export interface SandboxPoolOptions {
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
export class SandboxPool {
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
    this.#setting = `SVC_${options.use.toUpperCase()}_DIR`;
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
    const settings = { ...env, ...this.#settings(emulator), ...lies, PORT: String(port), [this.#setting]: own };
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
    return lies && this.#options.use === 'mutate' ? LieRelay.open(lies) : undefined;
  }

  /** How the story finds its emulator, and knows by what it is run. */
  #settings(emulator: OpenEmulator): Record<string, string> {
    return { ...serviceVariables(emulator), [`SVC_${this.#options.use.toUpperCase()}`]: '1' };
  }
}
