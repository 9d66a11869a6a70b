import { qualifiedTestName } from '../engine/accounts/tests.ts';
import { hasUncaughtError } from './faults/expected-success.ts';
import { ID_PATTERN } from './faults/site.ts';
import type { Scenario } from './plan.ts';
import { combineRunRecords, filterRecordByTests } from './runner/combine-records.ts';
import { type RunRecord, selectFailedTests, type TestRow } from './runner/run-record.ts';
import type { Run } from './runner/runner.ts';

/**
 * Tests that can run together, each under a scenario of its own. None of them moves the clock, resets the emulator or
 * restores a snapshot.
 */
export interface BatchableTests {
  tests: ReadonlyMap<string, TestRow>;
  /** For each test file, the number of failures in shared runs that did not occur again when the scenario ran alone. */
  disturbed: Map<string, number>;
  /**
   * Whether runs may select tests. False after a run of selected tests lacked one of them, or failed although the
   * scenario passes alone.
   */
  isSelectable: boolean;
}

const MAX_DISTURBED = 2;

export function findBatchableTests(runs: readonly Run[], hasApp: boolean): BatchableTests {
  const isSteady = ({ outcome, exclusive }: TestRow) => outcome === 'passed' && !exclusive;
  const found = runs.map(
    ({ record }) => new Map(record.tests?.filter(isSteady).map((row) => [qualifiedTestName(row), row])),
  );
  const [first = new Map<string, TestRow>(), ...others] = found;
  const tests = [...first].filter(([test]) => others.every((each) => each.has(test)));
  return { tests: new Map(hasApp || tests.length < 2 ? [] : tests), disturbed: new Map(), isSelectable: true };
}

/** Empty for a scenario that needs a run of its own. */
export function testKeysOfBatchableScenario(
  { faults }: Scenario,
  { tests, disturbed }: BatchableTests,
): ReadonlySet<string> {
  const own = new Set(faults.map(({ at }) => at.test ?? ''));
  const fileOf = (test: string) => tests.get(test)?.file ?? '';
  const isShared = [...own].every((test) => tests.has(test) && (disturbed.get(fileOf(test)) ?? 0) < MAX_DISTURBED);
  const kills = faults.some(({ fault }) => fault.startsWith('kill:'));
  return isShared && !kills ? own : new Set();
}

/** Undefined, which means all tests, if `isSelectable` is false or if `tests` are over half of the suite. */
export function selectTestsForRun(tests: Iterable<string>, suite: BatchableTests): TestRow[] | undefined {
  const rows = [...tests].flatMap((test) => suite.tests.get(test) ?? []);
  return suite.isSelectable && rows.length * 2 <= suite.tests.size ? rows : undefined;
}

export function recordInterferenceByFile(scenario: Scenario, suite: BatchableTests): void {
  for (const test of testKeysOfBatchableScenario(scenario, suite)) {
    const file = suite.tests.get(test)?.file ?? '';
    suite.disturbed.set(file, (suite.disturbed.get(file) ?? 0) + 1);
  }
}

/**
 * How long a client waits under a fault, in milliseconds. Tests of one file usually run in sequence, so the waits of a
 * batch add up.
 */
const WAITS: Readonly<Record<string, number>> = {
  slow: 4000,
  late: 3000,
  late_end: 8000,
  unpolled: 1000,
  swapped: 500,
  'status:429': 1000,
  'status:503': 1000,
};
export const MAX_CLIENT_WAIT_MS = 12_000;
const LOOK_AHEAD = 1500;

export function clientWaitMs({ faults }: Scenario): number {
  return faults.reduce((sum, { fault }) => sum + (WAITS[fault] ?? 0), 0);
}

/**
 * Takes at most one scenario per test. A scenario whose clients wait joins only if the clients of the first scenario
 * wait too.
 */
export function nextBatch(
  upcoming: Iterable<Scenario>,
  suite: BatchableTests,
  leftMs = Number.POSITIVE_INFINITY,
): Scenario[] {
  const [first, ...others] = firstOf(upcoming);
  if (!first) return [];
  const taken = new Set(testKeysOfBatchableScenario(first, suite));
  if (taken.size === 0) return [first];
  const batch = [first];
  let waitMs = clientWaitMs(first) > 0 ? Math.min(MAX_CLIENT_WAIT_MS, leftMs) - clientWaitMs(first) : 0;
  const fits = (each: Scenario) => {
    const tests = testKeysOfBatchableScenario(each, suite);
    return (
      tests.size > 0 &&
      (clientWaitMs(each) === 0 || clientWaitMs(each) <= waitMs) &&
      ![...tests].some((test) => taken.has(test))
    );
  };
  const add = (each: Scenario) => {
    batch.push(each);
    for (const test of testKeysOfBatchableScenario(each, suite)) taken.add(test);
    waitMs -= clientWaitMs(each);
  };
  // Adds one scenario of each check first, so that all checks are tried early, and then one of each kind.
  for (const by of ['check', 'kind'] as const) {
    const known = new Set<string>(batch.map((each) => each[by]));
    for (const each of others) {
      if (known.has(each[by]) || !fits(each)) continue;
      add(each);
      known.add(each[by]);
    }
  }
  for (const each of others) if (fits(each)) add(each);
  return batch;
}

function firstOf(scenarios: Iterable<Scenario>): Scenario[] {
  const found: Scenario[] = [];
  for (const each of scenarios) {
    if (found.push(each) === LOOK_AHEAD) break;
  }
  return found;
}

export function testDurationMs({ started, ended }: TestRow): number {
  return ended === null ? 0 : Date.parse(ended) - Date.parse(started);
}

export function isExitExplainedByTests({ failure, record, rested, check, output }: Run): boolean {
  const hasFailed = record.tests?.some(({ outcome }) => outcome === 'failed') ?? false;
  if (failure?.kind === 'hang' || !rested || check !== undefined || hasUncaughtError(output)) return false;
  return (failure !== undefined) === hasFailed;
}

export function haveTestsEnded({ tests: rows = [] }: RunRecord, tests: ReadonlySet<string>): boolean {
  const own = rows.filter((row) => tests.has(qualifiedTestName(row)));
  return own.length === tests.size && own.every(({ outcome }) => outcome === 'passed' || outcome === 'failed');
}

export const COMMAND_EXIT_FAILURE = {
  kind: 'exit',
  exitCode: 1,
  message: 'The command ended with exit code 1.',
} as const;

/** Takes the tests that are not in `tests` from the baseline run (`plain`). */
export function replaceOtherTestsWithBaseline(tests: ReadonlySet<string>, run: Run, plain: Run): Run {
  const rows = (run.record.tests ?? []).filter((row) => tests.has(qualifiedTestName(row)));
  const failed = selectFailedTests(rows);
  const replaced = (plain.record.tests ?? []).filter((row) => tests.has(qualifiedTestName(row)));
  const [rest, own] = [
    filterRecordByTests(plain.record, replaced, false),
    renamed(filterRecordByTests(run.record, rows, true)),
  ];
  const record: RunRecord = { ...combineRunRecords([rest, own]), failedTests: failed };
  if (!isExitExplainedByTests(run)) return { ...run, record };
  const failure = failed.length === 0 ? undefined : (run.failure ?? COMMAND_EXIT_FAILURE);
  return { ...run, record, failure, output: failed.map(({ error }) => error ?? '').join('\n') };
}

function renamed(record: RunRecord): RunRecord {
  return JSON.parse(JSON.stringify(record).replace(ID_PATTERN, '$&f')) as RunRecord;
}
