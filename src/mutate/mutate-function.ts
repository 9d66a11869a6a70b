import type { Clock } from '../clock/clock.ts';
import { type ClosableEmulator, FunctionRunner, type StoryParts } from '../runs/function-runner.ts';
import { RunFault } from '../runs/runner.ts';
import { brokenGates, readMin } from './gates.ts';
import type { MeasuredRun, MeasureOrder, MeasureWorld } from './measured-run.ts';
import { Measurement } from './measurement.ts';
import { survivorsOf } from './mutate-report.ts';
import { type MutateOptions, readMutateSettings } from './mutate-settings.ts';
import { printMutateReport } from './print-survivors.ts';
import type { MutateReport } from './report-schema.ts';
import { RunnerWorld } from './runner-world.ts';

/** What the function form takes: the flags in camel case, and what the user knows at the end of each run. */
export interface MutateFunctionOptions extends MutateOptions {
  /** Throws where the state at the end of a run is not as it should be. */
  check?: (parts: StoryParts) => unknown;
  /** The app's own state at the end of a run, as JSON has it. */
  probe?: (parts: StoryParts) => unknown;
  /** Noticed in a hundred of what was told, by family: survivors of other families are let pass, too. */
  min?: Readonly<Record<string, number>>;
}

/** The lies that a story does not notice, as the message of an error; `report` is what `--report` writes. */
export class MutateSurvivors extends Error {
  override name = 'MutateSurvivors';
  readonly report: MutateReport;

  constructor(message: string, report: MutateReport) {
    super(message);
    this.report = report;
  }
}

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
  const open = () => {
    const runner = new FunctionRunner({ story, check, probe, clock, openEmulator: () => openEmulator(settings.seed) });
    return new RunnerWorld({ runner, whole: command, mask: settings.mask, folder: process.cwd() });
  };
  const world = new WorldOfMany(open);
  const signal = new AbortController().signal;
  const measurement = new Measurement({ world, clock, settings, version, command, jobsFor: () => jobs, signal });
  try {
    await measurement.measure();
  } finally {
    await world.close();
  }
  const report = measurement.report();
  const shortfall = measurement.shortfall(report);
  if (shortfall) throw new RunFault(shortfall.message, shortfall.exit_code);
  const gates = { min: readMin(Object.entries(min ?? {}).map(([family, least]) => `${family}=${least}`)) };
  const broken = brokenGates(report, {
    ...gates,
    maxBrittle: undefined,
    baseline: undefined,
    today: '',
    isWhole: false,
  });
  const isWell = min ? broken.length === 0 : survivorsOf(report).length === 0;
  if (isWell) return report;
  throw new MutateSurvivors([printMutateReport(report), ...broken].join('\n'), { ...report, exit: 1 });
}

/** As many worlds as there are runs at the same time: a lie is armed for a whole emulator. */
class WorldOfMany implements MeasureWorld {
  readonly #open: () => MeasureWorld;
  readonly #all: MeasureWorld[] = [];
  readonly #free: MeasureWorld[] = [];

  constructor(open: () => MeasureWorld) {
    this.#open = open;
  }

  async run(order: MeasureOrder): Promise<MeasuredRun> {
    const world = this.#free.pop() ?? this.#opened();
    try {
      return await world.run(order);
    } finally {
      this.#free.push(world);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((world) => world.close()));
  }

  #opened(): MeasureWorld {
    const world = this.#open();
    this.#all.push(world);
    return world;
  }
}
