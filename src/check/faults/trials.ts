import type { BaselineRuns } from '../baseline-runs.ts';
import { isStarved } from '../runner/pace.ts';
import type { Rank, Run, Runner, TraceHeading } from '../runner/runner.ts';
import type { FaultRunOrder } from './arm-faults.ts';
import type { Failure } from './finding-book.ts';
import { judge, type ReferenceRun, referenceOf } from './judge.ts';
import { isOutcome, keyOf, type Scenario } from './scenario.ts';

export interface Trial {
  run: Run;
  failures: Failure[];
}

interface TrialOptions {
  trace?: TraceHeading;
  known?: Run | undefined;
  rank?: Rank;
  isUrgent?: boolean;
  runner?: Pick<Runner<FaultRunOrder>, 'run'> | undefined;
  /** A known failure: it is gone only after `RUNS` runs without it. */
  insists?: boolean;
  isIdle?(failures: readonly Failure[]): boolean;
}

/**
 * The runs that confirm a finding, or show that it is gone. Some failures need requests or timers in one of several orders.
 */
export const RUNS = 3;

/** Runs scenarios and compares them with undisturbed runs of the same outcome. */
export class Trials {
  readonly #runner: Runner<FaultRunOrder>;
  readonly #plain: BaselineRuns;
  readonly #undisturbed = new Map<string, Promise<Run>>();
  readonly #reversed = new Map<string, Promise<Run>>();

  constructor(runner: Runner<FaultRunOrder>, plain: BaselineRuns) {
    this.#runner = runner;
    this.#plain = plain;
  }

  async of(scenario: Scenario, options: TrialOptions = {}): Promise<Trial> {
    const { trace, known, rank = 'next', isUrgent = false, runner = this.#runner, insists = false, isIdle } = options;
    const { registry, limitMs, runs } = this.#plain;
    const order = { ...registry.order(scenario), limitMs, trace, isUrgent };
    const look = async (at: Rank) => this.#judged(await runner.run({ ...order, rank: at }), scenario);
    let trial = known ? await this.#judged(known, scenario) : await look(rank);
    const hasFailed = () => trial.failures.length > 0;
    // A failure on a stalled machine is run again, with few parallel runs.
    if (hasFailed() && isStarved(trial.run, runs) && !isIdle?.(trial.failures)) trial = await look('calm');
    for (let looks = 1; insists && looks < RUNS && !hasFailed(); looks += 1) trial = await look('calm');
    return trial;
  }

  /** The only undisturbed run of an outcome, made at its first use. */
  undisturbed(outcome: Scenario): Promise<Run> {
    const [plain] = this.#plain.runs;
    return outcome.length === 0 && plain ? Promise.resolve(plain) : this.#once(this.#undisturbed, outcome);
  }

  keep(outcome: Scenario, run: Run): void {
    if (!this.knows(outcome)) this.#undisturbed.set(keyOf(outcome), Promise.resolve(run));
  }

  /** Discards a doubtful run, so that the next use makes a new one. */
  drop(outcome: Scenario): void {
    this.#undisturbed.delete(keyOf(outcome));
  }

  knows(outcome: Scenario): boolean {
    return outcome.length === 0 || this.#undisturbed.has(keyOf(outcome));
  }

  async #judged(run: Run, scenario: Scenario): Promise<Trial> {
    const { hasApp } = this.#runner;
    const judged = (reference: ReferenceRun) => judge(run, scenario, { reference, hasApp });
    const isOpen = (reference: ReferenceRun) => {
      const [first] = judged(reference);
      return first?.kind === 'spend';
    };
    return { run, failures: judged(await this.#reference(scenario, isOpen)) };
  }

  /**
   * The undisturbed runs of the scenario's outcome, with takes in their usual order. With both orders if a run fails only
   * in its end by the usual one.
   */
  async #reference(scenario: Scenario, isOpen: (reference: ReferenceRun) => boolean): Promise<ReferenceRun> {
    const outcome = scenario.filter(isOutcome);
    const { runs: plain, registry } = this.#plain;
    const same = outcome.length === 0 ? plain : [await this.undisturbed(outcome)];
    const reference = referenceOf(same, plain);
    const hasTakes = registry.plain.some(({ kind }) => kind === 'take');
    if (!hasTakes || !isOpen(reference)) return reference;
    return referenceOf([...same, await this.#once(this.#reversed, outcome, true)], plain);
  }

  /** A reference run is repeated, with few parallel runs, if the machine stalled. */
  #once(made: Map<string, Promise<Run>>, outcome: Scenario, reversed = false): Promise<Run> {
    const key = keyOf(outcome);
    const make = async () => {
      const { registry, limitMs, runs } = this.#plain;
      const order = { ...registry.order(outcome), limitMs, ...(reversed && { reversed }) };
      const run = await this.#runner.run(order);
      return isStarved(run, runs) ? this.#runner.run({ ...order, rank: 'calm' as const }) : run;
    };
    const run = made.get(key) ?? make();
    made.set(key, run);
    return run;
  }
}
