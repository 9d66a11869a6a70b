import { exploreFunction, type SearchWorld } from './app/explore-function.ts';
import type { CheckReport, PartName, PartReports } from './check-report.ts';
import { type CheckOptions, readCheckSettings } from './check-settings.ts';
import { LEFT_OUT, makeCheckReport } from './make-check-report.ts';
import { printableCheck } from './print-check.ts';
import { printText } from './print-report.ts';
import { FunctionRunner, type FunctionWorld, type Story, type StoryChecks } from './runner/function-runner.ts';
import { RunFault } from './runner/runner.ts';
import { brokenGates, readMin, shortfallOf } from './tests/gates.ts';
import { type RunSuite, suiteOf } from './tests/measured-run.ts';
import { Measurement } from './tests/measurement.ts';
import { type MutateReport, survivorsOf } from './tests/mutate-report.ts';
import { type MutateOptions, readMutateSettings } from './tests/mutate-settings.ts';
import { printableMutate } from './tests/print-mutate.ts';

/** What the function form takes: the flags in camel case, and what the user knows at the end of each run. */
export interface CheckFunctionOptions extends Omit<CheckOptions, 'again' | 'shard'>, Omit<StoryChecks, 'check'> {
  /** `app` and `tests` where it is left out. */
  parts?: readonly ('app' | 'tests')[];
  /** Throws where the state at the end of a run is not as it should be. */
  assert?: StoryChecks['check'];
}

/** What the function form takes: the flags in camel case, and what the user knows at the end of each run. */
export interface MutateFunctionOptions extends MutateOptions, StoryChecks {
  /** Noticed in a hundred of what reached a test, by family: survivors of other families are let pass, too. */
  min?: Readonly<Record<string, number>>;
}

/** Stories at the same time, each on an account of its own; under lies each on an emulator of its own. */
const JOBS = { check: 16, mutate: 4 };

/** Checks a story by both parts, one after the other. Rejects with `RunFault` where nothing can be measured. */
export async function checkFunction(
  story: Story,
  { parts = ['app', 'tests'], assert: check, probe, ...options }: CheckFunctionOptions,
  world: SearchWorld,
): Promise<{ report: CheckReport; fault?: string }> {
  const { clock, version } = world;
  const { expectFailure, allow, jobs, mask } = options;
  const asked = { parts, jobs: JOBS.check, version };
  const { budgetMs, isLeftOut, isNarrowed, ...settings } = readCheckSettings(options, asked);
  const began = clock.real();
  const reports: PartReports = {};
  const faults: Partial<Record<PartName, string>> = {};
  const { seed, only, skip, beyondContract } = settings.app.search;
  const shared = { check, probe, seed, jobs, mask };
  // The second has what the first leaves.
  const share = (of: number) => (budgetMs === 0 ? 0 : Math.max(1, budgetMs - (clock.real() - began)) / of);
  const work = {
    async app() {
      const own = { expectFailure, allow, only, skip, beyondContract, sparesRefusals: true };
      reports.app = (await exploreFunction(story, { ...shared, ...own, budget: share(parts.length) }, world)).report;
    },
    async tests() {
      const { tests } = settings;
      const own = { only: tests.only, skip: tests.skip, all: tests.all, budget: share(1) };
      reports.tests = (await mutateFunction(story, { ...shared, ...own }, world)).report;
    },
  };
  for (const part of parts) {
    const fault = isLeftOut[part] ? LEFT_OUT : await work[part]().catch((error) => faultOf(error, parts));
    if (fault !== undefined) faults[part] = fault;
  }
  const date = new Date(began).toISOString();
  const judged = makeCheckReport({
    head: { version, date, commit: null, lock: null, command: story.name || 'story', seed },
    reports,
    faults,
    gates: { ...settings, allowed: allow },
    asked: parts,
    seconds: (clock.real() - began) / 1000,
    isNarrowed,
    hasAssert: check !== undefined,
    hasProbe: probe !== undefined,
  });
  const { report } = judged;
  if (report.error) throw new RunFault(report.error.message, report.error.exit_code);
  return report.exit === 0 ? { report } : { report, fault: printText(printableCheck(judged)) };
}

/** Of one part there is nothing else to report. */
function faultOf(error: unknown, parts: readonly PartName[]): string {
  if (!(error instanceof RunFault) || parts.length === 1) throw error;
  return error.message;
}

/** Runs a story while the service lies. Rejects with `RunFault` where it cannot be measured. */
export async function mutateFunction(
  story: Story,
  { check, probe, min, ...options }: MutateFunctionOptions,
  { clock, version, openEmulator }: FunctionWorld,
): Promise<{ report: MutateReport; fault?: string }> {
  const settings = readMutateSettings(options);
  const { seed, mask, jobs = JOBS.mutate } = settings;
  const command = story.name || 'story';
  // As many runners as there are runs at the same time: a lie is armed for a whole emulator.
  const runners: FunctionRunner[] = [];
  const free: FunctionRunner[] = [];
  const opened = () => {
    const runner = new FunctionRunner({ story, check, probe, clock, openEmulator: () => openEmulator(seed) });
    runners.push(runner);
    return runner;
  };
  const run: RunSuite = async (order) => {
    const runner = free.pop() ?? opened();
    const suite = suiteOf({ runner, clock, whole: command, mask, folder: process.cwd() });
    return suite(order).finally(() => free.push(runner));
  };
  const { signal } = new AbortController();
  const named = { version, command };
  const measurement = new Measurement({ run, clock, settings, named, jobsFor: () => jobs, signal });
  try {
    await measurement.measure();
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
  const report = measurement.report();
  const shortfall = shortfallOf(report, settings);
  if (shortfall) throw new RunFault(shortfall.message, shortfall.exit_code);
  const least = readMin(Object.entries(min ?? {}).map(([family, share]) => `${family}=${share}`));
  const broken = brokenGates(report, { min: least, today: '', isWhole: false });
  const isWell = min ? broken.length === 0 : survivorsOf(report).length === 0;
  if (isWell) return { report };
  return { report: { ...report, exit: 1 }, fault: printText(printableMutate(report, { notes: broken })) };
}
