import { stateReplacedError } from '../errors.ts';
import { type Cancel, type Clock, TimeSlice } from './clock.ts';
import { type DueCallback, DueQueue } from './due-queue.ts';

/** What survives a restart, in milliseconds. `offset` is the difference to the machine's time. */
export interface ClockState {
  offset: number;
  frozenAt: number | null;
}

export type SaveClockState = (state: ClockState) => Promise<unknown>;

/** The emulator's time at one moment of the machine's time (`real`), both in milliseconds. */
export interface ClockSyncPoint {
  real: number;
  now: number;
  runs: boolean;
}

interface RealTask {
  task: () => void;
  dropped: (() => void) | undefined;
}

/** Timers of real time. Thousands of jobs may end at one moment, so other work gets a turn after each 8 ms of tasks. */
class RealTimers {
  readonly #tasks = new Map<NodeJS.Timeout, RealTask>();
  #elapsed: NodeJS.Timeout[] = [];
  #isRunning = false;
  #isHeld = true;

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

  async #run(): Promise<void> {
    this.#isRunning = true;
    const slice = new TimeSlice();
    while (this.#elapsed.length > 0) {
      for (const timer of this.#elapsed.splice(0)) {
        const due = this.#tasks.get(timer);
        this.#tasks.delete(timer);
        due?.task();
        // Code that awaits the task continues now, so that its time counts toward this slice.
        await undefined;
        if (slice.isOver) await slice.turn();
      }
      await slice.turn();
    }
    this.#isRunning = false;
  }
}

const MAX_TIMER = 2 ** 31 - 1;

const keepNothing: SaveClockState = async () => undefined;

export class VirtualClock implements Clock {
  readonly #due = new DueQueue();
  readonly #realTimers = new RealTimers();
  #state: ClockState = { offset: 0, frozenAt: null };
  #movingAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #moves: Promise<unknown> = Promise.resolve();
  #life = new AbortController();
  #between: () => Promise<void> = async () => undefined;
  #marks: readonly ClockSyncPoint[] = [this.#mark()];
  #onMark: (before: ClockSyncPoint, mark: ClockSyncPoint) => void = () => {};

