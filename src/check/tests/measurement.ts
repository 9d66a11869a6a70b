import type { Clock } from '../../base/clock/clock.ts';
import { LIES } from '../../control/lies/lie-table.ts';
import {
  type BaselineFile,
  EMPTY_BASELINE,
  knownOf,
  lastSurvivors,
  marksOf,
  rememberedOf,
  unchangedUnits,
} from './baseline.ts';
import { type BaselineRuns, measureBaseline, measureNegativeControl, requireFailures } from './baseline-runs.ts';
import type { Row } from './judge-attempt.ts';
import type { MeasureProgress, ReachedSite, RunSuite } from './measured-run.ts';
import {
  bySite,
  countFamilies,
  isMeasured,
  type MutateReport,
  type ReportedLie,
  type ReportedUnit,
} from './mutate-report.ts';
import { isSelected, type MutateSettings, requireField, selectsLibertiesOnly } from './mutate-settings.ts';
import { MutationRun, type Tried } from './mutation-run.ts';
import { fitInto, ofShard, type Pair, pairKey, planLiberties, planPairs, runsIn, type Unit } from './plan.ts';
import { proposeAssertion } from './propose-assertion.ts';

export interface MeasurementParts {
  /** What the report names: the version of the emulator, and the command that is measured. */
  named: { version: string; command: string };
  run: RunSuite;
  clock: Clock;
  settings: MutateSettings;
  /** Runs at the same time, by whether the fixtures report units. */
  jobsFor(reportsUnits: boolean): number;
  /** From earlier runs: the baseline, and the keys of lies that are tried first beside what survived by it. */
  known?: { baseline: BaselineFile | undefined; survivors?: readonly string[] };
  signal: AbortSignal;
  progress?: ((done: MeasureProgress) => void) | undefined;
}

/** What is to be tried, what there was no room for, and what is known from before. */
interface Planned {
  planned: readonly Pair[];
  left: readonly Pair[];
  remembered: readonly ReportedLie[];
}

/** One measurement of a suite; what it has come to can be read at any time. */
export class Measurement {
  baselineRuns: BaselineRuns | undefined;
  /** The run of lies, after baseline runs and negative control. */
  run: MutationRun | undefined;
  readonly #parts: MeasurementParts;
  readonly #baseline: BaselineFile;
  readonly #began: number;
  #control = NOTHING_MEASURED.control;
  #plan: Planned = { planned: [], left: [], remembered: [] };
  /** Baseline runs, and the one with the service dead. */
  #plainRuns = 0;

  constructor(parts: MeasurementParts) {
    this.#parts = parts;
    this.#baseline = parts.known?.baseline ?? EMPTY_BASELINE;
    this.#began = parts.clock.real();
  }

