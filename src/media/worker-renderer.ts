import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Cancel, Clock } from '../base/clock/clock.ts';
import { EmulatorError } from '../base/errors.ts';
import { PoolWorker, workerLostError } from './pool-worker.ts';
import type { RenderedFile, Renderer, RenderOptions, RenderRequest } from './render-request.ts';
import {
  MAX_TIME_LIMIT_OF_RENDERS_MS,
  RenderMemoryBudget,
  rendererVersion,
  renderTimeLimit,
  requestFingerprint,
} from './request-measures.ts';

interface RendererOptions {
  clock: Pick<Clock, 'after'>;
  workers: number;
  scratchFolder: string;
  ffmpegPath?: string;
  /** In real milliseconds; by default ten times what the largest render of its kind takes. */
  timeLimitMs?: number;
}

interface RenderTask {
  id: number;
  request: RenderRequest;
  target: string;
  owner: string | undefined;
  signal: AbortSignal;
  resolve: (file: RenderedFile) => void;
  reject: (reason: unknown) => void;
}

const STOP_WORKERS_AFTER_MS = 60_000;
const SHORT_SONG = 30;
const CANCEL_GRACE_MS = 1_000;

export class WorkerRenderer implements Renderer {
  readonly #options: RendererOptions;
  readonly #size: number;
  #workers: PoolWorker[] = [];
  readonly #waiting: RenderTask[] = [];
  readonly #memory: RenderMemoryBudget;
  readonly #activeByOwner = new Map<string | undefined, number>();
  #lastOwner: string | undefined;
  #version: string | undefined;
  #lastId = 0;
  #closed = false;
  #cancelStop: Cancel | undefined;
  #running = new AbortController();

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#size = options.workers;
    this.#memory = new RenderMemoryBudget(this.#size);
  }

  get version(): string {
    this.#version ??= rendererVersion(this.#options.ffmpegPath);
    return this.#version;
  }

  fingerprint(request: RenderRequest): string {
    return requestFingerprint(this.version, request);
  }

  async render(request: RenderRequest, target: string, options: RenderOptions = {}) {
    if (this.#closed) throw stopped();
    const signals = [this.#running.signal, options.signal].filter((each) => each !== undefined);
    const signal = AbortSignal.any(signals);
    signal.throwIfAborted();
    const { promise, resolve, reject } = withResolvers<RenderedFile>();
    const { owner } = options;
    const task: RenderTask = { id: ++this.#lastId, request, target, owner, signal, resolve, reject };
    this.#waiting.push(task);
    const drop = () => this.#dropWaiting(task, signal.reason);
    signal.addEventListener('abort', drop);
    this.#startWaiting();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }

  warm(): void {
    if (this.#closed || this.#workers.length > 0) return;
    try {
      this.#newWorker().warm();
    } catch {
      return;
    }
    this.#stopWorkersLater();
  }

  interrupt(reason: Error): void {
    this.#running.abort(reason);
    this.#running = new AbortController();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelStop?.();
    for (const task of this.#waiting.splice(0)) task.reject(stopped());
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  #startWaiting(): void {
    for (let task = this.#nextTask(); task; task = this.#nextTask()) {
      let worker: PoolWorker | undefined;
      try {
        worker = this.#workerFor(task);
      } catch (error) {
        if (this.#workers.length > 0) return;
        this.#dropWaiting(task, workerLostError(error));
        continue;
      }
      if (!worker) return;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      void this.#work(task, worker);
    }
  }

  /** Only clips need room in memory, so other tasks go before a clip that has to wait. */
  #nextTask(): RenderTask | undefined {
    const first = this.#firstInTurn(this.#waiting);
    if (!first || this.#memory.fits(first.request)) return first;
    return this.#firstInTurn(this.#waiting.filter(({ request }) => request.kind !== 'clip'));
  }

  /** The task of the owner with the fewest renders at work. Equal owners take turns, and long songs go later. */
  #firstInTurn(tasks: readonly RenderTask[]): RenderTask | undefined {
    const busy = ({ owner }: RenderTask) =>
      (this.#activeByOwner.get(owner) ?? 0) + (owner === this.#lastOwner ? 0.5 : 0);
    const turn = ({ id, request }: RenderTask) => id + turnDelay(request);
    const order = (one: RenderTask, other: RenderTask) => busy(one) - busy(other) || turn(one) - turn(other);
    return tasks.reduce<RenderTask | undefined>(
      (first, task) => (first && order(first, task) <= 0 ? first : task),
      undefined,
    );
  }

  #count(owner: string | undefined, change: 1 | -1): void {
    const count = (this.#activeByOwner.get(owner) ?? 0) + change;
    if (count > 0) this.#activeByOwner.set(owner, count);
    else this.#activeByOwner.delete(owner);
  }

  #workerFor({ request }: RenderTask): PoolWorker | undefined {
    this.#workers = this.#workers.filter(({ alive }) => alive);
    const idle = this.#workers.find((worker) => worker.idle);
    if (idle) return idle;
    if (this.#workers.length < this.#size) return this.#newWorker();
    return this.#workers.find((worker) => worker.canLineUp(request));
  }

  #newWorker(): PoolWorker {
    const { scratchFolder, ffmpegPath, timeLimitMs = MAX_TIME_LIMIT_OF_RENDERS_MS } = this.#options;
    const worker = new PoolWorker({ scratchFolder, ffmpegPath, timeLimitMs });
    this.#workers.push(worker);
    return worker;
  }

  #stopWorkersLater(): void {
    this.#cancelStop?.();
    if (this.#closed) return;
    this.#cancelStop = this.#options.clock.after(STOP_WORKERS_AFTER_MS, () => {
      if (this.#activeByOwner.size > 0) return;
      for (const worker of this.#workers.splice(0)) void worker.stop();
    });
  }

  async #work(task: RenderTask, worker: PoolWorker): Promise<void> {
    const { id, request, target } = task;
    const guard = this.#guard(worker, task);
    this.#memory.take(request);
    this.#count(task.owner, 1);
    this.#lastOwner = task.owner;
    const over = () => {
      guard.end();
      this.#memory.leave(request);
      this.#count(task.owner, -1);
      this.#stopWorkersLater();
      this.#startWaiting();
    };
    try {
      const order = { kind: 'render', id, request, target } as const;
      const rendered = await worker.render(order).finally(over);
      task.signal.throwIfAborted();
      // The thread ended before this render began.
      if (!rendered) return this.#requeue(task);
      // Writes the file of a picture here, which is faster than in another thread.
      if (rendered.content) writeFileSync(target, rendered.content);
      task.resolve(rendered.file);
    } catch (error) {
      await rm(target, { force: true }).catch(() => undefined);
      task.reject(this.#failureReason(task, guard.timedOut(), error));
    }
  }

  #requeue(task: RenderTask): void {
    if (this.#closed) throw stopped();
    this.#waiting.unshift(task);
    this.#startWaiting();
  }

  #guard(worker: PoolWorker, task: RenderTask) {
    const { signal } = task;
    let late = false;
    const { clock } = this.#options;
    const timers: Cancel[] = [];
    const after = (ms: number, act: () => void) => timers.push(clock.after(ms, act));
    after(this.#limitOf(task), () => {
      late = true;
      worker.cutOff(task.id);
    });
    const cancel = () => {
      worker.cancel(task.id);
      after(CANCEL_GRACE_MS, () => worker.cutOff(task.id));
    };
    signal.addEventListener('abort', cancel);
    return {
      timedOut: () => late,
      end: () => {
        for (const forget of timers) forget();
        signal.removeEventListener('abort', cancel);
      },
    };
  }

  #failureReason(task: RenderTask, timedOut: boolean, error: unknown): unknown {
    if (task.signal.aborted) return task.signal.reason;
    if (this.#closed) return stopped();
    if (!timedOut) return error;
    const text = `The render took longer than its limit of ${this.#limitOf(task)} ms and was stopped; ask for it again.`;
    return new EmulatorError('render_failed', text);
  }

  #limitOf({ request }: RenderTask): number {
    return this.#options.timeLimitMs ?? renderTimeLimit(request.kind);
  }

  #dropWaiting(task: RenderTask, reason: unknown): void {
    const place = this.#waiting.indexOf(task);
    if (place < 0) return;
    this.#waiting.splice(place, 1);
    task.reject(reason);
  }
}

/** A long song lets later tasks go first, such as the short songs of tests. */
function turnDelay(request: RenderRequest): number {
  return request.kind === 'song' ? request.seconds / SHORT_SONG - 1 : 0;
}

function stopped(): EmulatorError {
  return new EmulatorError('render_failed', 'The emulator is stopping; no render can run now.');
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
