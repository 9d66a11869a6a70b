import type { Budget } from '../runner/budget.ts';
import { Controls } from '../runner/controls.ts';
import type { Rank } from '../runner/runner.ts';
import { workAtOnce } from '../runner/search.ts';
import {
  type Attempt,
  type AttemptResult,
  type AttemptRetry,
  type JudgedAttempt,
  judgeAttempt,
  orderOf,
  SecondRuns,
  toIsolate,
} from './judge-attempt.ts';
import type { MeasuredRun, RunSuite } from './measured-run.ts';
import { HELD_BACK_SHARE, isRequired, type MeasureSettings, MOST_TESTS, type Pair, type PlannedTest } from './plan.ts';
import { limitsOf, type SuiteBaseline } from './suite-baseline.ts';

/** Violations come first. Compatible changes fill the room that is left, or come last. */
export interface PlannedPairs {
  violations: readonly Pair[];
  changes: readonly Pair[];
}

export interface ViolationTrial {
  pair: Pair;
  rows: JudgedAttempt[];
  busy: Set<PlannedTest>;
}

export interface ViolationParts {
  run: RunSuite;
  settings: MeasureSettings;
  baseline: SuiteBaseline;
  jobs: number;
  /** When it is used up, only the necessary pairs still run. */
  budget: Budget;
  onChange(): void;
}

/** The attempts that are left. Each run takes as many violations and compatible changes as fit. */
export class AttemptQueue {
  readonly violations: readonly ViolationTrial[];
  readonly changes: readonly ViolationTrial[];
  isChangesTurn = false;
  readonly #parts: ViolationParts;
  readonly #runsAlone: (test: PlannedTest) => boolean;
  /** The time left at the first attempt, in milliseconds. */
  readonly #roomMs: number;
  #made = 0;
  #again: Attempt[] = [];
  /** Hung attempts run again when nothing else runs. */
  #hung: Attempt[] = [];

  /** `runsAlone`: whether the violations of a test have runs of their own. */
  constructor(parts: ViolationParts, { violations, changes }: PlannedPairs, runsAlone: (test: PlannedTest) => boolean) {
    this.#parts = parts;
    this.#runsAlone = runsAlone;
    this.#roomMs = parts.budget.leftMs;
    const trialOf = (pair: Pair): ViolationTrial => ({ pair, rows: [], busy: new Set() });
    this.violations = violations.map(trialOf);
    this.changes = changes.map(trialOf);
  }

  /** In the order of the plan. After a catch, later attempts of the same violation do not count. */
  rowsOf(trials: readonly ViolationTrial[]): JudgedAttempt[] {
    return trials.flatMap(({ pair, rows }) => {
      const inOrder = rows.toSorted((a, b) => pair.tests.indexOf(a.test) - pair.tests.indexOf(b.test));
      const first = inOrder.findIndex(({ verdict }) => verdict === 'caught');
      return first === -1 ? inOrder : inOrder.slice(0, first + 1);
    });
  }

  attempt(pair: Pair, test: PlannedTest, how: Pick<Attempt, 'isAlone' | 'turn'>): Attempt {
    this.#made += 1;
    return { id: `violation-${this.#made}`, pair, test, ...how };
  }

  next(controls: Set<string>): Attempt[] {
    const again = this.#again.shift();
    if (again) return [again];
    const batch = this.#batch(controls);
    return batch.length > 0 ? batch : this.#batch(new Set());
  }

  nextHung(): Attempt | undefined {
    return this.#hung.shift();
  }

  makeAgain(attempt: Attempt, hasHung: boolean): void {
    const again = { ...attempt, isAlone: true, turn: attempt.turn + 1, hasHung };
    (hasHung ? this.#hung : this.#again).push(again);
  }

  settle(row: JudgedAttempt): void {
    const trial = [...this.violations, ...this.changes].find(({ pair }) => pair === row.pair);
    trial?.rows.push(row);
    trial?.busy.delete(row.test);
  }

  get isOver(): boolean {
    const { signal, leftMs } = this.#parts.budget;
    return signal.aborted || leftMs <= 0;
  }

  #batch(used: Set<string>): Attempt[] {
    const batch: Attempt[] = [];
    this.#fill(batch, this.violations, used);
    const isForChanges = this.isChangesTurn || (batch.length > 0 && !batch[0]?.isAlone);
    if (isForChanges) this.#fill(batch, this.changes, used);
    return batch;
  }

