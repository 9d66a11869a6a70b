import type { Clock } from '../base/clock/clock.ts';
import { armFaults, type FaultOrder, SlowResponses } from './faults/arm-faults.ts';
import { Pace } from './runner/pace.ts';
import { together } from './runner/preparation.ts';
import { type Run, RunFault, type Runner, type RunOrder } from './runner/runner.ts';

/** How long a slow answer is held at most: milliseconds. */
const SLOW_MS = 10_000;
/** Next to the commands that run, some are brought to their end and some are made ready. */
const BESIDE = 2;

interface TestRunsOptions {
  clock: Clock;
  jobs: number;
  signal: AbortSignal;
}

/** Runs the command, with the faults of an order in it, and no more at once than this process keeps up with. */
export class TestRuns implements Runner<FaultOrder> {
  readonly #runner: Runner;
  readonly #options: TestRunsOptions;
  readonly #pace: Pace;
  readonly #slow = new SlowResponses(SLOW_MS);
  isNarrow = false;

  constructor(runner: Runner, options: TestRunsOptions) {
    const { clock, jobs, signal } = options;
    this.#runner = runner;
    this.#options = options;
    this.#pace = new Pace(clock, jobs === 1 ? 1 : jobs + BESIDE, signal);
  }

  get hasApp(): boolean {
    return this.#runner.hasApp;
  }

  run(order: RunOrder & Partial<FaultOrder>): Promise<Run> {
    const { clock, signal } = this.#options;
    const faults = { ...order, bounds: order.bounds ?? [] };
    const prepare = together((site) => armFaults(faults, site, { clock, slow: this.#slow }), order.prepare);
    return this.#pace.go(order, async (standstill) => {
      // What begins now would only be ended.
      if (signal.aborted) throw new RunFault('The time is over.');
      const run = await this.#runner.run({ ...order, prepare });
      return { ...run, standstill: { ...standstill } };
    });
  }

  /** From now on one at a time. */
  narrow(): void {
    this.isNarrow = true;
    this.#pace.narrow();
  }
}
