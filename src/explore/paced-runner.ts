import type { Clock } from '../clock/clock.ts';
import type { Run } from './run-record.ts';
import type { Runner, RunOrder } from './runner.ts';
import { Pace } from './story-pace.ts';

/** A world in which no more stories go on at once than this process keeps up with. */
export class PacedRunner implements Runner {
  readonly #runner: Runner;
  readonly #pace: Pace;

  constructor(runner: Runner, clock: Clock, { jobs, signal }: { jobs: number; signal: AbortSignal }) {
    this.#runner = runner;
    this.#pace = new Pace(clock, jobs, signal);
  }

  get hasApp(): boolean {
    return this.#runner.hasApp;
  }

  run(order: RunOrder): Promise<Run> {
    return this.#pace.go(order.rank ?? 'next', async (standstill) => {
      const run = await this.#runner.run(order);
      return { ...run, standstill: { ...standstill } };
    });
  }

  /** From now on one story runs at a time. */
  narrow(): void {
    this.#pace.narrow();
  }

  close(): Promise<void> {
    return this.#runner.close();
  }
}

type Timed = Pick<Run, 'standstill' | 'began' | 'ended'>;

/** So long, in milliseconds or as a share of the run, a process may stand still before a run tells little of its story. */
const STANDSTILL_MS = 700;
const SHARE = 0.4;

/** Whether a run says more of the machine than of the story: a story that keeps its process busy by itself does so each time. */
export function isStarved({ standstill, began, ended }: Timed, plain: readonly Timed[]): boolean {
  if (!standstill) return false;
  const usual = Math.max(0, ...plain.map((run) => run.standstill?.worst ?? 0));
  const share = (each: Timed) => (each.standstill?.sum ?? 0) / Math.max(1, each.ended - each.began);
  const usualShare = Math.max(0, ...plain.map(share));
  const own = standstill.sum / Math.max(1, ended - began);
  return standstill.worst > Math.max(STANDSTILL_MS, 2 * usual) || own > Math.max(SHARE, 2 * usualShare);
}
