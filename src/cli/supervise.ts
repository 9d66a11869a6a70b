import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Config, ConfigOptions } from '../base/config/config.ts';
import { makeTemporaryFolder } from '../engine/storage/data-folder.ts';
import { CommandEnd, countSignals, EXIT, STOP_SIGNALS, wasKilled } from './process-end.ts';

export interface StartOrder {
  flags: ConfigOptions;
  /** The folder of an ephemeral emulator outlives a crash. */
  folder: string | undefined;
}

export interface Ready {
  port: number;
  controlToken: string | undefined;
}

const WINDOW_MS = 60_000;

/**
 * Runs the emulator in another process, and restarts it on the same port and folder after a crash or a kill. Throws
 * `CommandEnd` with any exit code other than 0.
 */
export async function supervise(flags: ConfigOptions, config: Config): Promise<void> {
  const folder = config.ephemeral ? makeTemporaryFolder() : undefined;
  try {
    const order = { flags, folder };
    await new Supervisor({ order, program: String(process.argv[1]), mostRestarts: 100 }).run();
  } finally {
    // A killed encoder may still write, so removal is retried.
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface SupervisorOptions {
  order: StartOrder;
  program: string;
  /** Restarts within a minute before it gives up. */
  mostRestarts: number;
}

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

  /** Throws `CommandEnd` unless the program ended well. */
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
    // The second signal killed it, even if it ended because of the first one.
    if (this.#stops > 1) throw new CommandEnd(EXIT.failure);
    if (end.code === EXIT.success || wasKilled(end)) return;
    const fellTo = end.signal ? `The supervised process was ended by ${end.signal}.` : '';
    throw new CommandEnd(end.code ?? EXIT.failure, fellTo);
  }

  async #live(): Promise<{ code: number | null; signal: string | null }> {
    const child = fork(this.#program, ['supervised'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (ready: Ready) => this.#keep(ready));
    child.send(this.#order, deaf);
    const [code, signal] = await once(child, 'exit');
    // Messages that it sent before its end are read first.
    if (child.connected) await once(child, 'disconnect');
    return { code, signal };
  }

  /** The next process uses the same port and token. */
  #keep({ port, controlToken }: Ready): void {
    const { flags, folder } = this.#order;
    const kept = controlToken === undefined ? { port } : { port, controlToken };
    this.#order = { flags: { ...flags, ...kept }, folder };
  }

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

/** A process that a message does not reach has ended, and its exit event follows. */
function deaf(): void {}

function killedAgain(times: number): string {
  return `The emulator was killed more than ${times} times within ${WINDOW_MS / 1000} s, and is not started again. Look for a crash rule that applies to every request (times: 0), or for another program that kills it.`;
}
