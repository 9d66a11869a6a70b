import type { Clock } from '../base/clock/clock.ts';
import { affectsAppStartup, type BaselineRuns, runLimitMs } from './baseline-runs.ts';
import {
  type BatchableTests,
  COMMAND_EXIT_FAILURE,
  haveTestsEnded,
  replaceOtherTestsWithBaseline,
  testKeysOfBatchableScenario,
} from './batch.ts';
import type { FaultRunner } from './faults/arm-faults.ts';
import { type Failure, isPaidAgain } from './faults/failed-check.ts';
import { isJobOutcomeFault, makeScenarioId } from './faults/fault-at.ts';
import { collectReferenceResults, findFailures, hasUnavoidableLoss } from './faults/judge.ts';
import { makeScenario, type Scenario } from './plan.ts';
import type { RunRecord } from './runner/run-record.ts';
import { wasRunStalled } from './runner/run-scheduler.ts';
import type { Run, RunTask } from './runner/runner.ts';
import { watchTests } from './runner/watch-tests.ts';

export interface TrialContext {
  run: FaultRunner;
  clock: Clock;
  hasApp: boolean;
  baseline: BaselineRuns;
  suite: BatchableTests;
  /**
   * Runs in which only jobs fail, by the id of the scenario. Scenarios that add other faults are compared with them.
   */
  undisturbed: Map<string, Promise<Run>>;
}

export interface TrialResult {
  run: Run;
  /** The clearest first. Empty if the run passes. */
  failures: readonly Failure[];
}

/**
 * The results of tests are read before a run ends only if baseline runs last this long, in milliseconds. In a shorter
 * run, this saves little time.
 */
const LONG_MS = 2000;

/** If the scenario fails while the machine is stalled, runs it again with no other run next to it. */
export async function tryScenarioAlone(
  trials: TrialContext,
  scenario: Scenario,
  task: RunTask = {},
): Promise<TrialResult> {
  const trial = await judgeTrial(trials, scenario, await runAlone(trials, scenario, task));
  if (trial.failures.length === 0 || !wasRunStalled(trial.run, trials.baseline.runs)) return trial;
  return judgeTrial(trials, scenario, await runAlone(trials, scenario, { ...task, turn: 'calm' }));
}

async function runAlone(trials: TrialContext, scenario: Scenario, task: RunTask): Promise<Run> {
  const { baseline, suite, clock } = trials;
  const { faults } = scenario;
  const tests = testKeysOfBatchableScenario(scenario, suite);
  const [plain] = baseline.runs;
  let shown: Run | undefined;
  const see = (record: RunRecord) => {
    const now = makeRunIfTestsEnded(trials, scenario, record);
    if (now && findEarlyFailure(trials, scenario, now)) shown = now;
    return shown !== undefined;
  };
  const isWatched = tests.size > 0 && hasLongBaselineRuns(trials) && task.trace === undefined;
  const run = await trials.run({
    faults,
    limitMs: runLimitMs(baseline),
    fromStart: affectsAppStartup(faults, baseline),
    ...task,
    ...(isWatched && {
      watch: (context) =>
        watchTests(context, { clock, limitOf: () => Number.POSITIVE_INFINITY, early: { tests, see } }),
    }),
  });
  const { began, ended, ms, standstill } = run;
  if (shown) return { ...shown, began, ended, ms, ...(standstill && { standstill }) };
  return tests.size > 0 && plain ? replaceOtherTestsWithBaseline(tests, run, plain) : run;
}

export function hasLongBaselineRuns({ baseline }: TrialContext): boolean {
  return baseline.ms >= LONG_MS;
}

/** Undefined until the tests of the scenario have ended. */
export function makeRunIfTestsEnded(
  { baseline, suite }: TrialContext,
  scenario: Scenario,
  record: RunRecord,
): Run | undefined {
  const [plain] = baseline.runs;
  const tests = testKeysOfBatchableScenario(scenario, suite);
  if (!plain || !haveTestsEnded(record, tests)) return undefined;
  const failure = record.tests?.some(({ outcome }) => outcome === 'failed') ? COMMAND_EXIT_FAILURE : undefined;
  return replaceOtherTestsWithBaseline(tests, { ...plain, record, failure, output: '' }, plain);
}

export function findEarlyFailure(
  { baseline, hasApp }: TrialContext,
  { faults }: Scenario,
  run: Run,
): Failure | undefined {
  // The run is its own reference for spending, so no difference in spending is found here: spending is judged at the
  // end.
  const reference = collectReferenceResults([run], baseline);
  const [failure] = findFailures(run, faults, { reference, hasApp });
  return failure && isPaidAgain(failure) && !hasUnavoidableLoss(faults, run.record) ? undefined : failure;
}

/**
 * Compares a run with runs in which only the same jobs fail. If the scenario fails no job, these are the baseline runs.
 */
export async function judgeTrial(trials: TrialContext, scenario: Scenario, run: Run): Promise<TrialResult> {
  const { baseline, hasApp } = trials;
  const outcome = scenario.faults.filter(isJobOutcomeFault);
  const isUndisturbed = outcome.length === scenario.faults.length;
  const same = isUndisturbed ? [run] : outcome.length === 0 ? baseline.runs : [await undisturbedRun(trials, outcome)];
  const failures = findFailures(run, scenario.faults, {
    reference: collectReferenceResults(same, baseline),
    hasApp,
  });
  if (isUndisturbed && failures.length === 0) trials.undisturbed.set(scenario.id, Promise.resolve(run));
  return { run, failures };
}

function undisturbedRun(trials: TrialContext, outcome: Scenario['faults']): Promise<Run> {
  const id = makeScenarioId(outcome);
  const run = trials.undisturbed.get(id) ?? runAlone(trials, makeScenario(outcome), { turn: 'urgent' });
  trials.undisturbed.set(id, run);
  return run;
}