  now(): number {
    return this.#movingAt ?? this.#state.frozenAt ?? Date.now() + this.#state.offset;
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

  get marks(): readonly ClockSyncPoint[] {
    return this.#marks;
  }

  hold(isHeld: boolean): void {
    this.#realTimers.hold(isHeld);
  }

  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel {
    return this.#realTimers.add(milliseconds, task, dropped);
  }

  at(at: number, task: DueCallback, dropped?: () => void): Cancel {
    const due = this.#due.push(at, task, dropped);
    this.#arm();
    return () => this.#due.cancel(due);
  }

  restore(state: ClockState): void {
    this.#state = { ...state };
    this.#keepMark();
    this.#arm();
  }

  /** Resolves once all due tasks are done. Rejects with `stateReplacedError` if `endMoves` or `clear` ends it. */
  set(change: { now?: number; frozen?: boolean }, keep = keepNothing): Promise<void> {
    return this.#inTurn(() => this.#set(change, keep));
  }

  advance(milliseconds: number, keep = keepNothing): Promise<void> {
    return this.#inTurn(() => this.#set({ now: this.now() + milliseconds }, keep));
  }

  /** During a move, runs `work` after each task, so that dependent work continues at the time of the task. */
  between(work: () => Promise<void>): void {
    this.#between = work;
  }

  observe(onMark: (before: ClockSyncPoint, mark: ClockSyncPoint) => void): void {
    this.#onMark = onMark;
  }

  /** Ends the running move of the clock, and the moves that wait for it. */
  endMoves(): void {
    this.#life.abort(stateReplacedError());
    this.#life = new AbortController();
    this.#moves = Promise.resolve();
  }

  clear(): void {
    this.endMoves();
    this.#due.clear();
    clearTimeout(this.#timer);
    this.#realTimers.clear();
    this.#movingAt = null;
    this.#state = { offset: 0, frozenAt: null };
    this.#keepMark();
  }

  /** Runs moves one after another, so that concurrent moves add up. */
  #inTurn(move: () => Promise<void>): Promise<void> {
    const life = this.#life.signal;
    const moved = this.#moves.then(() => {
      life.throwIfAborted();
      return move();
    });
    this.#moves = moved.catch(() => undefined);
    return moved;
  }

  async #set(change: { now?: number; frozen?: boolean }, keep: SaveClockState): Promise<void> {
    if (change.now !== undefined && change.now > this.now()) await this.#fireUntil(change.now);
    const now = change.now ?? this.now();
    const frozen = change.frozen ?? this.frozen;
    this.#state = { offset: now - Date.now(), frozenAt: frozen ? now : null };
    this.#keepMark();
    this.#arm();
    await keep(this.#state);
  }

  /** Stops at each due time on the way, so that a task does not see the time of the target. */
  async #fireUntil(target: number): Promise<void> {
    const life = this.#life.signal;
    const slice = new TimeSlice();
    let isCommitted = true;
    try {
      for (;;) {
        const due = this.#due.peek();
        if (due && due.at <= target) {
          this.#due.pop();
          this.#movingAt = Math.max(due.at, this.now());
          await due.task();
          await this.#between();
          isCommitted = false;
          if (slice.isOver) await slice.turn();
        } else if (isCommitted) return;
        else {
          // Transactions of tasks are committed at the end of the turn, and may plan more tasks.
          await slice.turn();
          isCommitted = true;
        }
        life.throwIfAborted();
      }
    } finally {
      if (!life.aborted) {
        // Must happen even if a task fails, because the clock would otherwise stand still.
        this.#movingAt = null;
        this.#arm();
      }
    }
  }

  #keepMark(): void {
    const before = this.#marks.at(-1);
    const mark = this.#mark();
    this.#marks = withMark(this.#marks, mark);
    if (before) this.#onMark(before, mark);
  }

  #mark(): ClockSyncPoint {
    return { real: this.real(), now: this.now(), runs: !this.frozen };
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#due.peek();
    if (!next || this.#movingAt !== null || (this.frozen && next.at > this.now())) return;
    const wait = Math.min(Math.max(0, next.at - this.now()), MAX_TIMER);
    this.#timer = setTimeout(() => this.#fireDue(), wait);
  }

  #fireDue(): void {
    const now = this.now();
    const slice = new TimeSlice();
    for (let due = this.#due.peek(); due && due.at <= now && !slice.isOver; due = this.#due.peek()) {
      this.#due.pop();
      void due.task();
    }
    this.#arm();
  }
}

const MAX_MARKS = 1000;

function withMark(marks: readonly ClockSyncPoint[], mark: ClockSyncPoint): ClockSyncPoint[] {
  const before = marks.at(-1)?.real === mark.real ? marks.slice(0, -1) : marks;
  return [...before, mark].slice(-MAX_MARKS);
}

/**
 * Converts the emulator's time to the machine's, both in milliseconds; the result is never before `notBefore`. A
 * skipped time becomes the moment of the move, a frozen one the moment of the freeze.
 */
export function toRealTime(marks: readonly ClockSyncPoint[], emulated: number, notBefore: number): number {
  const from = Math.max(
    0,
    marks.findLastIndex(({ real }) => real <= notBefore),
  );
  const rest = marks.slice(from);
  for (const [at, mark] of rest.entries()) {
    const next = rest[at + 1]?.real ?? Number.POSITIVE_INFINITY;
    const end = mark.runs ? mark.now + (next - mark.real) : mark.now;
    if (emulated > end) continue;
    const within = mark.runs ? mark.real + (emulated - mark.now) : mark.real;
    return Math.max(notBefore, Math.min(Math.max(within, mark.real), next));
  }
  return Math.max(notBefore, rest.at(-1)?.real ?? emulated);
}
