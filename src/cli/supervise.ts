import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Config, ConfigOptions } from '../base/config/config.ts';
import { makeTemporaryFolder } from '../engine/storage/data-folder.ts';
import { CommandEnd, countSignals, EXIT, STOP_SIGNALS, wasKilled } from './process-end.ts';

/** What a supervised process is started with. */
export interface StartOrder {
  flags: ConfigOptions;
  /** The folder of an ephemeral emulator: it outlives a crash. */
  folder: string | undefined;
}

/** What a supervisor keeps for the next start of its emulator. */
export interface Ready {
  port: number;
  controlToken: string | undefined;
}

const WINDOW_MS = 60_000;

/**
 * Runs the emulator as a process of its own, and starts it again on its port and folder when it is killed: by a crash
 * fault or otherwise. Every other end of it is the end of this one. Throws `CommandEnd` with its exit code, unless that is 0.
 */
export async function supervise(flags: ConfigOptions, config: Config): Promise<void> {
  const folder = config.ephemeral ? makeTemporaryFolder() : undefined;
  try {
    const order = { flags, folder };
    await new Supervisor({ order, program: String(process.argv[1]), mostRestarts: 100 }).run();
  } finally {
    // What a killed encoder still writes goes with the second try.
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface SupervisorOptions {
  order: StartOrder;
  /** The script that does the work. */
  program: string;
  /** How often it is started again within a minute before it is given up. */
  mostRestarts: number;
}

/** Starts one program over and over. */
export class Supervisor {
  readonly #program: string;
  readonly #mostRestarts: number;
  #order: StartOrder;
  #child: ChildProcess | undefined;
  #stops = 0;
  #recent = 0;

  constructor({ order, program, mostRestarts }: SupervisorOptions) {
    this.#order = order;
    this.#program = program;
    this.#mostRestarts = mostRestarts;
  }

  /** Resolves when it has ended well; throws `CommandEnd` when it has not. */
  async run(): Promise<void> {
    const release = countSignals(STOP_SIGNALS, (_name, count) => this.#stop(count));
    try {
      await this.#lives();
    } finally {
      release();
    }
  }

  async #lives(): Promise<void> {
    let end = await this.#live();
    while (wasKilled(end) && this.#stops === 0) {
      if (!this.#mayStart()) throw new CommandEnd(EXIT.failure, killedAgain(this.#mostRestarts));
      end = await this.#live();
    }
    // The second signal killed it, after the first one it may have died on its way out.
    if (this.#stops > 1) throw new CommandEnd(EXIT.failure);
    if (end.code === EXIT.success || wasKilled(end)) return;
    const fellTo = end.signal ? `The supervised process was ended by ${end.signal}.` : '';
    throw new CommandEnd(end.code ?? EXIT.failure, fellTo);
  }

  /** One life, from start to end. */
  async #live(): Promise<{ code: number | null; signal: string | null }> {
    const child = fork(this.#program, ['supervised'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (ready: Ready) => this.#keep(ready));
    child.send(this.#order, deaf);
    const [code, signal] = await once(child, 'exit');
    // What it said last is read before that.
    if (child.connected) await once(child, 'disconnect');
    return { code, signal };
  }

  /** The port that was picked and the token that was made hold for the next life too. */
  #keep({ port, controlToken }: Ready): void {
    const { flags, folder } = this.#order;
    const kept = controlToken === undefined ? { port } : { port, controlToken };
    this.#order = { flags: { ...flags, ...kept }, folder };
  }

  /** The first signal asks for an orderly stop, the second ends at once. */
  #stop(count: number): void {
    this.#stops = count;
    if (this.#stops > 1) this.#child?.kill('SIGKILL');
    else if (this.#child?.connected) this.#child.send('stop', deaf);
  }

  #mayStart(): boolean {
    this.#recent += 1;
    setTimeout(() => {
      this.#recent -= 1;
    }, WINDOW_MS).unref();
    return this.#recent <= this.#mostRestarts;
  }
}

/** A process that a message does not reach has ended, which the supervisor sees by its exit. */
function deaf(): void {}

function killedAgain(times: number): string {
  return `Killed more than ${times} times within ${WINDOW_MS / 1000} s, and not started again. Look for a crash rule that applies to every request (times: 0), or for what else kills it.`;
}
