import type { Clock } from '../../base/clock/clock.ts';
import type { BaselineRuns } from '../baseline-runs.ts';
import type { CheckId } from '../checks.ts';
import { Budget } from '../runner/budget.ts';
import { type Run, RunFault, type Runner } from '../runner/runner.ts';
import {
  type CheckSearch,
  type SearchProgress,
  type SearchResults,
  type Shard,
  type TriedCount,
  workAtOnce,
} from '../runner/search.ts';
import type { FaultRunOrder } from './arm-faults.ts';
import { type ConfirmationOptions, Confirmations } from './confirm-failure.ts';
import { type ExpectedSuccess, ExpectedSuccesses } from './expected-success.ts';
import { type FailedRun, type Failure, type FaultFinding, FindingBook } from './finding-book.ts';
import { isUnsavable } from './judge.ts';
import { PackedSearch } from './packed-search.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, type Scenario, type StepRegistry } from './scenario.ts';
import {
  followingScenarios,
  isSought,
  plannedScenarios,
  ScenarioQueue,
  singlesOf,
  siteKindOf,
} from './search-order.ts';
import type { Step } from './step.ts';
import { type Trial, Trials } from './trials.ts';

export interface FaultResults extends SearchResults {
  steps: number;
  findings: readonly FaultFinding[];
  unstable: readonly FaultFinding[];
  unconfirmed: readonly FaultFinding[];
  expectsSuccess: readonly ExpectedSuccess[];
  /** Tests that pass although every request fails. They are not judged. */
  deadTests: readonly string[];
}

export interface SearchOptions extends ConfirmationOptions {
  budgetMs: number;
  shard: Shard;
  saved: readonly Scenario[];
  /** The faults of a token, and the mark of the command in which they were found. */
  replay?: { faults: Scenario; command: string } | undefined;
  onSuspect?: (scenario: Scenario, check: CheckId) => void;
  onChange?: () => void;
}

interface HowExplored {
  /** The result in a packed run. A new failure must be confirmed alone. */
  packed?: Run | undefined;
  ahead?: readonly Promise<Trial>[];
}

export class SearchRun implements CheckSearch<FaultResults> {
  readonly #runner: Runner<FaultRunOrder>;
  readonly #clock: Clock;
  readonly #options: SearchOptions;
  readonly #plain: BaselineRuns;
  readonly #trials: Trials;
  /** Undefined for a suite that does not report its tests. */
  #packed: PackedSearch | undefined;
  #confirming: Confirmations | undefined;
  readonly #book = new FindingBook();
  readonly #budget: Budget;
  readonly #queue: ScenarioQueue;
  readonly #expecting: ExpectedSuccesses;
  /** By kind of scenario: whether the tests passed under one. */
  readonly #judged = new Map<string, boolean>();
  #dead: readonly string[] = [];

  constructor(runner: Runner<FaultRunOrder>, baseline: BaselineRuns, clock: Clock, options: SearchOptions) {
    this.#runner = runner;
    this.#clock = clock;
    this.#options = options;
    this.#budget = new Budget(clock, options);
    this.#queue = new ScenarioQueue();
    this.#expecting = new ExpectedSuccesses(options.mask);
    this.#plain = baseline;
    this.#trials = new Trials(this.#runner, this.#plain);
  }

