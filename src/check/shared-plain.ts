import type { Clock } from '../base/clock/clock.ts';
import { type ScheduleOrder, together } from './faults/apply-schedule.ts';
import { NO_COMMAND, type Run, RunFault, type Runner, type RunSite, TOO_LITTLE } from './runner/runner.ts';
import { makeRunReport, type RunReport } from './spend/run-report.ts';
import { RunTally } from './spend/run-tally.ts';
import { NO_REQUEST, redText } from './violations/baseline-runs.ts';
import { type MeasuredRun, type RunSuite, type SuiteOptions, suiteOf } from './violations/measured-run.ts';

/** So many runs that fail with nothing changed, and none that passes: it is no chance. */
const ENOUGH = 3;

/** A run with nothing changed, as each part reads it. */
interface PlainRun {
  run: Run;
  measured: MeasuredRun;
  isDelayed: boolean;
  spend: RunReport | undefined;
}

export interface SharedPlainOptions extends Omit<SuiteOptions, 'runner'> {
  /** Runs under schedules, on the runner of all parts. */
  schedules: Runner<ScheduleOrder>;
  clock: Clock;
}

/**
 * The runs with nothing changed, made once for all parts: what `app` compares with is also what lies are compared with,
 * and the first that passes is what the run costs.
 */
export class SharedPlain implements Runner<ScheduleOrder> {
  readonly #options: SharedPlainOptions;
  readonly #made: PlainRun[] = [];

  constructor(options: SharedPlainOptions) {
    this.#options = options;
  }

  get hasApp(): boolean {
    return this.#options.schedules.hasApp;
  }

  /** What the first run that passed has cost. */
  get spend(): RunReport | undefined {
    return this.#made.find(({ measured }) => measured.hasPassed)?.spend;
  }

  /** Those that passed. */
  get passed(): MeasuredRun[] {
    return this.#made.map(({ measured }) => measured).filter(({ hasPassed }) => hasPassed);
  }

  async run(order: ScheduleOrder): Promise<Run> {
    if (order.bounds.length > 0 || order.reversed) return this.#options.schedules.run(order);
    this.#requireHope();
    const { run } = await this.#plain(order);
    this.#requireHope();
    return run;
  }

  /** One run with nothing changed, as a measurement of tests reads it. */
  async measure(limitMs?: number): Promise<MeasuredRun> {
    return (await this.#plain({ bounds: [], limitMs })).measured;
  }

  /** Why nothing can be checked, where the command by itself is the reason. */
  fault(): RunFault | undefined {
    const [first] = this.#made;
    if (!first || this.#made.some(({ measured }) => measured.isHung)) return undefined;
    if (this.#made.some(({ measured }) => measured.isMissing)) return new RunFault(redText(first.measured), NO_COMMAND);
    const failed = this.#made.findLast(({ measured, isDelayed }) => !measured.hasPassed && !isDelayed);
    if (this.passed.length === 0 && failed) {
      return new RunFault(redText(failed.measured));
    }
    const isDeaf = this.#made.every(({ measured }) => measured.requests === 0);
    return isDeaf ? new RunFault(NO_REQUEST, TOO_LITTLE) : undefined;
  }

  #requireHope(): void {
    const isMissing = this.#made.some(({ measured }) => measured.isMissing);
    const hasPassed = this.passed.length > 0;
    const isRed = !hasPassed && this.#made.filter(({ isDelayed }) => !isDelayed).length >= ENOUGH;
    const fault = isRed || hasPassed || isMissing ? this.fault() : undefined;
    if (fault) throw fault;
  }

  async #plain(order: ScheduleOrder): Promise<PlainRun> {
    const { schedules, ...options } = this.#options;
    let made: Run | undefined;
    let spend: RunReport | undefined;
    /** Reads what the run has cost, while its emulator is there. */
    const counting = async ({ tally, context }: RunSite) => ({
      async read() {
        if (!(tally instanceof RunTally)) return;
        const { findings } = await context.control('judgeClient', { account_id: context.scope });
        spend = makeRunReport(tally, { findings, unsettled: null });
      },
    });
    const runner: Runner = {
      hasApp: schedules.hasApp,
      run: async ({ prepare }) => {
        made = await schedules.run({ ...order, prepare: together(counting, prepare) });
        return made;
      },
    };
    const measured = await suiteOf({ ...options, runner })({ armed: [] });
    if (!made) throw new Error('A run has no record.');
    const plain = { run: made, measured, isDelayed: order.delayed === true, spend };
    this.#made.push(plain);
    return plain;
  }
}

/** Runs the suite of all parts; until the baseline runs are made it answers with the plain runs that were made. */
export function sharedSuite(run: RunSuite, plain: SharedPlain, needsBaseline: () => boolean): RunSuite {
  let known: MeasuredRun[] | undefined;
  return async (order) => {
    const isBaselineRun = order.armed.length === 0 && order.isDead !== true && needsBaseline();
    if (!isBaselineRun) return run(order);
    // By now the other part has made its own.
    known ??= plain.passed;
    return known.shift() ?? plain.measure(order.limitMs);
  };
}
