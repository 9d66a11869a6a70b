import type { DueTask } from './due-queue.ts';
import { nextTurn } from './real-globals.ts';

export type Cancel = () => void;

export interface Clock {
  now(): number;
  /** The machine's time: for durations, and for signatures that a receiver checks. */
  real(): number;
  readonly frozen: boolean;
  /**
   * Runs `task` once the emulator's time reaches `at`, but not in this turn; `dropped` instead if the clock is cleared
   * first.
   */
  at(at: number, task: DueTask, dropped?: () => void): Cancel;
  after(milliseconds: number, task: () => void, dropped?: () => void): Cancel;
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** Longer work would delay other requests noticeably. Milliseconds of real time. */
const SLICE_MS = 8;

export class Slice {
  #began = performance.now();

  get spent(): number {
    return performance.now() - this.#began;
  }

  get isOver(): boolean {
    return this.spent >= SLICE_MS;
  }

  async turn(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}