  #fill(batch: Attempt[], all: readonly ViolationTrial[], used: Set<string>): void {
    const isClosed = this.#isTimeForMissed;
    const free = all.filter(({ pair, busy }) => busy.size === 0 && (!isClosed || isRequired(pair)));
    // If there is room, each violation is tried at several tests at once.
    for (let round = 0; round < MOST_TESTS; round += 1) {
      for (const trial of free) {
        const attempt = this.#attemptOf(trial, used, batch);
        if (!attempt) continue;
        trial.busy.add(attempt.test);
        batch.push(attempt);
        if (attempt.isAlone) return;
        used.add(attempt.test.key);
      }
    }
  }

  #attemptOf(trial: ViolationTrial, used: ReadonlySet<string>, batch: readonly Attempt[]): Attempt | undefined {
    const { pair } = trial;
    // An unknown key has no account and would match two rules.
    if (pair.violation === 'key.any' && batch.some((each) => each.pair.violation === 'key.any')) return undefined;
    const test = this.#testFor(trial, used);
    if (!test) return undefined;
    const isAlone = this.#runsAlone(test);
    return isAlone && batch.length > 0 ? undefined : this.attempt(pair, test, { isAlone, turn: 0 });
  }

  #testFor({ pair, rows, busy }: ViolationTrial, used: ReadonlySet<string>): PlannedTest | undefined {
    if (rows.some(({ verdict }) => verdict === 'caught')) return undefined;
    const tried = new Set([...rows.map(({ test }) => test), ...busy]);
    return pair.tests.slice(0, MOST_TESTS).find((test) => !tried.has(test) && !used.has(test.key));
  }

  /** The budget held back must suffice to run each missed violation again, alone. */
  get #isTimeForMissed(): boolean {
    const { budget, jobs, baseline } = this.#parts;
    const missed = this.violations.filter(({ rows }) => toIsolate(rows).length > 0).length;
    const needed = Math.ceil(missed / jobs) * baseline.ms;
    return this.isOver || budget.leftMs <= Math.min(needed, this.#roomMs * HELD_BACK_SHARE);
  }
}

export class ViolationRuns {
  readonly #parts: ViolationParts;
  readonly #queue: AttemptQueue;
  readonly #controls = new Controls();
  readonly #second: SecondRuns;
  trace: MeasuredRun['trace'];
  runs = 0;