  /** Makes baseline runs, the negative control, lies and liberties. Throws `RunFault` where the suite cannot be measured. */
  async measure(): Promise<void> {
    const { run, settings, signal } = this.#parts;
    this.#show('baseline');
    const baselineRuns = await measureBaseline(run, {
      timesFor: (units) => this.#timesFor(units),
      jobsFor: (units) => this.#jobsFor(units),
      heard: () => {
        this.#plainRuns += 1;
        this.#show('baseline');
      },
    });
    this.baselineRuns = baselineRuns;
    requireField(
      settings,
      baselineRuns.units.flatMap(({ sites }) => sites),
    );
    if (signal.aborted) return;
    this.#show('control');
    this.#plainRuns += 1;
    this.#control = await measureNegativeControl(run, baselineRuns);
    requireFailures(this.#control, baselineRuns);
    if (signal.aborted) return;
    const unchanged = unchangedUnits(this.#baseline, baselineRuns.units);
    this.#plan = this.#planOf(baselineRuns, unchanged);
    const liberties = planLiberties(baselineRuns.units, settings);
    const known = knownOf(this.#baseline, unchanged);
    this.run = this.#runOf(baselineRuns, { lies: this.#plan.planned, liberties, knownOf: known });
    await this.run.measure();
  }

  /** Survivors with the runs that showed them. */
  get survivors(): Row[] {
    return (this.run?.rows ?? []).filter(({ verdict }) => verdict === 'survived');
  }

  /** The whole plan has been measured. */
  get isWhole(): boolean {
    const { only, skip, lie, shard } = this.#parts.settings;
    return only.length + skip.length === 0 && !lie && shard.of === 1 && this.#left.length === 0;
  }

  /** Whether a lie at its site was asked for of this machine, and there was time for it. */
  hasTried(site: ReachedSite): boolean {
    const { settings } = this.#parts;
    const isLeft = this.#left.some(({ key }) => key === pairKey(site));
    return settings.shard.of === 1 && isSelected(settings, site) && !isLeft;
  }

  /** What there is now as a report, without gates. */
  report(): MutateReport {
    const { named, settings, clock } = this.#parts;
    const { baselineRuns, run } = this;
    const own = (run?.rows ?? []).map((row) => reportedLie(row, baselineRuns, named.command));
    const lies = [...own, ...this.#plan.remembered];
    const measured = {
      planned: this.#plan.planned.length,
      told: bySite(own).filter(isMeasured).length,
      runs: this.#runs,
      seconds: Math.round((clock.real() - this.#began) / 100) / 10,
      placebos: { run: 0, noticed: 0, ...run?.placebos },
    };
    const left = [...this.#left, ...(run?.untried.liberties ?? [])];
    return {
      ...named,
      seed: settings.seed,
      measured,
      control: this.#control,
      lies,
      units: (baselineRuns?.units ?? []).map(reportedUnit),
      liberties: reportedLiberties(run?.liberties ?? []),
      unreached: baselineRuns ? unplanned(baselineRuns.units, settings, left) : [],
      families: countFamilies(bySite(lies)),
      exit: 0,
    };
  }

  /** What there was no room for, by the plan or in the end. */
  get #left(): readonly Pair[] {
    return [...this.#plan.left, ...(this.run?.untried.lies ?? [])];
  }

  /** What is asked for, not remembered, and of this machine, as much as there is room for. */
  #planOf({ units, runs }: BaselineRuns, unchanged: ReadonlySet<Unit>): Planned {
    const { settings, clock } = this.#parts;
    const first = new Set([...(this.#parts.known?.survivors ?? []), ...lastSurvivors(this.#baseline)]);
    const pairs = planPairs(units, settings, first);
    const day = new Date(clock.real()).toISOString().slice(0, 10);
    const remembered = rememberedOf(this.#baseline, pairs, { seed: settings.seed, day, unchanged });
    const own = ofShard(
      pairs.filter(({ key }) => !remembered.has(key)),
      settings,
    );
    const jobs = this.#jobsFor(units);
    // Baseline runs are made beside each other after the first; one was made with the service dead.
    const made = 2 + Math.ceil((runs - 1) / jobs);
    const room = runsIn(settings.budgetMs, { elapsedMs: clock.real() - this.#began, made, jobs });
    const isPacked = reportsUnits(units) && !settings.oneByOne;
    return { ...fitInto(own, { runs: room, isPacked }), remembered: [...remembered.values()].flat() };
  }

  /** A suite that is as the baseline has it was run often enough with nothing changed when that was made. */
  #timesFor(units: readonly Unit[]): number {
    const isUnchanged = unchangedUnits(this.#baseline, units).size === units.length;
    return isUnchanged ? 1 : this.#parts.settings.baselineRuns;
  }

  #jobsFor(units: readonly Unit[]): number {
    return this.#parts.settings.jobs ?? this.#parts.jobsFor(reportsUnits(units));
  }

  #runOf(baselineRuns: BaselineRuns, tried: Tried): MutationRun {
    const { budgetMs } = this.#parts.settings;
    const until = budgetMs === 0 ? Number.POSITIVE_INFINITY : this.#began + budgetMs;
    const jobs = this.#jobsFor(baselineRuns.units);
    const progress = (phase: 'lies' | 'liberties') => this.#show(phase);
    return new MutationRun({ ...this.#parts, baselineRuns, jobs, until, progress }, tried);
  }

  #show(phase: MeasureProgress['phase']): void {
    const { progress, clock } = this.#parts;
    const done = new Set((this.run?.rows ?? []).map(({ pair }) => pair.key)).size;
    const planned = this.#plan.planned.length;
    progress?.({ phase, runs: this.#runs, done, planned, elapsedMs: clock.real() - this.#began });
  }

  get #runs(): number {
    return this.#plainRuns + (this.run?.runs ?? 0);
  }
}

function reportsUnits(units: readonly Unit[]): boolean {
  return units.some(({ isWhole }) => !isWhole);
}

/** A report of nothing, for what ended before the first lie. */
export const NOTHING_MEASURED = {
  measured: { planned: 0, told: 0, runs: 0, seconds: 0, placebos: { run: 0, noticed: 0 } },
  control: { requests: 0, passed_dead: [] as string[] },
  units: [],
  lies: [],
  liberties: [],
  unreached: [],
  families: {},
  exit: 0,
} satisfies Omit<MutateReport, 'version' | 'command' | 'seed'>;

export function reportedUnit(unit: Unit): ReportedUnit {
  const { name, file, line, ms, sites } = unit;
  const met = [...new Set(sites.map(({ site }) => site))].sort();
  return { name, file, line, ms, sites: met, marks: marksOf(unit) };
}

/** What a unit made of a lie; of a survivor with the assertion that sees it, where one is proven. */
function reportedLie(row: Row, baselineRuns: BaselineRuns | undefined, command: string): ReportedLie {
  const { pair, unit, verdict, harm, by, output } = row;
  const { lie, field, family, site } = pair;
  const isUnseen = verdict === 'survived' || verdict === 'unread';
  const assertion = isUnseen && baselineRuns ? proposeAssertion(row, baselineRuns, command) : undefined;
  return { lie, field, family, site, unit: unit.name, verdict, harm, by, output, assertion };
}

/** Which units passed under which liberties, of those that met them. */
function reportedLiberties(rows: readonly Row[]): MutateReport['liberties'] {
  return rows.flatMap(({ pair, unit, verdict }) => {
    if (verdict === 'no_verdict' || verdict === 'unreached') return [];
    return [{ liberty: pair.lie, unit: unit.name, tolerated: verdict !== 'noticed' }];
  });
}

/** What is in no row of a report: lies that no unit meets, lies that are not asked for, and what is left. */
export function unplanned(
  units: readonly Unit[],
  settings: MutateSettings,
  left: readonly Pair[],
): MutateReport['unreached'] {
  const ofBudget = left.map(({ key }) => ({ lie: key, why: 'left (budget)' as const }));
  const { lie: alone } = settings;
  if (alone) {
    const isMet = units.some(({ sites }) => sites.some((each) => isSelected(settings, each)));
    const { lie, field, site = '' } = alone;
    return isMet ? ofBudget : [{ lie: pairKey({ lie, field, site }), why: 'no such road' }];
  }
  const met = new Set(units.flatMap(({ sites }) => sites.map(({ lie }) => lie)));
  const others = (selectsLibertiesOnly(settings) ? [] : LIES).flatMap(({ name }): MutateReport['unreached'] => {
    if (!isSelected(settings, { lie: name })) return [{ lie: name, why: 'skipped' }];
    return met.has(name) ? [] : [{ lie: name, why: 'no such road' }];
  });
  return [...others, ...ofBudget];
}
