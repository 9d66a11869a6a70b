import type { Clock } from '../clock/clock.ts';
import { type BaselineFile, lastSurvivors, rememberedOf } from './baseline.ts';
import type { Row } from './judge-attempt.ts';
import type { MeasuredRun, MeasureProgress, MeasureWorld } from './measured-run.ts';
import {
  bySite,
  countFamilies,
  isTold,
  NOTHING_MEASURED,
  reportedLiberties,
  reportedLie,
  reportedUnit,
} from './mutate-report.ts';
import type { MutateSettings } from './mutate-settings.ts';
import { MutationRun } from './mutation-run.ts';
import { fitInto, type Pair, planLiberties, planPairs, type Room, roomIn, type Unit, unplanned } from './plan.ts';
import type { MutateReport, ReportedLie } from './report-schema.ts';
import { type Control, commandLimit, DeadControl, measureControl, measureTruth, type Truth } from './truth.ts';

export interface MeasurementParts {
  world: MeasureWorld;
  clock: Clock;
  settings: MutateSettings;
  /** What the report names: the version of the emulator, and the command that was measured. */
  named: { version: string; command: string };
  /** Runs at the same time, by whether the fixtures report units. */
  jobsFor(reportsUnits: boolean): number;
  baseline?: BaselineFile | undefined;
  signal: AbortSignal;
  progress?: ((done: MeasureProgress) => void) | undefined;
}

/** One measurement of a suite; what it has come to can be read at any time. */
export class Measurement {
  readonly #parts: MeasurementParts;
  readonly #began: number;
  #truth: Truth | undefined;
  #control: Control = NOTHING_MEASURED.control;
  #planned: readonly Pair[] = [];
  #left: readonly Pair[] = [];
  #remembered: ReadonlyMap<string, ReportedLie[]> = new Map();
  #lies: MutationRun | undefined;
  #liberties: MutationRun | undefined;
  #controlRuns = 0;
  #truthRuns = 0;

  constructor(parts: MeasurementParts) {
    this.#parts = parts;
    this.#began = parts.clock.real();
  }

