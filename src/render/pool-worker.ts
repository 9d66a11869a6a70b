import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { EmulatorError } from '../errors.ts';
import type { RenderedFile } from './render-request.ts';
import type { Order, Report, WorkerSetup } from './worker-protocol.ts';

/** Always the built file: Node does not run TypeScript in a worker. */
const ENTRY = createRequire(import.meta.url).resolve('#render-worker');

/** The most that a worker's heap may hold; a render that needs more fails alone. */
const HEAP_MEGABYTES = 256;
/** Room for what lives shortly: a picture makes no more garbage than this, so that it is seldom stopped for collecting. */
const YOUNG_MEGABYTES = 24;

export type RenderOrder = Extract<Order, { kind: 'render' }>;

/** One thread of the pool; it renders one request at a time and keeps the process alive only while it does. */
export class PoolWorker {
  readonly #thread: Worker;
  #settle: ((report: Report) => void) | undefined;
  #lost: ((cause: unknown) => void) | undefined;
  #exited = false;

  constructor(setup: WorkerSetup) {
    this.#thread = new Worker(ENTRY, {
      workerData: setup,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MEGABYTES,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
      },
    });
    this.#thread.unref();
    this.#thread.on('message', (report: Report) => this.#settle?.(report));
    this.#thread.on('error', (cause) => this.#leave(cause));
    this.#thread.on('exit', () => this.#leave(undefined));
  }

  get alive(): boolean {
    return !this.#exited;
  }

  /** Rejects with `render_failed` also when the thread dies. */
  async render(order: RenderOrder, onProgress?: (share: number) => void): Promise<RenderedFile> {
    this.#thread.ref();
    try {
      return await new Promise<RenderedFile>((resolve, reject) => {
        this.#lost = (cause) => reject(lost(cause));
        this.#settle = (report) => {
          if (report.id !== order.id) return;
          if (report.kind === 'progress') onProgress?.(report.share);
          if (report.kind === 'done') resolve(report.file);
          if (report.kind === 'failed') reject(asError(report));
        };
        this.#thread.postMessage(order);
      });
    } finally {
      this.#settle = undefined;
      this.#lost = undefined;
      this.#thread.unref();
    }
  }

  cancel(id: number): void {
    this.#thread.postMessage({ kind: 'cancel', id } satisfies Order);
  }

  /** Stops the thread at once; its child loses its pipes and ends. */
  async stop(): Promise<void> {
    this.#exited = true;
    await this.#thread.terminate();
  }

  #leave(cause: unknown): void {
    this.#exited = true;
    this.#lost?.(cause);
  }
}

function asError(report: Extract<Report, { kind: 'failed' }>): EmulatorError {
  return new EmulatorError(report.code, report.message, { param: report.param });
}

function lost(cause: unknown): EmulatorError {
  return new EmulatorError(
    'render_failed',
    'The worker of this render stopped before the file was finished; the render can be asked for again.',
    { cause },
  );
}
