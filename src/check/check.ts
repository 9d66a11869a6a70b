import type { Clock } from '../base/clock/clock.ts';
import { distinct, groupBy } from '../base/text.ts';
import {
  type Baseline,
  type BaselineParts,
  deadTests,
  makeBaseline,
  makeShortBaseline,
  WHOLE,
} from './baseline-runs.ts';
import { forecast, type Suite, suiteOf } from './batch.ts';
import { Budget } from './budget.ts';
import type { CheckId } from './checks.ts';
import type { Confirming, Results, Tried } from './confirm.ts';
import { runsUnder } from './faults/arm-faults.ts';
import type { ExpectedSuccess } from './faults/expected-success.ts';
import { commandMark } from './faults/site.ts';
import type { Found } from './found.ts';
import {
  isPlanned,
  ofShard,
  pairedScenarios,
  Queue,
  type Scenario,
  scenarioOf,
  singleScenarios,
  sitedFaults,
  sitesUnder,
} from './plan.ts';
import { replay } from './replay.ts';
import { RunFault, type Runner, type RunTrace } from './runner/runner.ts';
import { searchScenarios } from './search.ts';
import type { CheckSettings } from './settings.ts';
import type { Replay } from './token.ts';

export interface CheckOptions {
  settings: CheckSettings;
  /** The findings of the last run, which are tried first. */
  saved: readonly Replay[];
  /** The number of parallel runs. */
  jobs: number;
  version: string;
  signal: AbortSignal;
  mask(text: string): string;
  warn(message: string): void;
  onPlan?(plan: Plan): void;
  onSuspect?(scenario: Scenario, check: CheckId): void;
  onConfirmed?(found: Found): void;
  onTrace?: ((trace: RunTrace) => void) | undefined;
  onProgress?(): void;
}

/** The scenarios of a plan: one for each kind of fault at each kind of site. */
export interface Plan {
  scenarios: number;
  /** The time that they take, and how many of them fit into the budget. */
  ms: number;
  fitting: number;
}

/** What a check has found so far. Valid at any time, even after a failure. */
export class CheckResults implements Results {
  readonly tried: Tried[] = [];
  readonly findings: Found[] = [];
  readonly unstable: Found[] = [];
  readonly unconfirmed: Found[] = [];
  readonly expected: ExpectedSuccess[] = [];
  runs = 0;
  /** Undefined until the baseline runs have ended. */
  baseline: Baseline | undefined;
  planned: readonly Scenario[] = [];
  /** The tests that pass although every request fails. They prove nothing. */
  deadTests: readonly string[] = [];
  /** The reason why nothing was tried. */
  stopped: string | undefined;

  /** The kinds of scenarios in the plan. */
  get kinds(): Kind[] {
    const isLive = ({ faults }: Scenario) => faults.some(({ at: { test = WHOLE } }) => !this.deadTests.includes(test));
    const planned = new Map(this.planned.filter(isLive).map(({ kind, faults }) => [kind, faults[0]?.fault ?? '']));
    const tried = groupBy(
      this.tried.filter(({ scenario }) => isLive(scenario)),
      ({ scenario }) => scenario.kind,
    );
    return [...planned].map(([kind, fault]) => {
      const own = tried.get(kind) ?? [];
      return { fault, isTried: own.length > 0, isGood: own.some(({ isGood }) => isGood) };
    });
  }
}

/** A kind of fault at a kind of site. */
export interface Kind {
  fault: string;
  isTried: boolean;
  /** The tests passed under one of its scenarios. */
  isGood: boolean;
}

/** New work begins only within this share of the budget, so that running work can still be confirmed. */
const BEGINS_WITHIN = 0.9;

/** Throws `RunFault` if the command itself prevents the runs. */
export async function check(options: CheckOptions, runner: Runner, clock: Clock, results: CheckResults): Promise<void> {
  try {
    await tried(options, runner, { clock, results });
  } catch (error) {
    if (options.signal.aborted) return;
    if (error instanceof RunFault) results.stopped = error.message;
    throw error;
  }
}

