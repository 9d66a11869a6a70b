import { type Cancel, Slice } from './clock.ts';

interface RealTask {
  task: () => void;
  dropped: (() => void) | undefined;
}

/**
 * Tasks that run after a while of the machine's time. Those of one moment are as many as the jobs of a state: they run in
 * slices, so that requests are answered between them.
 */
export class RealTimers {
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
