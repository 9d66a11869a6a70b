import type { Clock } from '../../base/clock/clock.ts';
import type { BaselineRuns } from '../baseline-runs.ts';
import type { CheckId } from '../checks.ts';
import type { Budget } from '../runner/budget.ts';
import type { Run, Runner } from '../runner/runner.ts';
import type { FaultRunOrder } from './arm-faults.ts';
import type { FailedRun, FindingBook } from './finding-book.ts';
import { PackedRuns } from './packed-runs.ts';
import type { Scenario } from './scenario.ts';
import { singlesOf, siteKindOf } from './search-order.ts';

interface Suspect {
  scenario: Scenario;
  packed: Run | undefined;
  early: Promise<boolean> | undefined;
  check: CheckId | undefined;
}

interface PackedSearchParts {
  clock: Clock;
  jobs: number;
  planned: readonly Scenario[];
  book: FindingBook;
  budget: Budget;
  explore(scenario: Scenario, packed: Run | undefined): Promise<unknown>;
  again(scenario: Scenario, failed: FailedRun): Promise<unknown>;
  giveBack(scenario: Scenario): void;
}

/** A failure in a packed run must be confirmed alone, one of each check first. */
export class PackedSearch {
  readonly runs: PackedRuns;
  readonly #parts: PackedSearchParts;
  readonly #plain: BaselineRuns;
  readonly #waiting: Suspect[] = [];
  readonly #plainMs: number;
  readonly #untried: Set<string>;
  readonly #busy = new Set<CheckId | undefined>();
  #early: Promise<unknown> = Promise.resolve();

  constructor(runner: Runner<FaultRunOrder>, plain: BaselineRuns, parts: PackedSearchParts) {
    const { clock, jobs, planned, budget } = parts;
    this.#parts = parts;
    this.#plain = plain;
    this.runs = new PackedRuns(runner, plain, { clock, mostWaiting: Math.floor(jobs / 2) });
    this.#plainMs = budget.lengthMs;
    this.#untried = new Set(singlesOf(planned).map(siteKindOf));
  }

  /** True if failures must be confirmed before new scenarios are tried. */
  get isDue(): boolean {
    const { length } = this.#waiting;
    if (length === 0 || this.#untried.size === 0) return length > 0;
    return this.#waiting.some(({ check }) => this.#isOpen(check));
  }

  noteTried(scenarios: readonly Scenario[]): void {
    for (const entry of scenarios.flat()) this.#untried.delete(siteKindOf(entry));
  }

  async exploreBatch(batch: readonly Scenario[]): Promise<void> {
    const { runs } = this;
    const { book, budget, explore, giveBack } = this.#parts;
    const early = new Map<Scenario, Promise<boolean>>();
    const onEnded = (scenario: Scenario, run: Run) => {
      const failure = runs.plainFailure(run, scenario);
      if (failure && !early.has(scenario)) early.set(scenario, this.#exploreEarly(scenario, { run, failure }));
    };
    const shown = await runs.run(batch, { budget, onEnded });
    const [carried] = shown.values();
    // Later runs only read what the first run rendered.
    if (carried) budget.lengthMs = Math.min(this.#plainMs, carried.ms);
    const failing = new Map<Scenario, FailedRun>();
    for (const [scenario, run] of shown) {
      const failure = runs.plainFailure(run, scenario);
      if (failure) failing.set(scenario, { run, failure });
    }
    const passes = (scenario: Scenario) => shown.has(scenario) && !failing.has(scenario);
    // Passed scenarios count at once, and need not be tried as smaller forms of failed ones.
    for (const scenario of batch.filter(passes)) book.notePassed(scenario);
    for (const scenario of batch.toSorted((a, b) => Number(passes(b)) - Number(passes(a)))) {
      const failed = failing.get(scenario);
      if (failed || early.has(scenario)) this.#add(scenario, failed, early.get(scenario));
      else if (scenario !== batch[0] && !shown.has(scenario) && budget.isOver) giveBack(scenario);
      else await explore(scenario, shown.get(scenario));
    }
  }

  exploreSuspect(): Promise<unknown> | undefined {
    const at = this.#waiting.findIndex(({ check }) => this.#isOpen(check));
    const [next] = this.#waiting.splice(Math.max(0, at), 1);
    return next && this.#exploreUnlessEarly(next);
  }

  async #exploreUnlessEarly({ scenario, packed, early, check }: Suspect): Promise<void> {
    if (!(await early)) await this.#confirming(check, () => this.#parts.explore(scenario, packed));
  }

  async #confirming(check: CheckId | undefined, work: () => Promise<unknown>): Promise<void> {
    this.#busy.add(check);
    await work().finally(() => this.#busy.delete(check));
  }

  #add(scenario: Scenario, failed: FailedRun | undefined, early: Promise<boolean> | undefined): void {
    const check = failed && this.#plain.checkOf(scenario, failed);
    this.#waiting.push({ scenario, packed: failed?.run, early, check });
  }

  #exploreEarly(scenario: Scenario, failed: FailedRun): Promise<boolean> {
    const { book, budget, again } = this.#parts;
    const explored = this.#early.then(async () => {
      if (!budget.hasTime(1) || book.has(scenario, [failed.failure])) return false;
      const check = this.#plain.checkOf(scenario, failed);
      if (this.#untried.size > 0 && !this.#isOpen(check)) return false;
      await this.#confirming(check, () => again(scenario, failed));
      return true;
    });
    this.#early = explored.catch(() => undefined);
    return explored;
  }

  #isOpen(check: CheckId | undefined): boolean {
    const hasFailed = this.#parts.book.findings.some((finding) => finding.check === check);
    return !hasFailed && !this.#busy.has(check);
  }
}
