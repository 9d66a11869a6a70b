import {
  type BatchableTests,
  clientWaitMs,
  nextBatch,
  selectTestsForRun,
  testDurationMs,
  testKeysOfBatchableScenario,
} from './batch.ts';
import type { Scenario } from './plan.ts';
import type { TestRow } from './runner/run-record.ts';

export interface SearchForecast {
  /** The number of kinds of scenarios. Scenarios of one kind differ only in numbers of their sites, such as `#2`. */
  scenarios: number;
  ms: number;
  fitting: number;
}

export interface ForecastInput {
  suite: BatchableTests;
  /** The length of a baseline run in milliseconds. */
  ms: number;
  /** The limit of parallel ordinary runs, and also of parallel runs whose clients wait. */
  jobs: number;
  atOnce: number;
  /** The milliseconds in which new runs may begin. */
  leftMs: number;
  /** The milliseconds until the budget ends. */
  endMs: number;
}

export function forecastSearch(scenarios: readonly Scenario[], pace: ForecastInput): SearchForecast {
  const { suite, jobs, atOnce, leftMs, endMs } = pace;
  const untried = new Set(scenarios.map(({ kind }) => kind));
  const plan: SearchForecast = { scenarios: untried.size, ms: 0, fitting: 0 };
  const runMs = lengthsOf(pace);
  const ordinary: number[] = Array(jobs).fill(0);
  const waiting: number[] = jobs === 1 ? ordinary : Array(jobs).fill(0);
  const workers: number[] = Array(atOnce).fill(0);
  let left = scenarios;
  while (untried.size > 0) {
    const batch = nextBatch(left, suite);
    const taken = new Set(batch);
    left = left.filter((each) => !taken.has(each));
    const lane = batch.some((each) => clientWaitMs(each) > 0) ? waiting : ordinary;
    const [begins, free] = [Math.min(...workers), Math.min(...lane)];
    const ends = Math.max(begins, free) + runMs(batch);
    workers[workers.indexOf(begins)] = ends;
    lane[lane.indexOf(free)] = ends;
    const fresh = batch.filter(({ kind }) => untried.delete(kind)).length;
    if (begins <= leftMs && ends <= endMs) plan.fitting += fresh;
    if (fresh > 0) plan.ms = Math.max(plan.ms, ends);
  }
  return plan;
}

function lengthsOf({ suite, ms }: ForecastInput): (batch: readonly Scenario[]) => number {
  const all = [...suite.tests.values()];
  const spanMs = Math.max(...all.map(endOf)) - Math.min(...all.map(({ started }) => Date.parse(started)));
  const parallel = spanMs > 0 ? Math.max(1, sumOf(all) / spanMs) : 1;
  return (batch) => {
    const waitMs = batch.reduce((sum, each) => sum + clientWaitMs(each), 0);
    const selected = selectTestsForRun(
      batch.flatMap((each) => [...testKeysOfBatchableScenario(each, suite)]),
      suite,
    );
    const saved = selected && selected.length > 0 ? sumOf(all) - sumOf(selected) : 0;
    return ms + (waitMs - saved) / parallel;
  };
}

function endOf({ started, ended }: TestRow): number {
  return Date.parse(ended ?? started);
}

function sumOf(tests: readonly TestRow[]): number {
  return tests.reduce((sum, test) => sum + testDurationMs(test), 0);
}