interface Kept {
  clock: Clock;
  results: CheckResults;
}

async function tried(options: CheckOptions, runner: Runner, { clock, results }: Kept): Promise<void> {
  const { settings, jobs, signal, warn, version, mask } = options;
  const { selection, seed } = settings;
  const scene = settings.replay?.scene;
  const budgetMs = settings.budgetMs * BEGINS_WITHIN;
  const budget = new Budget(clock, { budgetMs, signal });
  const [run, { hasApp }] = [runsUnder(runner, clock), runner];
  const parts: BaselineParts = { run, clock, hasApp, budgetMs, jobs, warn, narrow: () => runner.narrow() };
  const isWhole = scene === undefined && selection.wantsFaults;
  const command = scene?.kind === 'fault' ? scene.command : undefined;
  const baseline = await (isWhole ? makeBaseline(parts) : makeShortBaseline(parts, command));
  results.baseline = baseline;
  budget.lengthMs = baseline.ms;
  const { sites, runs, verdicts } = baseline;
  const confirming: Confirming = {
    run,
    clock,
    hasApp,
    baseline,
    suite: suiteOf(runs, hasApp),
    undisturbed: new Map(),
    jobs: jobs === 1 ? 1 : jobs + 2,
    budget,
    signal,
    results,
    parts: { version, seed, command: commandMark(sites), verdicts, mask },
    reports: (id) => scene !== undefined || selection.reports(id),
    onSuspect: options.onSuspect,
    onConfirmed: options.onConfirmed,
  };
  if (scene?.kind === 'fault') await replay(confirming, scene.faults, options.onTrace);
  if (isWhole) await searchAll(confirming, options, { results, dead: deadTests(parts, baseline) });
}

interface ToSearch {
  results: CheckResults;
  /** Becomes known while the first scenarios run. */
  dead: Promise<string[]>;
}

async function searchAll(confirming: Confirming, options: CheckOptions, { results, dead }: ToSearch): Promise<void> {
  const { baseline, hasApp, suite, budget } = confirming;
  const { selection, seed, shard } = options.settings;
  const search = { wants: (name: string) => selection.wants(name), kills: hasApp, seed };
  const { sites } = baseline;
  const singles = ofShard(singleScenarios(sites, search), shard);
  results.planned = singles;
  const saved = options.saved.flatMap(({ scene }) => {
    if (scene.kind !== 'fault') return [];
    const scenario = scenarioOf(sitedFaults(scene.faults, [...sites, ...sitesUnder(sites, scene.faults)]));
    return scenario.faults.length === scene.faults.length && isPlanned(scenario, search) ? [scenario] : [];
  });
  const queue = new Queue([...saved, ...singles], pairedScenarios(sites, search), shard);
  const { leftMs } = budget;
  const planning = dead.then((tests) => {
    results.deadTests = tests;
    const isLive = ({ faults }: Scenario) => faults.every(({ at: { test = WHOLE } }) => !tests.includes(test));
    queue.keepOnly(isLive);
    options.onPlan?.(planOf(singles.filter(isLive), { suite, ms: baseline.ms, jobs: options.jobs, leftMs }));
  });
  const searching = searchScenarios({
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

interface Pace {
  suite: Suite;
  /** The length of a run. */
  ms: number;
  jobs: number;
  leftMs: number;
}

function planOf(singles: readonly Scenario[], { suite, ms, jobs, leftMs }: Pace): Plan {
  const kinds = distinct(singles, ({ kind }) => kind);
  let [all, fitting] = [0, 0];
  for (const { tried, waitMs } of forecast(kinds, suite)) {
    all += (ms + waitMs) / jobs;
    if (all <= leftMs) fitting += tried;
  }
  return { scenarios: kinds.length, ms: all, fitting };
}
