import { setImmediate as nextTurn } from 'node:timers/promises';
import { overtaken } from '../errors.ts';

/** Cancels a scheduled task; without effect once it has run. */
export type Cancel = () => void;

/** All times are milliseconds since 1970. */
export interface Clock {
  /** The emulator's time, which timestamps, expiry, windows and slow jobs follow. */
  now(): number;
  /** The machine's time, for signatures that a receiver checks and for durations. */
  real(): number;
  readonly frozen: boolean;
  /**
   * Runs `task` once the emulator's time reaches `at`; at the next turn when it already has.
   * Runs `dropped` instead when a reset or a stop clears the clock before.
   */
  at(at: number, task: DueTask, dropped?: () => void): Cancel;
  /** Runs `task` after `milliseconds` of real time; `dropped` instead when a reset or a stop clears the clock before. */
  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel;
}

/** Before the time moves on, a move of the clock waits for what a task returns. */
export type DueTask = () => void | Promise<void> | Meanwhile;

/**
 * What a task returns that is done but for a commit, after which nothing happens at the time of the task: the clock may move
 * on meanwhile, and a move waits for it before it ends.
 */
export class Meanwhile {
  readonly done: Promise<void>;

  constructor(done: Promise<void>) {
    this.done = done;
  }
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/**
 * Resolves when the emulator's time reaches `at`; rejects with the signal's reason when that ends first,
 * and with `overtaken` when the clock is cleared before.
 */
export function until(clock: Clock, at: number, signal?: AbortSignal): Promise<void> {
  if (clock.now() >= at) return Promise.resolve();
  return come((task, dropped) => clock.at(at, task, dropped), signal);
}

/** Resolves after `milliseconds` of real time; rejects as `until` does. */
export function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return come((task, dropped) => clock.after(milliseconds, task, dropped), signal);
}

function come(plan: (task: () => void, dropped: () => void) => Cancel, signal: AbortSignal | undefined): Promise<void> {
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
    const cancel = plan(pass, () => reject(overtaken()));
    signal?.addEventListener('abort', end);
  });
}

export interface Bounds {
  /** Milliseconds of real time. */
  milliseconds: number;
  /** Aborts the wait too. */
  gone: AbortSignal;
}

/**
 * The result of `wait`, or undefined when that takes longer; its signal ends it.
 * Rejects with what `wait` rejects with, and with the reason of `gone` when that ends first.
 */
export async function within<T>(
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

/** How long work may hold the event loop before others have their turn, in milliseconds of real time. */
const SLICE_MS = 8;

/** A stretch of long work between two turns of the event loop. */
export class Slice {
  #began = performance.now();

  /** Milliseconds since the last turn. */
  get spent(): number {
    return performance.now() - this.#began;
  }

  get isOver(): boolean {
    return this.spent >= SLICE_MS;
  }

  /** Others have their turn, and the next slice begins. */
  async turn(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}

/** As `map`, in slices: other work goes on meanwhile, however many there are. */
export async function mapInSlices<T, R>(items: readonly T[], of: (item: T) => R): Promise<R[]> {
  const slice = new Slice();
  const made: R[] = [];
  for (const item of items) {
    made.push(of(item));
    if (slice.isOver) await slice.turn();
  }
  return made;
}

/**
 * Starts `work` on each in slices, and resolves when all of it is done. Rejects with the first failure, and with the reason
 * of `signal` when that aborts before all is started.
 */
export async function eachInSlices<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const slice = new Slice();
  const pending: Promise<unknown>[] = [];
  for (const item of items) {
    pending.push(work(item));
    if (!slice.isOver) continue;
    await Promise.all(pending.splice(0));
    await slice.turn();
    signal.throwIfAborted();
  }
  await Promise.all(pending);
}
