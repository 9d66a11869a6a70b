import { stateReplacedError } from '../errors.ts';
import type { DueCallback } from './due-queue.ts';
import { yieldToEventLoop } from './real-globals.ts';

export type Cancel = () => void;

export interface Clock {
  now(): number;
  /** The machine's time in milliseconds. Signatures use it, because a receiver compares them with its own clock. */
  real(): number;
  readonly frozen: boolean;
  /** Runs `task` after this call, once the emulator's time reaches `at`. If the clock is cleared, calls `dropped`. */
  at(at: number, task: DueCallback, dropped?: () => void): Cancel;
  /** Runs `task` after `milliseconds` of real time. If the clock is cleared, calls `dropped` instead. */
  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel;
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

const SLICE_MS = 8;

export class TimeSlice {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began >= SLICE_MS;
  }

  async turn(): Promise<void> {
    await yieldToEventLoop();
    this.#began = performance.now();
  }
}

/** Rejects with the signal's reason if the signal aborts first, or with `stateReplacedError` if the clock is cleared. */
export function waitUntil(clock: Clock, at: number, signal?: AbortSignal): Promise<void> {
  if (clock.now() >= at) return Promise.resolve();
  return wait((task, dropped) => clock.at(at, task, dropped), signal);
}

/** Resolves after `milliseconds` of real time. Rejects as `waitUntil` does. */
export function waitRealTime(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return wait((task, dropped) => clock.after(milliseconds, task, dropped), signal);
}

function wait(plan: (task: () => void, dropped: () => void) => Cancel, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel();
      reject(signal?.reason);
    };
    const pass = () => {
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = plan(pass, () => reject(stateReplacedError()));
    signal?.addEventListener('abort', end);
  });
}

interface Bounds {
  milliseconds: number;
  gone: AbortSignal;
}

/**
 * Aborts `wait` after `milliseconds` of real time, or when `gone` aborts. If `wait` then rejects, returns undefined after
 * a timeout, and otherwise rejects with the reason of `gone`.
 */
export async function withTimeout<T>(
  clock: Clock,
  { milliseconds, gone }: Bounds,
  wait: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const over = new AbortController();
  const cancel = clock.after(milliseconds, () => over.abort());
  try {
    return await wait(AbortSignal.any([gone, over.signal]));
  } catch (error) {
    if (gone.aborted) throw gone.reason;
    if (over.signal.aborted) return undefined;
    throw error;
  } finally {
    cancel();
  }
}

/**
 * Aborts the controller when the signal aborts. `AbortSignal.any` is no substitute: if nothing else refers to its signal,
 * the abort is lost in Node 22 and later.
 */
export function forwardAbort(controller: AbortController, signal: AbortSignal): void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
}

export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #urgent: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>, { isUrgent = false } = {}): Promise<T> {
    const queue = isUrgent ? this.#urgent : this.#waiting;
    if (this.#free === 0) await new Promise<void>((resolve) => queue.push(resolve));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