  async run(): Promise<void> {
    const { replay } = this.#options;
    await (replay ? this.#replay(replay) : this.#search());
  }

  async #search(): Promise<void> {
    const registry = await this.#prepared(this.#plain.prepare());
    this.#dead = registry.plain.some(({ test }) => test !== undefined) ? await this.#plain.deadTests() : [];
    const { search, shard, saved, jobs } = this.#options;
    const isHere = (scenario: Scenario) => scenario.every((entry) => isSought(entry, registry.book(scenario), search));
    const live = registry.plain.filter(({ test }) => test === undefined || !this.#dead.includes(test));
    this.#queue.plan([...plannedScenarios(live, search)], shard, saved.filter(isHere));
    if (registry.plain.some(({ test }) => test !== undefined)) this.#packed = this.#openPacked();
    await workAtOnce(jobs, () =>
      this.#next()
        ?.catch((error: unknown) => this.#excuse(error))
        .finally(this.#options.onChange),
    );
  }

  async #replay({ faults: scenario, command }: NonNullable<SearchOptions['replay']>): Promise<void> {
    await this.#prepared(this.#plain.prepareReplay(command));
    await this.#lead(scenario);
    const unknown = this.#plain.registry.unknown(scenario);
    if (unknown) throw new RunFault(`The step "${unknown.step}" of the token does not occur in this run.`);
    const { run, failures } = await this.#trials.of(scenario, { insists: true });
    // A run that was cut off shows nothing.
    if (this.#options.signal.aborted) return;
    const [failure] = failures;
    if (failure) {
      const finding = this.#confirmations.report(scenario, { run, failure });
      this.#book.add(finding);
      await this.#confirmations.trace(finding);
    }
    this.#queue.taken += 1;
    this.#count(scenario, failure !== undefined);
  }

  get progress(): SearchProgress {
    return { done: this.#queue.taken, planned: this.#queue.total, runs: this.#queue.taken };
  }

  get results(): FaultResults {
    const { findings, unstable, unconfirmed } = this.#book;
    const { replay } = this.#options;
    const tried = replay ? [] : this.#tried();
    return {
      steps: this.#plain.registry.plain.length,
      planned: replay ? 1 : tried.length,
      judged: replay ? Math.min(1, this.#judged.size) : tried.filter(({ isTried }) => isTried).length,
      runs: this.progress.runs,
      tried,
      findings,
      unstable,
      unconfirmed,
      expectsSuccess: this.#expecting.all,
      deadTests: this.#dead,
    };
  }

  #tried(): TriedCount[] {
    const kinds = new Map(singlesOf(this.#queue.mine).map((entry) => [siteKindOf(entry), entry.fault]));
    return [...kinds].map(([kind, name]) => {
      return { name, isTried: this.#judged.has(kind), isGood: this.#judged.get(kind) === true };
    });
  }

  get #confirmations(): Confirmations {
    this.#confirming ??= new Confirmations({
      options: this.#options,
      plain: this.#plain,
      trials: this.#trials,
      packed: this.#packed?.runs,
      book: this.#book,
      budget: this.#budget,
    });
    return this.#confirming;
  }

  async #prepared(preparing: Promise<StepRegistry>): Promise<StepRegistry> {
    const registry = await preparing;
    this.#budget.lengthMs = this.#plain.ms;
    return registry;
  }

  /** Steps that a fault causes appear only in the run of the remaining scenario. */
  async #lead(scenario: Scenario): Promise<void> {
    const { registry, limitMs } = this.#plain;
    for (let known = 0; known < scenario.length; known += 1) {
      if (registry.unknown(scenario) === undefined) return;
      const { record } = await this.#runner.run({ ...registry.order(scenario), limitMs });
      registry.learn(scenario, this.#stepsOf({ record }));
    }
  }

  #stepsOf({ record }: Pick<Run, 'record'>): readonly Step[] {
    return readSteps(record, this.#plain.numbering).steps;
  }

  #next(): Promise<unknown> | undefined {
    const batch = this.#packed?.isDue ? [] : this.#take();
    const [first, ...others] = batch;
    if (!first) return this.#packed?.exploreSuspect();
    return this.#packed && others.length > 0 ? this.#packed.exploreBatch(batch) : this.#explore(first);
  }

  #excuse(error: unknown): void {
    if (this.#options.signal.aborted) return;
    this.#budget.isBroken = true;
    throw error;
  }

  #openPacked(): PackedSearch {
    return new PackedSearch(this.#runner, this.#plain, {
      ...{ clock: this.#clock, jobs: this.#options.jobs, planned: this.#queue.mine },
      ...{ book: this.#book, budget: this.#budget },
      explore: (scenario, packed) => this.#explore(scenario, { packed }),
      again: (scenario, failed) => this.#exploreAlone(scenario, failed),
      giveBack: (scenario) => this.#queue.giveBack(scenario),
    });
  }

  #take(): readonly Scenario[] {
    if (this.#budget.isOver) return [];
    // Nothing runs next to other scenarios under an outcome whose undisturbed run is unknown.
    const isReady = (each: Scenario) => each.every(isOutcome) || this.#trials.knows(each.filter(isOutcome));
    const first = this.#packed?.runs.quickOf(this.#queue.ahead(isReady)) ?? this.#queue.next();
    if (!first) return [];
    this.#queue.take([first]);
    const batch = this.#packed?.runs.fill(first, this.#queue.ahead(isReady), this.#budget.leftMs) ?? [first];
    this.#queue.take(batch.slice(1));
    this.#packed?.noteTried(batch);
    return batch;
  }

  async #explore(scenario: Scenario, { packed, ahead }: HowExplored = {}): Promise<boolean> {
    const { signal, search } = this.#options;
    const isIdle = (failures: readonly Failure[]) => this.#book.has(scenario, failures);
    const known = await this.#knownOf(scenario, packed);
    const isUrgent = ahead !== undefined;
    const runner = isUrgent ? this.#packed?.runs.endingEarly(scenario) : undefined;
    const { run, failures } = await this.#trials.of(scenario, { known, rank: 'new', isIdle, isUrgent, runner });
    const [failure] = failures;
    if (signal.aborted && !packed) return false;
    const isNew = failure !== undefined && !isIdle(failures);
    if (packed && isNew) return this.#exploreAlone(scenario, { run, failure });
    if (isNew && !ahead) this.#suspect(scenario, { run, failure });
    this.#count(scenario, failure !== undefined);
    const steps = this.#stepsOf(run);
    const before = this.#plain.registry.learn(scenario, steps);
    this.#queue.follow(followingScenarios(scenario, { steps, known: before, search }));
    if (failure && !this.#book.repeats(scenario, failures)) {
      await this.#confirmations.confirm(scenario, { run, failure }, ahead);
    } else if (!failure) {
      this.#book.notePassed(scenario);
      this.#expecting.see(run, scenario, {
        sites: this.#plain.registry.testsOf(scenario),
        isLost: isUnsavable(scenario, run.record),
      });
    }
    return failure !== undefined;
  }

  /** An undisturbed run of an outcome becomes the reference for other scenarios of that outcome. */
  async #knownOf(scenario: Scenario, packed: Run | undefined): Promise<Run | undefined> {
    const isUndisturbed = scenario.length > 0 && scenario.every(isOutcome);
    if (packed && isUndisturbed) this.#trials.keep(scenario, packed);
    return packed ?? (isUndisturbed ? this.#trials.undisturbed(scenario) : undefined);
  }

  /** A failure in a packed run that passes alone was caused by the others. */
  async #exploreAlone(scenario: Scenario, failed: FailedRun): Promise<boolean> {
    const { signal } = this.#options;
    this.#suspect(scenario, failed);
    if (scenario.every(isOutcome)) this.#trials.drop(scenario);
    if (!this.#budget.hasTime(1)) return this.#leave(scenario, failed);
    const ahead = this.#confirmations.ahead(scenario);
    const hasFailed = await this.#explore(scenario, { ahead }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return false;
    });
    await Promise.allSettled(ahead);
    if (!hasFailed && signal.aborted) return this.#leave(scenario, failed);
    if (!hasFailed) this.#packed?.runs.disturbed(scenario);
    return hasFailed;
  }

  #suspect(scenario: Scenario, failed: FailedRun): void {
    if (this.#budget.hasTime(1)) this.#options.onSuspect?.(scenario, this.#plain.checkOf(scenario, failed));
  }

  #leave(scenario: Scenario, failed: FailedRun): true {
    this.#count(scenario, true);
    this.#confirmations.leave(scenario, failed);
    return true;
  }

  #count(scenario: Scenario, hasFailed: boolean): void {
    const [entry] = scenario;
    if (!entry || (scenario.length > 1 && !this.#options.replay)) return;
    const kind = siteKindOf(entry);
    this.#judged.set(kind, this.#judged.get(kind) === true || !hasFailed);
  }
}
