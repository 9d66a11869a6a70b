import type { BaselineRuns } from '../baseline-runs.ts';
import { isStarved } from '../runner/pace.ts';
import type { RunRecord } from '../runner/run-record.ts';
import type { Rank, Run, Runner, TraceHeading } from '../runner/runner.ts';
import type { FaultOrder } from './arm-faults.ts';
import type { Failure } from './finding-book.ts';
import { judge, type ReferenceRun, referenceOf } from './judge.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, keyOf, type Scenario } from './scenario.ts';
import type { Numbering } from './step.ts';

export interface Trial {
  run: Run;
  failures: Failure[];
}

interface TrialOptions {
  trace?: TraceHeading;
  known?: Run | undefined;
  rank?: Rank;
  isUrgent?: boolean;
  runner?: Pick<Runner<FaultOrder>, 'run'> | undefined;
  /** It has failed before: a failure while the machine stalled, or in an unusual order, is checked again. */
  insists?: boolean;
  isIdle?(failures: readonly Failure[]): boolean;
}

/** How often what came in another order is looked at again: parallel requests may do so at any time. */
const LOOKS = 3;

/** Runs scenarios, and judges them by what undisturbed runs of their outcome come to. */
export class Trials {
  readonly #runner: Runner<FaultOrder>;
  readonly #plain: BaselineRuns;
  readonly #undisturbed = new Map<string, Promise<Run>>();
  readonly #reversed = new Map<string, Promise<Run>>();

  constructor(runner: Runner<FaultOrder>, plain: BaselineRuns) {
    this.#runner = runner;
    this.#plain = plain;
  }

  async of(scenario: Scenario, options: TrialOptions = {}): Promise<Trial> {
    const { trace, known, rank = 'next', isUrgent = false, runner = this.#runner, insists = false, isIdle } = options;
    const { registry, limitMs, runs } = this.#plain;
    const order = { ...registry.order(scenario), limitMs, trace, isUrgent };
    const look = async (at: Rank) => this.#judged(await runner.run({ ...order, rank: at }), scenario);
    let trial = known ? await this.#judged(known, scenario) : await look(rank);
    const counts = trial.failures.length > 0 || insists;
    // A failure of a stalled machine is checked again, with few runs next to it.
    if (counts && isStarved(trial.run, runs) && !isIdle?.(trial.failures)) trial = await look('calm');
    for (let left = LOOKS; insists && left > 0 && this.#passedInOtherOrder(trial); left -= 1)
      trial = await look('calm');
    return trial;
  }

  /** The one run of an outcome that nothing else disturbs, made when it is first asked for; of the plain one the first. */
  undisturbed(outcome: Scenario): Promise<Run> {
    const [plain] = this.#plain.runs;
    return outcome.length === 0 && plain ? Promise.resolve(plain) : this.#once(this.#undisturbed, outcome);
  }

  keep(outcome: Scenario, run: Run): void {
    if (!this.knows(outcome)) this.#undisturbed.set(keyOf(outcome), Promise.resolve(run));
  }

  /** The run of an outcome that was kept is doubtful: it is made again when it is asked for. */
  drop(outcome: Scenario): void {
    this.#undisturbed.delete(keyOf(outcome));
  }

  knows(outcome: Scenario): boolean {
    return outcome.length === 0 || this.#undisturbed.has(keyOf(outcome));
  }

  /** Whether its requests were done and charged in another order than those of the first baseline run. */
  #passedInOtherOrder({ run, failures }: Trial): boolean {
    const { runs, numbering } = this.#plain;
    const [plain] = runs;
    if (failures.length > 0 || plain === undefined) return false;
    return isOtherOrder(paidOrder(run.record, numbering), paidOrder(plain.record, numbering));
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
   * What undisturbed runs of a scenario's outcome come to: of takes that could end in either order, in the usual one; in
   * both where by the usual one a run fails in its end alone.
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

  /** What others are compared with is made again, with few next to it, where the machine stood still. */
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

/** The names of the steps that were charged, in the order in which they were: those of one account come together. */
function paidOrder(record: RunRecord, numbering: Numbering): string[] {
  const positions = new Map(record.ledger.map(({ id }, at) => [id, at]));
  const firstCharge = new Map(record.requests.map(({ id, charges: [charge = ''] }) => [id, positions.get(charge)]));
  const { steps } = readSteps(record, numbering);
  return steps
    .flatMap(({ name, ref }) => {
      const at = ref === undefined ? undefined : firstCharge.get(ref);
      return at === undefined ? [] : [{ name, at }];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/** Whether what both have came in another order: of requests that a client sends at the same time any may be the first. */
function isOtherOrder(one: readonly string[], other: readonly string[]): boolean {
  const common = one.filter((name) => other.includes(name));
  return common.join('\n') !== other.filter((name) => one.includes(name)).join('\n');
}
