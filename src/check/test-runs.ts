import type { Clock } from '../base/clock/clock.ts';
import { armFaults, type FaultRunOrder, SlowResponses } from './faults/arm-faults.ts';
import { Pace } from './runner/pace.ts';
import { combinePreparations } from './runner/preparation.ts';
import { type Run, RunFault, type Runner, type RunOrder } from './runner/runner.ts';

/** The longest hold of a slow response. Milliseconds. */
const SLOW_MS = 10_000;
/** The number of commands that are prepared or ended next to running ones. */
const EXTRA_RUNS = 2;

interface TestRunsOptions {
  clock: Clock;
  jobs: number;
  signal: AbortSignal;
}

/** Runs the command with the faults of an order, as many at once as this process can handle. */
export class TestRuns implements Runner<FaultRunOrder> {
  readonly #runner: Runner;
  readonly #options: TestRunsOptions;
  readonly #pace: Pace;
  readonly #slow = new SlowResponses(SLOW_MS);
  isNarrow = false;

  constructor(runner: Runner, options: TestRunsOptions) {
    const { clock, jobs, signal } = options;
    this.#runner = runner;
    this.#options = options;
    this.#pace = new Pace(clock, jobs === 1 ? 1 : jobs + EXTRA_RUNS, signal);
  }

  get hasApp(): boolean {
    return this.#runner.hasApp;
  }

  run(order: RunOrder & Partial<FaultRunOrder>): Promise<Run> {
    const { clock, signal } = this.#options;
    const faults = { ...order, bounds: order.bounds ?? [] };
    const prepare = combinePreparations((site) => armFaults(faults, site, { clock, slow: this.#slow }), order.prepare);
    return this.#pace.go(order, async (standstill) => {
      if (signal.aborted) throw new RunFault('The time is over.');
      const run = await this.#runner.run({ ...order, prepare });
      return { ...run, standstill: { ...standstill } };
    });
  }

  narrow(): void {
    this.isNarrow = true;
    this.#pace.narrow();
  }
}
