import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Config, ConfigOptions } from '../config.ts';
import { makeTemporaryFolder } from '../data-folder.ts';
import { CommandEnd } from './command-end.ts';
import { EXIT } from './command-failure.ts';
import { wasKilled } from './crash.ts';
import type { Ready } from './run-emulator.ts';
import { STOP_SIGNALS } from './stop-signals.ts';

/** What a supervised process is told to start with. */
export interface StartOrder {
  flags: ConfigOptions;
  /** The folder of an ephemeral emulator: it outlives a crash. */
  folder: string | undefined;
}

/** How often a killed process is started again within `WINDOW_MS` before it is given up. */
const MOST_STARTS = 100;
const WINDOW_MS = 60_000;

const KILLED_AGAIN = `Killed ${MOST_STARTS} times within ${WINDOW_MS / 1000} s, and not started again. Look for a crash rule that strikes every request (times: 0), or for what else kills it.`;

/**
 * Runs the emulator as a process of its own, and starts it again on its port and folder when it is killed: by a crash
 * fault or otherwise. Every other end of it is the end of this one. Throws `CommandEnd` with its exit code, unless that is 0.
 */
export async function supervise(flags: ConfigOptions, config: Config): Promise<void> {
  const folder = config.ephemeral ? makeTemporaryFolder() : undefined;
  try {
    await new Supervisor({ flags, folder }).run();
  } finally {
    // What a killed encoder still writes goes with the second try.
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Supervisor {
  #order: StartOrder;
  #child: ChildProcess | undefined;
  #stops = 0;
  #recent = 0;

  constructor(order: StartOrder) {
    this.#order = order;
  }

  async run(): Promise<void> {
    for (const name of STOP_SIGNALS) process.on(name, () => this.#stop());
    let end = await this.#live();
    while (wasKilled(end) && this.#stops === 0) {
      if (!this.#mayStart()) throw new CommandEnd(EXIT.failure, KILLED_AGAIN);
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
    const child = fork(String(process.argv[1]), ['supervised'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (ready: Ready) => this.#keep(ready));
    child.send(this.#order);
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
  #stop(): void {
    this.#stops += 1;
    if (this.#stops > 1) this.#child?.kill('SIGKILL');
    else if (this.#child?.connected) this.#child.send('stop');
  }

  #mayStart(): boolean {
    this.#recent += 1;
    setTimeout(() => {
      this.#recent -= 1;
    }, WINDOW_MS).unref();
    return this.#recent <= MOST_STARTS;
  }
}
