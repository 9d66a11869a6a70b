import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';

/** Whose log is written back, and how carefully. */
export interface CheckpointOrder {
  file: string;
  synchronous: 'NORMAL' | 'OFF';
}

/** Always the built file: a worker is started by Node itself. */
const ENTRY = createRequire(import.meta.url).resolve('#checkpoint-worker');

/** From this length of the log on, in bytes, it is written back. */
const LONG = 16 * 1_048_576;

/**
 * Writes what is committed from the log back to the database file, in a thread of its own: done within a commit, as
 * SQLite has it, it holds every request for tens of milliseconds. Started when the log is first long.
 */
export class Checkpointer {
  readonly #order: CheckpointOrder;
  #worker: Worker | undefined;
  #done: Promise<unknown> | undefined;

  constructor(order: CheckpointOrder) {
    this.#order = order;
  }

  look(): void {
    if (this.#done || !this.#isLong()) return;
    this.#worker ??= this.#start();
    this.#done = once(this.#worker, 'message')
      .catch(() => undefined)
      .then(() => {
        this.#done = undefined;
      });
    this.#worker.postMessage('look');
  }

  /** Resolves when nothing is being written back. */
  async settled(): Promise<void> {
    await this.#done;
  }

  /** The thread ends by itself; what it is at does no harm. */
  close(): void {
    this.#worker?.unref();
    this.#worker?.postMessage(null);
  }

  #isLong(): boolean {
    const log = statSync(`${this.#order.file}-wal`, { throwIfNoEntry: false });
    return log !== undefined && log.size >= LONG;
  }

  #start(): Worker {
    // Loaded where it is needed: most processes start no thread, and each start would wait 3 ms for it.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const worker = new Worker(ENTRY, {
      workerData: this.#order,
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    });
    worker.unref();
    worker.on('error', () => {
      this.#worker = undefined;
    });
    return worker;
  }
}
