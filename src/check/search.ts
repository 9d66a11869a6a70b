import { qualifiedTestName } from '../engine/accounts/tests.ts';
import { runLimitMs } from './baseline-runs.ts';
import {
  clientWaitMs,
  haveTestsEnded,
  isExitExplainedByTests,
  MAX_CLIENT_WAIT_MS,
  nextBatch,
  replaceOtherTestsWithBaseline,
  selectTestsForRun,
  testDurationMs,
  testKeysOfBatchableScenario,
} from './batch.ts';
import type { CheckId } from './checks.ts';
import {
  type ConfirmationContext,
  confirmFailure,
  type RunIsolation,
  recordPassedScenario,
  recordTriedScenario,
  recordUnconfirmedFailure,
  type SuspectedFailure,
} from './confirm.ts';
import { findCheckIdOfFailure, makeFailureFinding } from './failure-finding.ts';
import { findSites } from './faults/find-sites.ts';
import { findSameCauseFinding } from './findings.ts';
import {
  adjustSitesForFailedJobs,
  type FaultSearchOptions,
  makeFollowUpScenarios,
  type Scenario,
  type ScenarioQueue,
} from './plan.ts';
import type { RunContext, RunRecord } from './runner/run-record.ts';
import type { Run } from './runner/runner.ts';
import { watchTests } from './runner/watch-tests.ts';
import {
  findEarlyFailure,
  hasLongBaselineRuns,
  judgeTrial,
  makeRunIfTestsEnded,
  type TrialResult,
  tryScenarioAlone,
} from './trial.ts';

export interface ScenarioSearch extends ConfirmationContext {
  search: FaultSearchOptions;
  queue: ScenarioQueue;
  untried: Set<string>;
  sites: Set<string>;
  suspects: SuspectedFailure[];
  confirming: Set<CheckId>;
  onChange?: (() => void) | undefined;
}

export async function runScenarioSearch(s: ScenarioSearch): Promise<void> {
  await workAtOnce(s.atOnce, () => nextWork(s)?.finally(s.onChange));
  for (const suspect of s.suspects) recordUnconfirmedFailure(s, suspect);
}

function nextWork(s: ScenarioSearch): Promise<unknown> | undefined {
  const work = confirmNext(s, s.untried.size === 0) ?? tryNext(s) ?? confirmNext(s, true);
  return work?.catch((error: unknown) => {
    if (!s.signal.aborted) throw error;
  });
}

function confirmNext(s: ScenarioSearch, isAny: boolean): Promise<void> | undefined {
  const open = s.suspects.find(({ check }) => isOpen(s, check));
  const next = open ?? (isAny ? s.suspects[0] : undefined);
  if (!next) return undefined;
  s.suspects = s.suspects.filter((each) => each !== next);
  return confirmNow(s, next);
}

function isOpen({ results, confirming }: ScenarioSearch, check: CheckId): boolean {
  return !confirming.has(check) && !results.findings.some(({ finding }) => finding.check === check);
}

async function confirmNow(s: ScenarioSearch, suspect: SuspectedFailure): Promise<void> {
  s.confirming.add(suspect.check);
  await confirmFailure(s, suspect).finally(() => s.confirming.delete(suspect.check));
}

function tryNext(s: ScenarioSearch): Promise<void> | undefined {
  if (s.budget.isOver) return undefined;
  const batch = nextBatch(s.queue.upcoming(), s.suite, s.budget.leftMs);
  if (batch.length === 0) return undefined;
  s.queue.take(batch);
  for (const { kind } of batch) s.untried.delete(kind);
  return tryBatch(s, batch);
}

/** Tries all scenarios in one run. If the run ends without a clear result, tries each half of the scenarios. */
async function tryBatch(s: ScenarioSearch, batch: readonly Scenario[]): Promise<void> {
  const [first] = batch;
  if (!first || (batch.length === 1 && testKeysOfBatchableScenario(first, s.suite).size === 0))
    return first && tryOne(s, first);
  const tests = new Map(batch.map((scenario) => [scenario, testKeysOfBatchableScenario(scenario, s.suite)]));
  const selection = selectTestsForRun(
    [...tests.values()].flatMap((each) => [...each]),
    s.suite,
  );
  const near: RunIsolation = selection ? 'selected' : batch.length === 1 ? 'alone' : 'others';
  const early = new Map<Scenario, Promise<void>>();
  const run = await s.run({
    faults: batch.flatMap(({ faults }) => faults),
    tests: selection,
    turn: batch.some((scenario) => clientWaitMs(scenario) > 0) ? 'waiting' : 'ordinary',
    limitMs: runLimitMs(s.baseline) + MAX_CLIENT_WAIT_MS,
    isFirst: true,
    watch: (context) => watchBatch(s, batch, { context, early, near }),
  });
  if (s.signal.aborted) return;
  const ran = new Set(run.record.tests?.map(qualifiedTestName));
  if (selection?.some((row) => !ran.has(qualifiedTestName(row)))) {
    s.suite.isSelectable = false;
    await tryBatch(s, batch);
    return;
  }
  // Updates the length of a run, because later runs need not render what the first one rendered.
  s.budget.lengthMs = Math.min(s.baseline.ms, run.ms);
  const left = batch.filter((scenario) => !early.has(scenario));
  if (isExitExplainedByTests(run) || left.length < 2) {
    for (const scenario of left) await settleIn(s, scenario, { run, tests: tests.get(scenario), near });
  } else if (!s.budget.isOver) {
    const half = Math.ceil(left.length / 2);
    await tryBatch(s, left.slice(0, half));
    await tryBatch(s, left.slice(half));
  }
  await Promise.all(early.values());
}

