import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Cancel, Clock } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';
import { PoolWorker } from './pool-worker.ts';
import type { RenderedFile, Renderer, RenderOptions, RenderRequest } from './render-request.ts';
import { RenderRoom } from './render-room.ts';
import { renderVersion, requestFingerprint } from './render-version.ts';

export interface RendererOptions {
  /** Tells when a render has taken too long. */
  clock: Pick<Clock, 'after'>;
  /** Threads at most; without it one less than there are cores, but two at least and four at most. */
  workers?: number;
  /** An existing folder for parts that are prepared once, such as soundtracks. */
  scratchFolder: string;
  /** Another ffmpeg than the packaged one. */
  ffmpegPath?: string;
  /** The longest that one render may run, in real milliseconds. */
  timeLimitMs?: number;
}

interface Task {
  id: number;
  request: RenderRequest;
  target: string;
  onProgress: RenderOptions['onProgress'];
  signal: AbortSignal;
  resolve: (file: RenderedFile) => void;
  reject: (reason: unknown) => void;
}

const DEFAULT_TIME_LIMIT_MS = 120_000;
/** What a worker is given to stop by itself before its thread is ended. */
const CANCEL_GRACE_MS = 1_000;

/** A pool of threads that are started when the first renders come, never before. */
export function createRenderer(options: RendererOptions): Renderer {
  return new WorkerRenderer(options);
}

class WorkerRenderer implements Renderer {
  readonly #options: RendererOptions;
  readonly #size: number;
  readonly #idle: PoolWorker[] = [];
  readonly #busy = new Set<PoolWorker>();
  readonly #waiting: Task[] = [];
  readonly #room: RenderRoom;
  #version: string | undefined;
  #lastId = 0;
  #closed = false;
  #running = new AbortController();

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#size = Math.max(1, options.workers ?? usualSize());
    this.#room = new RenderRoom(this.#size);
  }

  get version(): string {
    this.#version ??= renderVersion(this.#options.ffmpegPath);
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
    const { onProgress } = options;
    const task: Task = { id: ++this.#lastId, request, target, onProgress, signal, resolve, reject };
    this.#waiting.push(task);
    const drop = () => this.#dropWaiting(task, signal.reason);
    signal.addEventListener('abort', drop);
    this.#advance();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }

  interrupt(reason: Error): void {
    this.#running.abort(reason);
    this.#running = new AbortController();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#waiting.splice(0)) task.reject(stopped());
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((worker) => worker.stop()));
  }

  #advance(): void {
    while (this.#busy.size < this.#size) {
      const task = this.#next();
      if (!task) return;
      void this.#work(task);
    }
  }

  /** The oldest; a clip that finds no room lets pass what needs none, but no other clip. */
  #next(): Task | undefined {
    const [oldest] = this.#waiting;
    if (!oldest || this.#room.fits(oldest.request)) return this.#waiting.shift();
    const light = this.#waiting.findIndex(({ request }) => request.kind !== 'clip');
    return light < 0 ? undefined : this.#waiting.splice(light, 1)[0];
  }

  async #work(task: Task): Promise<void> {
    const worker = this.#takeWorker();
    const guard = this.#guard(worker, task);
    const { id, request, target } = task;
    this.#room.take(request);
    try {
      const order = { kind: 'render', id, request, target } as const;
      task.resolve(await worker.render(order, task.onProgress));
    } catch (error) {
      await rm(task.target, { force: true }).catch(() => undefined);
      task.reject(this.#reason(task, guard.timedOut(), error));
    } finally {
      guard.end();
      this.#room.leave(request);
      this.#busy.delete(worker);
      if (worker.alive && !this.#closed) this.#idle.push(worker);
      this.#advance();
    }
  }

  #takeWorker(): PoolWorker {
    const { scratchFolder, ffmpegPath, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = this.#options;
    let worker = this.#idle.pop();
    while (worker && !worker.alive) worker = this.#idle.pop();
    worker ??= new PoolWorker({ scratchFolder, ffmpegPath, timeLimitMs });
    this.#busy.add(worker);
    return worker;
  }

  /** Ends a thread that passed the time limit, or that a cancelled render holds for too long. */
  #guard(worker: PoolWorker, task: Task) {
    const { signal } = task;
    let late = false;
    const { clock, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = this.#options;
    const timers: Cancel[] = [];
    const after = (ms: number, act: () => void) => timers.push(clock.after(ms, act));
    after(timeLimitMs, () => {
      late = true;
      void worker.stop();
    });
    const cancel = () => {
      worker.cancel(task.id);
      after(CANCEL_GRACE_MS, () => void worker.stop());
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

  #reason(task: Task, timedOut: boolean, error: unknown): unknown {
    if (task.signal.aborted) return task.signal.reason;
    if (this.#closed) return stopped();
    if (!timedOut) return error;
    const limit = this.#options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS;
    const text = `The render took longer than its limit of ${limit} ms and was stopped; ask for it again.`;
    return new EmulatorError('render_failed', text);
  }

  #dropWaiting(task: Task, reason: unknown): void {
    const place = this.#waiting.indexOf(task);
    if (place < 0) return;
    this.#waiting.splice(place, 1);
    task.reject(reason);
  }
}

/** Two even on two cores: their lower priority leaves the service its share. More than four would be too much memory. */
function usualSize(): number {
  return Math.max(2, Math.min(4, availableParallelism() - 1));
}

function stopped(): EmulatorError {
  return new EmulatorError('render_failed', 'The emulator is stopping; no render can run now.');
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
