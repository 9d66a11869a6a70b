import { setImmediate as nextTurn } from 'node:timers/promises';
import { overtaken } from '../errors.ts';
import { type ClockMark, type ClockState, type KeepState, withMark } from './clock-marks.ts';
import { DueQueue, type DueTask, Meanwhile } from './due-queue.ts';

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

/** A timer cannot wait longer than this in one go. */
const LONGEST_TIMER = 2 ** 31 - 1;

const keepNothing: KeepState = async () => undefined;

/** The machine's clock, which can be moved and frozen. Tasks run in the order of their due times. */
export class VirtualClock implements Clock {
  readonly #due = new DueQueue();
  readonly #realTimers = new RealTimers();
  #state: ClockState = { offset: 0, frozenAt: null };
  /** The time that it shows during a move, while the tasks of that time run. */
  #standsAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #moves: Promise<unknown> = Promise.resolve();
  #life = new AbortController();
  #between: () => Promise<void> = async () => undefined;
  #marks: readonly ClockMark[] = [this.#mark()];
  #onMark: (before: ClockMark, mark: ClockMark) => void = () => {};

  now(): number {
    return this.#standsAt ?? this.#state.frozenAt ?? Date.now() + this.#state.offset;
  }

  real(): number {
    return Date.now();
  }

  get frozen(): boolean {
    return this.#state.frozenAt !== null;
  }

  get state(): ClockState {
    return this.#state;
  }

  /** Its state at each change, oldest first, by which times of both clocks are put in one order. */
  get marks(): readonly ClockMark[] {
    return this.#marks;
  }

  at(at: number, task: DueTask, dropped?: () => void): Cancel {
    const due = this.#due.push(at, task, dropped);
    this.#arm();
    return () => this.#due.cancel(due);
  }

  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel {
    return this.#realTimers.add(milliseconds, task, dropped);
  }

  /** Restores a stored state and runs nothing: due tasks run at the next turn. */
  restore(state: ClockState): void {
    this.#state = { ...state };
    this.#keepMark();
    this.#arm();
  }

  /**
   * Sets the time, or stops and starts the clock; resolves when all that thereby fell due has been done and `keep` has
   * written the state down. Rejects with `overtaken` when the clock is cleared meanwhile.
   */
  set(change: { now?: number; frozen?: boolean }, keep = keepNothing): Promise<void> {
    return this.#inTurn(() => this.#set(change, keep));
  }

  /** Moves the time on, as `set` does. */
  advance(milliseconds: number, keep = keepNothing): Promise<void> {
    return this.#inTurn(() => this.#set({ now: this.now() + milliseconds }, keep));
  }

  /** During a move, runs `work` at each due time after its tasks: what depends on them continues at that time. */
  between(work: () => Promise<void>): void {
    this.#between = work;
  }

  /** Calls `onMark` at each change, with the mark before it and the new one. */
  observe(onMark: (before: ClockMark, mark: ClockMark) => void): void {
    this.#onMark = onMark;
  }

  /** Drops every task and timer, and runs with the machine's time again. */
  clear(): void {
    this.#life.abort(overtaken());
    this.#life = new AbortController();
    this.#due.clear();
    clearTimeout(this.#timer);
    this.#realTimers.clear();
    this.#moves = Promise.resolve();
    this.#standsAt = null;
    this.#state = { offset: 0, frozenAt: null };
    this.#keepMark();
  }

  /** One move after another, so that two at once both count. */
  #inTurn(move: () => Promise<void>): Promise<void> {
    const life = this.#life.signal;
    const moved = this.#moves.then(() => {
      life.throwIfAborted();
      return move();
    });
    this.#moves = moved.catch(() => undefined);
    return moved;
  }

  async #set(change: { now?: number; frozen?: boolean }, keep: KeepState): Promise<void> {
    if (change.now !== undefined && change.now > this.now()) await this.#fireUntil(change.now);
    const now = change.now ?? this.now();
    const frozen = change.frozen ?? this.frozen;
    this.#state = { offset: now - Date.now(), frozenAt: frozen ? now : null };
    this.#keepMark();
    this.#arm();
    await keep(this.#state);
  }

  /** Stops at each due time on the way, so that a task sees the time at which it was due. In slices: others have their turn. */
  async #fireUntil(target: number): Promise<void> {
    const life = this.#life.signal;
    const slice = new Slice();
    const pending: Promise<void>[] = [];
    try {
      for (;;) {
        const due = this.#due.peek();
        const isDue = due !== undefined && due.at <= target;
        if (!isDue && pending.length === 0) return;
        if (!isDue || slice.isOver) {
          await Promise.all(pending.splice(0));
          await slice.turn();
        } else {
          this.#due.pop();
          this.#standsAt = Math.max(due.at, this.now());
          const done = due.task();
          if (done instanceof Meanwhile) pending.push(done.done);
          else await this.#dwell(done);
        }
        life.throwIfAborted();
      }
    } finally {
      if (!life.aborted) {
        // Also when a task fails: a running clock continues.
        this.#standsAt = null;
        this.#arm();
      }
    }
  }

  async #dwell(done: Promise<void> | void): Promise<void> {
    await done;
    await this.#between();
  }

  #keepMark(): void {
    const before = this.#marks.at(-1);
    const mark = this.#mark();
    this.#marks = withMark(this.#marks, mark);
    if (before) this.#onMark(before, mark);
  }

  #mark(): ClockMark {
    return { real: this.real(), now: this.now(), runs: !this.frozen };
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#due.peek();
    // Tasks that fall due during a move are run by the move.
    if (!next || this.#standsAt !== null || (this.frozen && next.at > this.now())) return;
    const wait = Math.min(Math.max(0, next.at - this.now()), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#fireDue(), wait);
  }

  #fireDue(): void {
    const now = this.now();
    const slice = new Slice();
    for (let due = this.#due.peek(); due && due.at <= now && !slice.isOver; due = this.#due.peek()) {
      this.#due.pop();
      void due.task();
    }
    this.#arm();
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

  /** Runs `task` after `milliseconds`; `dropped` instead when they are cleared before. */
  add(milliseconds: number, task: () => void, dropped?: () => void): Cancel {
    const timer = setTimeout(() => {
      this.#elapsed.push(timer);
      if (!this.#isRunning) void this.#run();
    }, milliseconds);
    this.#tasks.set(timer, { task, dropped });
    return () => {
      clearTimeout(timer);
      this.#tasks.delete(timer);
    };
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
