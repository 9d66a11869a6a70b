import type { Cancel, Clock, ClockState, DueTask } from './clock.ts';
import { DueQueue } from './due-queue.ts';

/** A timer cannot wait longer than this in one go. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's clock, moved or stopped at will. What it owes is fired in the order of its due time. */
export class VirtualClock implements Clock {
  readonly #due = new DueQueue();
  readonly #realTimers = new Map<NodeJS.Timeout, (() => void) | undefined>();
  #state: ClockState = { offset: 0, frozenAt: null };
  #timer: NodeJS.Timeout | undefined;
  #moves: Promise<void> = Promise.resolve();

  now(): number {
    return this.#state.frozenAt ?? Date.now() + this.#state.offset;
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

  at(at: number, task: DueTask, dropped?: () => void): Cancel {
    const due = this.#due.push(at, task, dropped);
    this.#arm();
    return () => {
      due.cancelled = true;
    };
  }

  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel {
    const timer = setTimeout(() => {
      this.#realTimers.delete(timer);
      task();
    }, milliseconds);
    this.#realTimers.set(timer, dropped);
    return () => {
      clearTimeout(timer);
      this.#realTimers.delete(timer);
    };
  }

  /** Takes up a kept state, firing nothing: what is due fires at the next turn. */
  restore(state: ClockState): void {
    this.#state = { ...state };
    this.#arm();
  }

  /** Sets the time, or stops and starts the clock; resolves when all that thereby fell due has been done. */
  set(change: { now?: number; frozen?: boolean }): Promise<void> {
    return this.#inTurn(() => this.#set(change));
  }

  /** Moves the time on; resolves when all that fell due on the way has been done. */
  advance(milliseconds: number): Promise<void> {
    return this.#inTurn(() => this.#set({ now: this.now() + milliseconds }));
  }

  /** One move after another, so that of two at once each counts. */
  #inTurn(move: () => Promise<void>): Promise<void> {
    const moved = this.#moves.then(move);
    this.#moves = moved.catch(() => undefined);
    return moved;
  }

  async #set(change: { now?: number; frozen?: boolean }): Promise<void> {
    const frozen = change.frozen ?? this.frozen;
    if (change.now !== undefined && change.now > this.now()) await this.#fireUntil(change.now);
    const now = change.now ?? this.now();
    this.#state = frozen
      ? { offset: now - Date.now(), frozenAt: now }
      : { offset: now - Date.now(), frozenAt: null };
    this.#arm();
  }

  /** Forgets every task and timer, and runs with the machine's time again. */
  clear(): void {
    this.#due.clear();
    clearTimeout(this.#timer);
    const timers = [...this.#realTimers];
    this.#realTimers.clear();
    for (const [timer, dropped] of timers) {
      clearTimeout(timer);
      dropped?.();
    }
    this.#moves = Promise.resolve();
    this.#state = { offset: 0, frozenAt: null };
  }

  /** Stands still at each due time on the way, so that a task sees the time it was due. */
  async #fireUntil(target: number): Promise<void> {
    const { frozenAt } = this.#state;
    try {
      for (let due = this.#due.peek(); due && due.at <= target; due = this.#due.peek()) {
        this.#due.pop();
        this.#state = { offset: this.#state.offset, frozenAt: Math.max(due.at, this.now()) };
        await due.task();
      }
    } finally {
      // Also when a task fails: a clock that ran runs on.
      this.#state = { offset: this.#state.offset, frozenAt };
    }
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = this.#due.peek();
    if (!next || (this.frozen && next.at > this.now())) return;
    const wait = Math.min(Math.max(0, next.at - this.now()), LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#fireDue(), wait);
  }

  #fireDue(): void {
    const now = this.now();
    for (let due = this.#due.peek(); due && due.at <= now; due = this.#due.peek()) {
      this.#due.pop();
      void due.task();
    }
    this.#arm();
  }
}