  constructor(parts: ViolationParts, tried: PlannedPairs) {
    this.#parts = parts;
    const isReplay = parts.settings.alone !== undefined;
    const runsAlone = ({ exclusive, file }: PlannedTest) =>
      exclusive || isReplay || this.#controls.unpacked.includes(file ?? '');
    this.#queue = new AttemptQueue(parts, tried, runsAlone);
    this.#second = new SecondRuns({
      controls: this.#controls,
      attempt: (pair, test, how) => this.#queue.attempt(pair, test, how),
      run: (attempts) => this.#run(attempts),
      isOver: () => this.#queue.isOver,
      isAborted: () => parts.budget.signal.aborted,
    });
  }

  get rows(): JudgedAttempt[] {
    return this.#queue.rowsOf(this.#queue.violations);
  }

  get changes(): JudgedAttempt[] {
    return this.#queue.rowsOf(this.#queue.changes);
  }

  get untried(): Pick<PlannedPairs, 'violations' | 'changes'> {
    const { violations, changes } = this.#queue;
    const pairsOf = (all: typeof violations) => all.filter(({ rows }) => rows.length === 0).map(({ pair }) => pair);
    return { violations: pairsOf(violations), changes: pairsOf(changes) };
  }

  /**
   * Tries all violations, confirms doubtful results, and runs missed violations again, alone. Then tries the compatible
   * changes that are left. The first and last run of a command are controls.
   */
  async measure(): Promise<void> {
    this.#controls.request();
    await this.#workAndConfirm();
    await eachAtOnce(this.#queue.violations, this.#parts.jobs, (trial) => this.#second.isolate(trial));
    await this.#workAndConfirm();
    this.#queue.isChangesTurn = true;
    await this.#workAndConfirm();
    if (this.#isOfCommand) await this.#runControl();
  }

  /** An unconfirmed violation is tried at its other tests. */
  async #workAndConfirm(): Promise<void> {
    const { jobs, budget } = this.#parts;
    for (let isOpen = true; isOpen && !budget.signal.aborted; ) {
      await this.#work();
      const batches = this.#second.batches([...this.rows, ...this.changes]);
      await eachAtOnce(batches, jobs, (batch) => this.#second.confirmBatch(batch));
      const doubtful = [...this.rows, ...this.changes].filter((row) => this.#second.isDoubtful(row));
      await eachAtOnce(doubtful, jobs, (row) => this.#second.confirm(row));
      isOpen = batches.length + doubtful.length > 0;
    }
  }

  async #work(): Promise<void> {
    await workAtOnce(this.#parts.jobs, (underWay) => {
      const batch = this.#next();
      const hung = batch.length === 0 && underWay === 0 && !this.#isAborted ? this.#queue.nextHung() : undefined;
      if (hung) return this.#try([hung]);
      return batch.length > 0 ? this.#try(batch) : undefined;
    });
  }

  #next(): Attempt[] {
    const { baseline, settings } = this.#parts;
    return this.#isAborted
      ? []
      : this.#queue.next(this.#controls.chooseFrom(baseline.tests, this.runs + settings.seed));
  }

  async #try(batch: readonly Attempt[]): Promise<void> {
    if (this.#isOfCommand && this.#controls.isDue()) await this.#runControl();
    const run = await this.#run(batch, 'new');
    const calm = this.#controls.noteControls(batch, run);
    for (const attempt of batch) {
      if (this.#isAborted) continue;
      const judged = judgeAttempt(attempt, run);
      // If a test without a violation failed, the catches of that run are confirmed one by one.
      const isDoubted = !calm && !attempt.isAlone && 'verdict' in judged && judged.verdict === 'caught';
      const isOnly = batch.length === 1;
      this.#settle({ attempt, isOnly }, isDoubted ? { again: true } : judged, run);
    }
    this.#parts.onChange();
  }

  /** `isOnly`: the run had no other violation, so a miss needs no confirmation. A catch still does. */
  #settle(
    { attempt, isOnly }: { attempt: Attempt; isOnly: boolean },
    judged: AttemptResult | AttemptRetry,
    run: MeasuredRun,
  ): void {
    const { pair, test } = attempt;
    if ('again' in judged) {
      if (judged.isUnsteady) this.#controls.disturb(test);
      this.#queue.makeAgain(attempt, judged.hasHung === true);
      return;
    }
    const isAlone = attempt.isAlone || (isOnly && judged.verdict === 'missed');
    this.#queue.settle({ ...judged, pair, test, isAlone, began: run.began });
  }

  get #isAborted(): boolean {
    return this.#parts.budget.signal.aborted;
  }

  get #isOfCommand(): boolean {
    return this.#parts.baseline.tests.every(({ isWhole }) => isWhole);
  }

  async #run(attempts: readonly Attempt[], rank: Rank = 'next'): Promise<MeasuredRun> {
    this.runs += 1;
    const [only] = attempts;
    const { settings, baseline } = this.#parts;
    const trace = settings.alone && only ? only.pair.key : undefined;
    const run = await this.#parts.run({ armed: attempts.map(orderOf), ...limitsOf(baseline), trace, rank });
    this.trace ??= run.trace;
    return run;
  }

  async #runControl(): Promise<void> {
    if (this.#isAborted) return;
    const run = await this.#run([]);
    if (!this.#isAborted) this.#controls.noteControlRun(run, this.#parts.baseline.tests);
  }
}

function eachAtOnce<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  return workAtOnce(atOnce, () => {
    const { value, done } = left.next();
    return done ? undefined : work(value);
  });
}
