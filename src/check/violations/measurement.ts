import type { Clock } from '../../base/clock/clock.ts';
import { grouped } from '../../base/grouped.ts';
import { VIOLATIONS } from '../../control/violations/violation-table.ts';
import type { Search } from '../runner/search.ts';
import { type AttemptVerdict, bestVerdict, type Row } from './judge-attempt.ts';
import type { RunSuite } from './measured-run.ts';
import {
  fitInto,
  type MeasureSettings,
  ofShard,
  type Pair,
  planChanges,
  planPairs,
  runsIn,
  type Unit,
} from './plan.ts';
import { measureNegativeControl, requireFailures, type SuiteBaseline } from './suite-baseline.ts';
import { ViolationRuns } from './violation-runs.ts';

export interface MeasurementParts {
  run: RunSuite;
  baseline(): Promise<SuiteBaseline>;
  clock: Clock;
  settings: MeasureSettings;
  jobsFor(reportsUnits: boolean): number;
  first: readonly string[];
  signal: AbortSignal;
  onChange(): void;
}

export interface SiteResult {
  key: string;
  name: string;
  site: string;
  verdict: AttemptVerdict;
  rows: readonly Row[];
}

export interface ViolationResults {
  /** Violations at their sites to try, and those that reached a test and have a verdict. */
  planned: number;
  measured: number;
  runs: number;
  sites: readonly SiteResult[];
  changes: readonly SiteResult[];
  /** Keys of what there was no time for. */
  left: readonly string[];
  unmet: readonly string[];
  /** A run made no request, although the baseline run makes some. */
  isCached: boolean;
  passedDead: readonly string[];
}

interface Planned {
  planned: readonly Pair[];
  left: readonly Pair[];
}

export class Measurement implements Search<ViolationResults> {
  baseline: SuiteBaseline | undefined;
  #made: ViolationRuns | undefined;
  readonly #parts: MeasurementParts;
  readonly #began: number;
  #passedDead: readonly string[] = [];
  #plan: Planned = { planned: [], left: [] };

  constructor(parts: MeasurementParts) {
    this.#parts = parts;
    this.#began = parts.clock.real();
  }

  async run(): Promise<void> {
    const { run, settings, signal, first } = this.#parts;
    const baseline = await this.#parts.baseline();
    this.baseline = baseline;
    if (signal.aborted) return;
    const passedDead = await measureNegativeControl(run, baseline);
    requireFailures(passedDead, baseline);
    this.#passedDead = passedDead;
    if (signal.aborted) return;
    this.#plan = this.#planOf(baseline, planPairs(baseline.units, settings, new Set(first)));
    const changes = planChanges(baseline.units, settings);
    const until = settings.budgetMs === 0 ? Number.POSITIVE_INFINITY : this.#began + settings.budgetMs;
    const jobs = this.#jobsFor(baseline.units);
    const parts = { ...this.#parts, baseline, jobs, until };
    this.#made = new ViolationRuns(parts, { violations: this.#plan.planned, changes });
    await this.#made.measure();
  }

  /** The page of the run of a violation that was replayed. */
  get trace(): ViolationRuns['trace'] {
    return this.#made?.trace;
  }

  get progress(): Search<ViolationResults>['progress'] {
    const done = new Set((this.#made?.rows ?? []).map(({ pair }) => pair.key)).size;
    return { done, planned: this.#plan.planned.length };
  }

  get results(): ViolationResults {
    const { baseline } = this;
    const run = this.#made;
    const { settings } = this.#parts;
    const sites = resultsOf(run?.rows ?? []);
    const left = [...this.#plan.left, ...(run?.untried.violations ?? []), ...(run?.untried.changes ?? [])];
    const met = new Set(baseline?.units.flatMap((unit) => unit.sites.map(({ violation }) => violation)));
    const unmet = VIOLATIONS.filter(({ name }) => settings.wants(name) && !met.has(name)).map(({ name }) => name);
    return {
      planned: this.#plan.planned.length,
      measured: sites.filter(isMeasured).length,
      runs: (baseline?.runs ?? 0) + (run?.runs ?? 0),
      sites,
      changes: resultsOf(run?.changes ?? []),
      left: left.map(({ key }) => key),
      unmet: settings.alone ? [] : unmet,
      isCached: sites.some(({ rows }) => rows.some((row) => row.isCached)),
      passedDead: this.#passedDead,
    };
  }

  #planOf({ units, runs }: SuiteBaseline, pairs: readonly Pair[]): Planned {
    const { settings, clock } = this.#parts;
    const jobs = this.#jobsFor(units);
    // Baseline runs are made next to each other after the first; one was made with the service dead.
    const made = 2 + Math.ceil((runs - 1) / jobs);
    const room = runsIn(settings.budgetMs, { elapsedMs: clock.real() - this.#began, made, jobs });
    const isPacked = units.some(({ isWhole }) => !isWhole) && settings.alone === undefined;
    return fitInto(ofShard(pairs, settings), { runs: room, isPacked });
  }

  #jobsFor(units: readonly Unit[]): number {
    return this.#parts.jobsFor(units.some(({ isWhole }) => !isWhole));
  }
}

function resultsOf(rows: readonly Row[]): SiteResult[] {
  return [...grouped(rows, ({ pair }) => pair.key)].flatMap(([key, own]): SiteResult[] => {
    const [first] = own;
    return first
      ? [{ key, name: first.pair.violation, site: first.pair.site, verdict: bestVerdict(own), rows: own }]
      : [];
  });
}

/** Whether it reached a test, and something can be said of it. */
export function isMeasured({ verdict }: Pick<SiteResult, 'verdict'>): boolean {
  return verdict === 'caught' || verdict === 'missed';
}
