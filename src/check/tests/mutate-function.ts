import type { Clock } from '../../base/clock/clock.ts';
import { type MutateFunctionOptions, MutateSurvivors } from '../function-forms.ts';
import { printText } from '../print-report.ts';
import { type ClosableEmulator, FunctionRunner, type StoryParts } from '../runner/function-runner.ts';
import { RunFault } from '../runner/runner.ts';
import { brokenGates, readMin, shortfallOf } from './gates.ts';
import { type RunSuite, suiteOf } from './measured-run.ts';
import { Measurement } from './measurement.ts';
import { survivorsOf } from './mutate-report.ts';
import { readMutateSettings } from './mutate-settings.ts';
import { printableMutate } from './print-mutate.ts';
import type { MutateReport } from './report-schema.ts';

export interface MutateFunctionParts {
  clock: Clock;
  version: string;
  openEmulator(seed: number): Promise<ClosableEmulator>;
}

/** Stories at the same time, each on an emulator of its own. */
const USUAL_JOBS = 4;

/**
 * Runs a story while the service lies. Resolves with the report where it notices every lie, or as many as `min` asks for;
 * rejects with `MutateSurvivors` otherwise, and with `RunFault` where it cannot be measured.
 */
export async function mutateFunction(
  story: (parts: StoryParts) => unknown,
  options: MutateFunctionOptions,
  { clock, version, openEmulator }: MutateFunctionParts,
): Promise<MutateReport> {
  const { check, probe, min, ...others } = options;
  const settings = readMutateSettings(others);
  const command = story.name || 'story';
  const jobs = settings.jobs ?? USUAL_JOBS;
  // As many runners as there are runs at the same time: a lie is armed for a whole emulator.
  const runners: FunctionRunner[] = [];
  const free: FunctionRunner[] = [];
  const opened = () => {
    const runner = new FunctionRunner({ story, check, probe, clock, openEmulator: () => openEmulator(settings.seed) });
    runners.push(runner);
    return runner;
  };
  const run: RunSuite = async (order) => {
    const runner = free.pop() ?? opened();
    const suite = suiteOf({ runner, clock, whole: command, mask: settings.mask, folder: process.cwd() });
    return suite(order).finally(() => free.push(runner));
  };
  const signal = new AbortController().signal;
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
  if (isWell) return report;
  throw new MutateSurvivors(printText(printableMutate(report, { notes: broken })), { ...report, exit: 1 });
}
