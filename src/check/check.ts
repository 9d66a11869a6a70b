import type { Clock } from '../base/clock/clock.ts';
import {
  type BaselineInput,
  findTestKeysPassingWithoutService,
  runBaseline,
  runSingleBaseline,
  WHOLE_COMMAND_TEST_NAME,
} from './baseline-runs.ts';
import { findBatchableTests } from './batch.ts';
import { Budget } from './budget.ts';
import type { CheckId } from './checks.ts';
import type { ConfirmationContext, SuspectStatus } from './confirm.ts';
import type { FailureFinding } from './failure-finding.ts';
import { createFaultRunner } from './faults/arm-faults.ts';
import { siteNamesFingerprint } from './faults/site.ts';
import { forecastSearch, type SearchForecast } from './forecast.ts';
import { makeFindingsOfBaselineRun } from './make-findings.ts';
import {
  adjustSitesForFailedJobs,
  canPlanScenario,
  type FaultSearchOptions,
  makeFaultPairScenarios,
  makeScenario,
  makeSingleFaultScenarios,
  resolveFaultSites,
  type Scenario,
  ScenarioQueue,
  scenariosOfShard,
} from './plan.ts';
import { replayFaults } from './replay.ts';
import type { CheckResults } from './results.ts';
import { CannotRunError, type Runner, type RunTraceResult } from './runner/runner.ts';
import { runScenarioSearch } from './search.ts';
import type { CheckSettings } from './settings.ts';
import type { DecodedToken } from './token.ts';

export interface CheckInput {
  settings: CheckSettings;
  /** The findings of earlier runs, the newest first. They are tried before all other scenarios. */
  saved: readonly DecodedToken[];
  /** The limit of parallel runs with the turn `ordinary`; other turns have their own limits. 1 means one run at a time. */
  jobs: number;
  version: string;
  signal: AbortSignal;
  mask(text: string): string;
  warn(message: string): void;
  /**
   * Called again if some tests pass although every request fails, and scenarios of other tests remain. `deadTests` is
   * the number of tests that pass in this way, and 0 in the first call.
   */
  onPlan?(plan: SearchForecast, deadTests: number): void;
  /** Not called in a replay. */
  onBaselineFinding?(finding: FailureFinding['finding']): void;
  onSuspect?(news: SuspectStatus, scenario: Scenario, check: CheckId): void;
  onConfirmed?(found: FailureFinding): void;
  onTrace?: ((trace: RunTraceResult) => void) | undefined;
  onProgress?(): void;
}

const FIRST_RUN_SHARE = 0.9;

/**
 * Throws `CannotRunError` if the command allows no check, for example because it fails without faults or sends no
 * request.
 */
export async function check(options: CheckInput, runner: Runner, clock: Clock, results: CheckResults): Promise<void> {
  try {
    await tried(options, runner, clock, results);
  } catch (error) {
    if (options.signal.aborted) return;
    if (error instanceof CannotRunError) results.stopped = error.message;
    throw error;
  }
}

async function tried(options: CheckInput, runner: Runner, clock: Clock, results: CheckResults): Promise<void> {
  const { settings, signal, warn, version, mask } = options;
  let { jobs } = options;
  const { selection, seed, budgetMs } = settings;
  const scene = settings.replay?.scene;
  const budget = new Budget(clock, { budgetMs, signal });
  const [run, { hasApp, hasAssert }] = [createFaultRunner(runner, clock), runner];
  const runOneAtATime = () => {
    jobs = 1;
    runner.runOneAtATime();
  };
  const firstMs = budgetMs * FIRST_RUN_SHARE;
  const parts: BaselineInput = { run, clock, hasApp, hasAssert, firstMs, jobs, warn, runOneAtATime };
  const isWhole = scene === undefined && selection.wantsFaults;
  const command = scene?.kind === 'fault' ? scene.command : undefined;
  const baseline = await (isWhole ? runBaseline(parts) : runSingleBaseline(parts, command));
  results.baseline = baseline;
  budget.lengthMs = baseline.ms;
  const { sites, runs, verdicts } = baseline;
  const own = runs.slice(0, 1).flatMap(({ record }) => makeFindingsOfBaselineRun(record, { version, seed }));
  results.baselineFindings = scene ? own : own.filter(({ check: id }) => selection.wantsCheck(id));
  for (const each of scene ? [] : results.baselineFindings) options.onBaselineFinding?.(each);
  const confirming: ConfirmationContext = {
    run,
    clock,
    hasApp,
    baseline,
    suite: findBatchableTests(runs, hasApp),
    undisturbed: new Map(),
    atOnce: jobs === 1 ? 1 : jobs + 2,
    budget,
    signal,
    results,
    parts: { version, seed, command: siteNamesFingerprint(sites), verdicts, mask },
    reports: (id) => scene !== undefined || selection.reports(id),
    onSuspect: options.onSuspect,
    onConfirmed: options.onConfirmed,
  };
  if (scene?.kind === 'fault') await replayFaults(confirming, scene.faults, options.onTrace);
  if (isWhole)
    await searchAll(confirming, options, { results, jobs, dead: findTestKeysPassingWithoutService(parts, baseline) });
}

interface ToSearch {
  results: CheckResults;
  jobs: number;
  dead: Promise<string[]>;
}

async function searchAll(confirming: ConfirmationContext, options: CheckInput, toSearch: ToSearch): Promise<void> {
  const { results, jobs, dead } = toSearch;
  const { baseline, hasApp, suite, budget, atOnce } = confirming;
  const { selection, seed, shard } = options.settings;
  const search: FaultSearchOptions = { wants: (name, kind) => selection.wants(name, kind), kills: hasApp, seed };
  const { sites } = baseline;
  const singles = scenariosOfShard(makeSingleFaultScenarios(sites, search), shard);
  results.planned = singles;
  const saved = options.saved.flatMap(({ scene }) => {
    if (scene.kind !== 'fault') return [];
    const scenario = makeScenario(
      resolveFaultSites(scene.faults, [...sites, ...adjustSitesForFailedJobs(sites, scene.faults)]),
    );
    return scenario.faults.length === scene.faults.length && canPlanScenario(scenario, search) ? [scenario] : [];
  });
  const queue = new ScenarioQueue([...saved, ...singles], makeFaultPairScenarios(sites, search), shard);
  const { leftMs } = budget;
  const { budgetMs } = options.settings;
  const endMs = budgetMs === 0 ? Number.POSITIVE_INFINITY : budgetMs - budget.elapsedMs;
  const ms = baseline.runs.reduce((sum, { began, ended }) => sum + ended - began, 0) / baseline.runs.length;
  const announce = (scenarios: readonly Scenario[], deadTests = 0) =>
    options.onPlan?.(forecastSearch(scenarios, { suite, ms, jobs, atOnce, leftMs, endMs }), deadTests);
  announce(singles);
  const planning = dead.then((tests) => {
    results.deadTests = tests;
    if (tests.length === 0) return;
    const isLive = ({ faults }: Scenario) =>
      faults.every(({ at: { test = WHOLE_COMMAND_TEST_NAME } }) => !tests.includes(test));
    queue.keepOnly(isLive);
    const live = singles.filter(isLive);
    if (live.length > 0) announce(live, tests.length);
  });
  const searching = runScenarioSearch({
    ...confirming,
    search,
    queue,
    suspects: [],
    confirming: new Set(),
    onChange: options.onProgress,
    untried: new Set(singles.map(({ kind }) => kind)),
    sites: new Set(sites.map(({ name }) => name)),
  });
  await Promise.all([planning, searching]);
}
