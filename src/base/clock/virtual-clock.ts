import { overtaken } from '../errors.ts';
import { type Cancel, RunningClock, Slice } from './clock.ts';
import { type ClockMark, type ClockState, type KeepState, withMark } from './clock-marks.ts';
import { DueQueue, type DueTask, Meanwhile } from './due-queue.ts';

/** A timer cannot wait longer than this in one go. */
const LONGEST_TIMER = 2 ** 31 - 1;

const keepNothing: KeepState = async () => undefined;

/** The machine's clock, which can be moved and frozen. Tasks run in the order of their due times. */
export class VirtualClock extends RunningClock {
  readonly #due = new DueQueue();
  #timer: NodeJS.Timeout | undefined;
  #moves: Promise<unknown> = Promise.resolve();
  #life = new AbortController();
  #between: () => Promise<void> = async () => undefined;
  #marks: readonly ClockMark[] = [this.#mark()];
  #onMark: (before: ClockMark, mark: ClockMark) => void = () => {};

  get state(): ClockState {
    return this.shown;
  }

  /** Its state at each change, oldest first, by which times of both clocks are put in one order. */
  get marks(): readonly ClockMark[] {
    return this.#marks;
  }

  override at(at: number, task: DueTask, dropped?: () => void): Cancel {
    const due = this.#due.push(at, task, dropped);
    this.#arm();
    return () => this.#due.cancel(due);
  }

  /** Restores a stored state and runs nothing: due tasks run at the next turn. */
  restore(state: ClockState): void {
    this.shown = { ...state };
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
    this.realTimers.clear();
    this.#moves = Promise.resolve();
    this.standsAt = null;
    this.shown = { offset: 0, frozenAt: null };
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
    this.shown = { offset: now - Date.now(), frozenAt: frozen ? now : null };
    this.#keepMark();
    this.#arm();
    await keep(this.shown);
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
          this.standsAt = Math.max(due.at, this.now());
          const done = due.task();
          if (done instanceof Meanwhile) pending.push(done.done);
          else await this.#dwell(done);
        }
        life.throwIfAborted();
      }
    } finally {
      if (!life.aborted) {
        // Also when a task fails: a running clock continues.
        this.standsAt = null;
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
    if (!next || this.standsAt !== null || (this.frozen && next.at > this.now())) return;
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