function watchBatch(
  s: ScenarioSearch,
  batch: readonly Scenario[],
  { context, early, near }: { context: RunContext; early: Map<Scenario, Promise<void>>; near: RunIsolation },
) {
  const open = new Set(batch);
  const see = (record: RunRecord) => {
    for (const scenario of open) {
      const run = makeRunIfTestsEnded(s, scenario, record);
      if (!run) continue;
      open.delete(scenario);
      const failure = findEarlyFailure(s, scenario, run);
      const check = failure && findCheckIdOfFailure(scenario, { run, failure }, s.parts.verdicts);
      if (!check || !isOpen(s, check) || !s.budget.hasTime(1)) continue;
      const confirmed = confirmNow(s, { scenario, failed: { run, failure }, check, near });
      early.set(scenario, confirmed);
      confirmed.catch(() => undefined);
    }
    return false;
  };
  const limitOf = (test: string) => {
    const row = s.suite.tests.get(test);
    return runLimitMs({ ms: row ? testDurationMs(row) : 0 });
  };
  const all = new Set(batch.flatMap((scenario) => [...testKeysOfBatchableScenario(scenario, s.suite)]));
  return watchTests(context, {
    clock: s.clock,
    limitOf,
    early: hasLongBaselineRuns(s) ? { tests: all, see } : undefined,
  });
}

interface Carried {
  run: Run;
  tests: ReadonlySet<string> | undefined;
  near: RunIsolation;
}

async function settleIn(
  s: ScenarioSearch,
  scenario: Scenario,
  { run, tests = new Set(), near }: Carried,
): Promise<void> {
  const [plain] = s.baseline.runs;
  if (!plain || (near !== 'alone' && !haveTestsEnded(run.record, tests))) return tryOne(s, scenario);
  settle(s, scenario, { trial: await judgeTrial(s, scenario, replaceOtherTestsWithBaseline(tests, run, plain)), near });
}

async function tryOne(s: ScenarioSearch, scenario: Scenario): Promise<void> {
  const turn = clientWaitMs(scenario) > 0 ? 'waiting' : 'ordinary';
  const trial = await tryScenarioAlone(s, scenario, { turn });
  if (!s.signal.aborted) settle(s, scenario, { trial, near: 'alone' });
}

function settle(
  s: ScenarioSearch,
  scenario: Scenario,
  { trial, near }: { trial: TrialResult; near: RunIsolation },
): void {
  const { run, failures } = trial;
  const [failure] = failures;
  if (scenario.faults.length === 1) follow(s, scenario, run);
  if (!failure) {
    recordPassedScenario(s, scenario, run);
    return;
  }
  const found = makeFailureFinding(scenario, { run, failure }, s.parts);
  if (findSameCauseFinding(s.results.findings, found)) recordTriedScenario(s, scenario, 'failed');
  else s.suspects.push({ scenario, failed: { run, failure }, check: found.finding.check, near });
}

function follow(s: ScenarioSearch, scenario: Scenario, run: Run): void {
  const { sites } = findSites(run.record, s.baseline.numbering);
  const usual = new Set(adjustSitesForFailedJobs(s.baseline.sites, scenario.faults).map(({ name }) => name));
  const fresh = sites.filter(({ name }) => !s.sites.has(name) && !usual.has(name));
  for (const { name } of fresh) s.sites.add(name);
  s.queue.follow(makeFollowUpScenarios(scenario, fresh, s.search));
}

/** If work fails, no new work begins, and the error is thrown once the other work has ended. */
async function workAtOnce(atOnce: number, next: () => Promise<unknown> | undefined): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  for (;;) {
    const work = failures.length === 0 && underWay.size < atOnce ? next() : undefined;
    if (work !== undefined) {
      const ending: Promise<unknown> = work
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(ending));
      underWay.add(ending);
    } else if (underWay.size > 0) await Promise.race(underWay);
    else break;
  }
  if (failures.length > 0) throw failures[0];
}
