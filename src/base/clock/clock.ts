import type { ClockState } from './clock-marks.ts';
import type { DueTask } from './due-queue.ts';
import { nextTurn } from './real-globals.ts';

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

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
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

interface RealTask {
  task: () => void;
  dropped: (() => void) | undefined;
}

/**
 * Tasks that run after a while of the machine's time. Those of one moment are as many as the jobs of a state: they run in
 * slices, so that requests are answered between them.
 */
class RealTimers {
  readonly #tasks = new Map<NodeJS.Timeout, RealTask>();
  /** Whose time has come, oldest first. */
  #elapsed: NodeJS.Timeout[] = [];
  #isRunning = false;
  #isHeld = true;

  /** Runs `task` after `milliseconds`; `dropped` instead when they are cleared before. */
  add(milliseconds: number, task: () => void, dropped?: () => void): Cancel {
    const timer = setTimeout(() => {
      this.#elapsed.push(timer);
      if (!this.#isRunning) void this.#run();
    }, milliseconds);
    if (!this.#isHeld) timer.unref();
    this.#tasks.set(timer, { task, dropped });
    return () => {
      clearTimeout(timer);
      this.#tasks.delete(timer);
    };
  }

  /** Whether they keep the process running. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    for (const timer of this.#tasks.keys()) isHeld ? timer.ref() : timer.unref();
  }

  clear(): void {
    const tasks = [...this.#tasks];
    this.#tasks.clear();
    for (const [timer, { dropped }] of tasks) {
      clearTimeout(timer);
      dropped?.();
    }
  }

  /** A slice is over with the turn of the event loop in which it began: timers of one moment share it. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    const slice = new Slice();
    while (this.#elapsed.length > 0) {
      for (const timer of this.#elapsed.splice(0)) {
        this.#runTask(timer);
        // What waits for the task goes on, and counts.
        await undefined;
        if (slice.isOver) await slice.turn();
      }
      await slice.turn();
    }
    this.#isRunning = false;
  }

  #runTask(timer: NodeJS.Timeout): void {
    const due = this.#tasks.get(timer);
    this.#tasks.delete(timer);
    due?.task();
  }
}

/** Tells both times; what moves the emulator's is `VirtualClock`'s. */
export abstract class RunningClock implements Clock {
  protected readonly realTimers = new RealTimers();
  protected shown: ClockState = { offset: 0, frozenAt: null };
  /** The time that it shows during a move, while the tasks of that time run. */
  protected standsAt: number | null = null;

  now(): number {
    return this.standsAt ?? this.shown.frozenAt ?? Date.now() + this.shown.offset;
  }

  real(): number {
    return Date.now();
  }

  get frozen(): boolean {
    return this.shown.frozenAt !== null;
  }

  /** Whether its tasks keep the process running. */
  hold(isHeld: boolean): void {
    this.realTimers.hold(isHeld);
  }

  abstract at(at: number, task: DueTask, dropped?: () => void): Cancel;

  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel {
    return this.realTimers.add(milliseconds, task, dropped);
  }
}
