import { createRequire } from 'node:module';
import type { Worker } from 'node:worker_threads';
import { EmulatorError, type ErrorCode } from '../base/errors.ts';
import { describeSystemLimit } from '../base/load-or-start-error.ts';
import type { RenderedFile, RenderRequest } from './render-request.ts';

/** The built file of the thread, because Node 20 does not run TypeScript. */
const ENTRY = createRequire(import.meta.url).resolve('#render-worker');

const HEAP_MEGABYTES = 256;
/** The size of the heap for new objects. Renders are not faster with four times as much. */
const YOUNG_MEGABYTES = 6;

type WorkerRender = Extract<WorkerInstruction, { kind: 'render' }>;

interface Pending {
  kind: RenderRequest['kind'];
  resolve: (rendered: RenderResult | undefined) => void;
  reject: (reason: unknown) => void;
}

export class PoolWorker {
  readonly #thread: Worker;
  readonly #pending = new Map<number, Pending>();
  #exited = false;

  constructor(setup: WorkerSetup) {
    // Loaded with the first worker to keep the start fast.
    const { Worker: Thread } = process.getBuiltinModule('node:worker_threads');
    this.#thread = new Thread(ENTRY, {
      workerData: setup,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MEGABYTES,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
      },
    });
    this.#thread.unref();
    this.#thread.on('message', (report: WorkerReport) => this.#hear(report));
    this.#thread.on('error', (cause) => this.#leave(cause));
    this.#thread.on('exit', () => this.#leave(undefined));
  }

  get alive(): boolean {
    return !this.#exited;
  }

  get idle(): boolean {
    return this.#pending.size === 0;
  }

  /** Only a picture may wait for a busy worker, and only behind a single other picture, because pictures are quick. */
  canLineUp({ kind }: RenderRequest): boolean {
    const [first, second] = this.#pending.values();
    return kind === 'image' && first?.kind === 'image' && !second;
  }

  /** Rejects if the render or its thread fails. Resolves with undefined if the thread ends during an earlier render. */
  render(order: WorkerRender): Promise<RenderResult | undefined> {
    this.#thread.ref();
    return new Promise((resolve, reject) => {
      const { kind } = order.request;
      this.#pending.set(order.id, { kind, resolve, reject });
      this.#thread.postMessage(order);
    });
  }

  warm(): void {
    this.#thread.postMessage({ kind: 'warm' } satisfies WorkerInstruction);
  }

  cancel(id: number): void {
    this.#thread.postMessage({ kind: 'cancel', id } satisfies WorkerInstruction);
  }

  cutOff(id: number): void {
    const [atWork] = this.#pending.keys();
    if (atWork === id) void this.stop();
  }

  async stop(): Promise<void> {
    this.#exited = true;
    await this.#thread.terminate();
  }

  #hear(report: WorkerReport): void {
    const pending = this.#pending.get(report.id);
    if (!pending) return;
    this.#pending.delete(report.id);
    if (this.idle) this.#thread.unref();
    if (report.kind === 'done') pending.resolve(report);
    else pending.reject(asError(report));
  }

  #leave(cause: unknown): void {
    this.#exited = true;
    const [atWork, ...behind] = this.#pending.values();
    this.#pending.clear();
    atWork?.reject(workerLostError(cause));
    for (const { resolve } of behind) resolve(undefined);
  }
}

function asError(report: Extract<WorkerReport, { kind: 'failed' }>): EmulatorError {
  return new EmulatorError(report.code, report.message, { param: report.param, cause: report.cause });
}

export function workerLostError(cause: unknown): EmulatorError {
  const limit = describeSystemLimit(cause);
  const message =
    limit === undefined
      ? 'The worker of this render stopped before the file was finished; the render can be asked for again.'
      : `The render could not run: ${limit}`;
  return new EmulatorError('render_failed', message, { cause });
}

export interface WorkerSetup {
  scratchFolder: string;
  ffmpegPath?: string;
  timeLimitMs: number;
}

export type WorkerInstruction =
  | { kind: 'render'; id: number; request: RenderRequest; target: string }
  | { kind: 'cancel'; id: number }
  | { kind: 'warm' };

export interface RenderResult {
  file: RenderedFile;
  content?: Uint8Array;
}

/** The code of a system error, because errors lose their class on the way between threads. */
type SystemCause = { code: string } | undefined;

export type WorkerReport =
  | ({ kind: 'done'; id: number } & RenderResult)
  | { kind: 'failed'; id: number; code: ErrorCode; message: string; param: string | null; cause: SystemCause };