  /** Runs truth, control, lies and liberties. Throws `RunFault` where the suite cannot be measured. */
  async measure(): Promise<void> {
    const { world, settings, signal } = this.#parts;
    this.#show('truth');
    const heard = () => {
      this.#truthRuns += 1;
      this.#show('truth');
    };
    const truth = await measureTruth(world, settings.truths, heard);
    this.#truth = truth;
    if (signal.aborted) return;
    this.#show('control');
    await this.#measureControl(truth);
    if (signal.aborted) return;
    this.#plan(truth);
    this.#lies = this.#mutationRun(truth, this.#planned, 'lies');
    await this.#lies.measureLies();
    if (signal.aborted) return;
    const liberties = planLiberties(truth.units, settings).filter((_, at) => this.#isOfShard(at));
    this.#liberties = this.#mutationRun(truth, liberties, 'liberties');
    await this.#liberties.measureLiberties();
  }

  /** Units as the truth has shown them. */
  get units(): readonly Unit[] {
    return this.#truth?.units ?? [];
  }

  get truth(): Truth | undefined {
    return this.#truth;
  }

  /** Survivors with the runs that showed them. */
  get survivors(): Row[] {
    return (this.#lies?.rows ?? []).filter(({ verdict }) => verdict === 'survived');
  }

  /** The run with the one lie that was asked for, as a page. */
  get trace(): MeasuredRun['trace'] {
    return this.#lies?.trace;
  }

  /** Files whose tests disturb each other. */
  get unpacked(): readonly string[] {
    return this.#lies?.unpacked ?? [];
  }

  /** The whole plan has been measured. */
  get isWhole(): boolean {
    const { only, skip, lie, shard } = this.#parts.settings;
    return only.length + skip.length === 0 && !lie && shard.of === 1 && this.#unmeasured.length === 0;
  }

  /** What there was no room for, by the plan or in the end. */
  get #unmeasured(): readonly Pair[] {
    return [...this.#left, ...(this.#lies?.untried ?? [])];
  }

  /** What there is now as a report, without gates. */
  report(): MutateReport {
    const { named, settings } = this.#parts;
    const own = (this.#lies?.rows ?? []).map((row) => reportedLie(row, this.#truth, named.command));
    const lies = [...own, ...[...this.#remembered.values()].flat()];
    const report: MutateReport = {
      ...{ ...named, seed: settings.seed, measured: this.#measured(own), control: this.#control },
      units: this.units.map(reportedUnit),
      lies,
      liberties: reportedLiberties(this.#liberties?.rows ?? []),
      unreached: this.#truth ? unplanned(this.units, settings, this.#unmeasured) : [],
      families: countFamilies(bySite(lies)),
      exit: 0,
    };
    return report;
  }

  async #measureControl(truth: Truth): Promise<void> {
    this.#controlRuns = 1;
    try {
      this.#control = await measureControl(this.#parts.world, truth, commandLimit(truth.ms));
    } catch (error) {
      if (error instanceof DeadControl) this.#control = error.control;
      throw error;
    }
  }

  #plan({ units }: Truth): void {
    const { settings, baseline, clock } = this.#parts;
    const pairs = planPairs(units, settings, baseline ? lastSurvivors(baseline) : new Set());
    const day = new Date(clock.real()).toISOString().slice(0, 10);
    if (baseline) this.#remembered = rememberedOf(baseline, pairs, { seed: settings.seed, day });
    const own = pairs.filter(({ key }) => !this.#remembered.has(key)).filter((_, at) => this.#isOfShard(at));
    const { planned, left } = fitInto(own, this.#room());
    this.#planned = planned;
    this.#left = left;
  }

  #isOfShard(at: number): boolean {
    const { index, of } = this.#parts.settings.shard;
    return at % of === index - 1;
  }

  #room(): Room {
    const { settings, clock } = this.#parts;
    const isPacked = this.#reportsUnits && !settings.oneByOne;
    const elapsedMs = clock.real() - this.#began;
    return roomIn(settings.budgetMs, {
      elapsedMs,
      made: this.#truthRuns + this.#controlRuns,
      jobs: this.#jobs,
      isPacked,
    });
  }

  get #reportsUnits(): boolean {
    return this.units.some(({ isWhole }) => !isWhole);
  }

  get #jobs(): number {
    return this.#parts.settings.jobs ?? this.#parts.jobsFor(this.#reportsUnits);
  }

  #mutationRun(truth: Truth, pairs: readonly Pair[], phase: MeasureProgress['phase']): MutationRun {
    const { world, clock, settings, signal } = this.#parts;
    const { budgetMs } = settings;
    const until = budgetMs === 0 ? Number.POSITIVE_INFINITY : this.#began + budgetMs;
    const progress = () => this.#show(phase);
    return new MutationRun({ world, clock, settings, truth, jobs: this.#jobs, until, signal, progress }, pairs);
  }

  #measured(own: readonly ReportedLie[]): MutateReport['measured'] {
    const runs = [this.#lies, this.#liberties].flatMap((each) => each ?? []);
    return {
      planned: this.#planned.length,
      told: bySite(own).filter((site) => isTold(site)).length,
      runs: this.#runs,
      seconds: Math.round((this.#parts.clock.real() - this.#began) / 100) / 10,
      placebos: {
        run: runs.reduce((sum, { placebos }) => sum + placebos.run, 0),
        noticed: runs.reduce((sum, { placebos }) => sum + placebos.noticed, 0),
      },
    };
  }

  get #runs(): number {
    return this.#truthRuns + this.#controlRuns + (this.#lies?.runs ?? 0) + (this.#liberties?.runs ?? 0);
  }

  #show(phase: MeasureProgress['phase']): void {
    const { progress, clock } = this.#parts;
    const done = bySite((this.#lies?.rows ?? []).map((row) => ({ ...row.pair, ...row, unit: row.unit.name }))).length;
    progress?.({ phase, runs: this.#runs, done, planned: this.#planned.length, elapsedMs: clock.real() - this.#began });
  }
}
