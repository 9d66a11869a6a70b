import type { Clock } from '../../base/clock/clock.ts';
import { testKey } from '../../engine/accounts/tests.ts';
import { type BaselineRuns, limitAfter } from '../baseline-runs.ts';
import { Controls } from '../runner/controls.ts';
import { combinePreparations } from '../runner/preparation.ts';
import { failedTests, type RunContext, type RunRecord, readRecord, type TestRow } from '../runner/run-record.ts';
import type { Preparation, Run, Runner } from '../runner/runner.ts';
import { combineRecords, partOf, watchHangs, watchTests } from '../runner/test-watch.ts';
import type { FaultRunOrder } from './arm-faults.ts';
import { isUncaught } from './expected-success.ts';
import { type Failure, isPaidAgain } from './finding-book.ts';
import { isUnsavable, judge, referenceOf } from './judge.ts';
import { faultOf, keyOf, type Scenario } from './scenario.ts';
import { ID } from './step.ts';

/** The longest wait of a client under a fault, in milliseconds. Tests of one file wait one after the other. */
const WAITS: Readonly<Record<string, number>> = {
  slow: 4000,
  late: 3000,
  unpolled: 1000,
  swapped: 500,
  'status:429': 1000,
  'status:503': 1000,
};
/** The longest total wait in one run, in milliseconds. */
const MAX_WAIT_MS = 12_000;
/** The number of scenarios that are considered for one run. */
const LOOK_AHEAD = 1500;
/** A faster suite ends before its results can be read early. Milliseconds. */
const LONG_MS = 2000;
const LOOK_MS = 500;

interface PackedOptions {
  clock: Clock;
  /** The number of parallel runs in which clients wait. */
  mostWaiting: number;
}

/**
 * Runs one scenario for each test of a suite that reports its tests, in the account of that test. The results are the same
 * as if each scenario ran alone next to undisturbed tests.
 */
export class PackedRuns {
  readonly #runner: Runner<FaultRunOrder>;
  readonly #plain: BaselineRuns;
  readonly #options: PackedOptions;
  readonly #controls = new Controls();
  readonly #testsOfScenario = new Map<string, readonly string[]>();
  #steady: ReadonlyMap<string, TestRow> | undefined;
  #runs = 0;
  #waiting = 0;

  constructor(runner: Runner<FaultRunOrder>, plain: BaselineRuns, options: PackedOptions) {
    this.#runner = runner;
    this.#plain = plain;
    this.#options = options;
  }

  quickOf(scenarios: Iterable<Scenario>): Scenario | undefined {
    if (this.#waiting < this.#options.mostWaiting || this.#steadyTests().size < 2) return undefined;
    return firstOf(scenarios).find((each) => waitOf(each) === 0 && this.#testsOf(each).length > 0);
  }

  fill(first: Scenario, ahead: Iterable<Scenario>, leftMs: number): Scenario[] {
    const own = this.#testsOf(first);
    if (own.length === 0) return [first];
    this.#runs += 1;
    const rows = [...this.#steadyTests()].map(([key, { file }]) => ({ key, isWhole: false, file: file ?? undefined }));
    const batch = [first];
    const taken = new Set([...own, ...this.#controls.chooseFrom(rows, this.#runs)]);
    const kinds = new Set([namesOf(first)]);
    let waitMs = Math.min(MAX_WAIT_MS, leftMs) - waitOf(first);
    const others = firstOf(ahead);
    // Scenarios in which clients wait share one run, and other tests fill the rest.
    const mayWait = waitOf(first) > 0;
    const alike = others.filter((scenario) => waitOf(scenario) > 0 === mayWait);
    const add = (scenarios: readonly Scenario[], isNewKind: boolean) => {
      for (const each of scenarios) {
        const tests = this.#testsOf(each);
        const wait = waitOf(each);
        if (tests.length === 0 || tests.some((test) => taken.has(test)) || (wait > 0 && wait > waitMs)) continue;
        if (isNewKind && kinds.has(namesOf(each))) continue;
        batch.push(each);
        for (const test of tests) taken.add(test);
        kinds.add(namesOf(each));
        waitMs -= wait;
      }
    };
    // The first run tries the most productive fault at every test, so that a long suite has an early result.
    const sameKind = (each: Scenario) => namesOf(each) === namesOf(first);
    if (this.#runs === 1) add(alike.filter(sameKind), false);
    add(alike, true);
    add(alike, false);
    if (mayWait) add(others, false);
    return batch;
  }

  /**
   * Returns the result of each scenario that the run shows. If a run ends and does not show why, halves of it are run. In a
   * long suite, `onEnded` receives each result as soon as its tests have ended.
   */
  async run(batch: readonly Scenario[], how: HowPacked): Promise<Map<Scenario, Run>> {
    if (batch.length < 2 || how.budget.isOver) return new Map();
    const waiting = batch.some((scenario) => waitOf(scenario) > 0) ? 1 : 0;
    this.#waiting += waiting;
    const run = await this.#carry(batch, how, waiting > 0).finally(() => {
      this.#waiting -= waiting;
    });
    if (isConclusive(run)) return this.#resultsOf(batch, run);
    const half = Math.ceil(batch.length / 2);
    const one = await this.run(batch.slice(0, half), how);
    return new Map([...one, ...(await this.run(batch.slice(half), how))]);
  }

  #carry(batch: readonly Scenario[], { onEnded }: HowPacked, isWaiting: boolean): Promise<Run> {
    const { clock } = this.#options;
    const tests = this.#steadyTests();
    const limitOf = (test: string) => limitAfter({ ms: lengthOf(tests.get(test)) });
    const open = new Map(batch.map((scenario) => [scenario, new Set(this.#testsOf(scenario))]));
    const see = (record: RunRecord) => {
      for (const [scenario, tests] of open) {
        const own = this.#untilNow(record, tests);
        if (own && open.delete(scenario)) onEnded(scenario, own);
      }
      return false;
    };
    const carrying = new Set([...open.values()].flatMap((each) => [...each]));
    return this.#runner.run({
      bounds: batch.flatMap((scenario) => this.#plain.registry.bind(scenario)),
      isWaiting,
      limitMs: this.#plain.limitMs + MAX_WAIT_MS,
      rank: 'new',
      prepare: combinePreparations(
        async ({ context }) => watchHangs(context, { clock, limitOf }),
        this.#isLong ? async ({ context }) => this.#watch(context, carrying, see) : undefined,
      ),
    });
  }

  #watch(context: RunContext, tests: ReadonlySet<string>, see: (record: RunRecord) => boolean): Preparation {
    let seen = 0;
    const isOver = async (rows: readonly TestRow[]) => {
      const ended = rows.filter((row) => row.ended !== null && tests.has(testKey(row))).length;
      const isMore = ended > seen;
      seen = ended;
      return isMore && see(await readRecord(context));
    };
    const watch = watchTests({ context, clock: this.#options.clock, everyMs: LOOK_MS, isOver });
    return { ...watch, isKnown: () => watch.over.aborted };
  }

  /** A failure that does not depend on the books or the state at the end. Undefined if these may decide. */
  plainFailure(run: Run, scenario: Scenario): Failure | undefined {
    // Compared with itself, because spending is judged at the end of the run.
    const reference = referenceOf([run], this.#plain.runs);
    const [failure] = judge(run, scenario, { reference, hasApp: this.#runner.hasApp });
    return failure && isPaidAgain(failure) && !isUnsavable(scenario, run.record) ? undefined : failure;
  }

  /** Ends the run once the failure is certain. Undefined if the end of the run decides. */
  endingEarly(scenario: Scenario): Pick<Runner<FaultRunOrder>, 'run'> | undefined {
    const tests = new Set(this.#testsOf(scenario));
    if (tests.size === 0 || !this.#isLong) return undefined;
    return { run: (order) => this.#untilFailed(order, scenario, tests) };
  }

  async #untilFailed(order: FaultRunOrder, scenario: Scenario, tests: ReadonlySet<string>): Promise<Run> {
    let shown: Run | undefined;
    const see = (record: RunRecord) => {
      const now = this.#untilNow(record, tests);
      if (now && this.plainFailure(now, scenario)) shown = now;
      return shown !== undefined;
    };
    const run = await this.#runner.run({ ...order, prepare: async ({ context }) => this.#watch(context, tests, see) });
    if (!shown) return run;
    const { made, began, ended, ms, standstill } = run;
    const names = shown.record.failedTests?.map(({ name }) => name) ?? [];
    const output = [run.output, ...names, shown.output].join('\n');
    return { ...shown, output, made, began, ended, ms, ...(standstill && { standstill }) };
  }

  #untilNow(record: RunRecord, tests: ReadonlySet<string>): Run | undefined {
    const [plain] = this.#plain.runs;
    return plain && withBaseline(plain, { ...plain, record, failure: FAILED }, tests);
  }

  get #isLong(): boolean {
    return this.#plain.ms >= LONG_MS;
  }

  disturbed(scenario: Scenario): void {
    for (const test of this.#testsOf(scenario)) {
      const file = this.#steadyTests().get(test)?.file ?? undefined;
      this.#controls.disturb({ key: test, isWhole: false, file });
    }
    this.#testsOfScenario.clear();
  }

  #resultsOf(batch: readonly Scenario[], run: Run): Map<Scenario, Run> {
    const carried = batch.flatMap((scenario) => this.#testsOf(scenario));
    this.#controls.noteControls(
      carried.map((key) => ({ test: { key, isWhole: false } })),
      { tests: endsOf(run) },
    );
    const [plain] = this.#plain.runs;
    const results = new Map<Scenario, Run>();
    for (const scenario of batch) {
      const own = plain && withBaseline(plain, run, new Set(this.#testsOf(scenario)));
      if (own) results.set(scenario, own);
    }
    return results;
  }

  #testsOf(scenario: Scenario): readonly string[] {
    const key = keyOf(scenario);
    const tests = this.#testsOfScenario.get(key) ?? this.#sitesOf(scenario);
    this.#testsOfScenario.set(key, tests);
    return tests;
  }

  #sitesOf(scenario: Scenario): readonly string[] {
    const steady = this.#steadyTests();
    if (steady.size < 2 || scenario.length === 0) return [];
    const { registry } = this.#plain;
    const { bounds, fromStart } = registry.order(scenario);
    const book = registry.book(scenario);
    const kills = bounds.some(({ entry, step }) => 'kill' in (faultOf(entry, book)?.act(step) ?? {}));
    if (bounds.length < scenario.length || fromStart || kills) return [];
    const tests = bounds.map(({ step }) => step.test ?? '');
    const { unpacked } = this.#controls;
    const isPackable = (test: string) => steady.has(test) && !unpacked.includes(steady.get(test)?.file ?? '');
    return tests.every(isPackable) ? [...new Set(tests)] : [];
  }

  #steadyTests(): ReadonlyMap<string, TestRow> {
    if (this.#steady) return this.#steady;
    const { runs } = this.#plain;
    const isWhole = this.#runner.hasApp;
    const isSteady = ({ outcome, exclusive }: TestRow) => outcome === 'passed' && !exclusive;
    const found = runs.map(({ record }) => new Map(record.tests?.filter(isSteady).map((row) => [testKey(row), row])));
    const [first = new Map<string, TestRow>(), ...others] = isWhole ? [] : found;
    this.#steady = new Map([...first].filter(([test]) => others.every((each) => each.has(test))));
    return this.#steady;
  }
}

interface HowPacked {
  budget: { readonly isOver: boolean };
  onEnded(scenario: Scenario, run: Run): void;
}

function firstOf(scenarios: Iterable<Scenario>): Scenario[] {
  const found: Scenario[] = [];
  for (const each of scenarios) {
    if (found.push(each) === LOOK_AHEAD) break;
  }
  return found;
}

function namesOf(scenario: Scenario): string {
  return scenario.map(({ fault }) => fault).join(' ');
}

function waitOf(scenario: Scenario): number {
  return scenario.reduce((sum, { fault }) => sum + (WAITS[fault] ?? 0), 0);
}

function lengthOf(row: TestRow | undefined): number {
  return row?.ended ? Date.parse(row.ended) - Date.parse(row.started) : 0;
}

function endsOf({ record }: Run) {
  return (record.tests ?? []).map((row) => {
    const outcome = row.outcome === 'passed' || row.outcome === 'failed' ? row.outcome : ('open' as const);
    return { key: testKey(row), isWhole: false, file: row.file ?? undefined, outcome };
  });
}

/** True if every failed test reports its failure, and nothing else went wrong. */
function isConclusive({ failure, record, rested, check, output }: Run): boolean {
  const hasFailed = record.tests?.some(({ outcome }) => outcome === 'failed') ?? false;
  if (failure?.kind === 'hang' || !rested || check !== undefined || isUncaught(output)) return false;
  return (failure !== undefined) === hasFailed;
}

const FAILED = { kind: 'exit', exitCode: 1, message: 'The command ended with exit code 1.' } as const;

/**
 * Takes the records of some tests from a run, and those of all others from the baseline run. Undefined if one of the tests
 * did not end.
 */
function withBaseline(plain: Run, run: Run, tests: ReadonlySet<string>): Run | undefined {
  const rows = (run.record.tests ?? []).filter((row) => tests.has(testKey(row)));
  const isEnded =
    rows.length === tests.size && rows.every(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  if (!isEnded) return undefined;
  const failed = failedTests(rows);
  const replaced = (plain.record.tests ?? []).filter((row) => tests.has(testKey(row)));
  const [rest, own] = [partOf(plain.record, replaced, false), renamed(partOf(run.record, rows, true))];
  const record: RunRecord = { ...combineRecords([rest, own]), failedTests: failed };
  const failure = failed.length === 0 ? undefined : (run.failure ?? FAILED);
  return { ...run, record, failure, output: failed.map(({ error }) => error ?? '').join('\n'), trace: undefined };
}

function renamed(record: RunRecord): RunRecord {
  return JSON.parse(JSON.stringify(record).replace(ID, '$&f')) as RunRecord;
}
