import { grouped } from '../../base/text.ts';
import { VIOLATIONS } from '../../control/violations/violation-table.ts';
import type { Budget } from '../runner/budget.ts';
import { type CheckSearch, countByName, ofShard, type SearchProgress, type SearchResults } from '../runner/search.ts';
import { type AttemptVerdict, bestVerdict, type JudgedAttempt } from './judge-attempt.ts';
import type { RunSuite } from './measured-run.ts';
import { fitInto, type MeasureSettings, type Pair, type PlannedTest, planChanges, planPairs, runsIn } from './plan.ts';
import { measureNegativeControl, requireFailures, type SuiteBaseline } from './suite-baseline.ts';
import { ViolationRuns } from './violation-runs.ts';

export interface MeasurementParts {
  run: RunSuite;
  baseline(): Promise<SuiteBaseline>;
  settings: MeasureSettings;
  jobsFor(reportsTests: boolean): number;
  first: readonly string[];
  budget: Budget;
  onChange(): void;
}

export interface SiteResult {
  key: string;
  name: string;
  site: string;
  verdict: AttemptVerdict;
  rows: readonly JudgedAttempt[];
}

export interface ViolationResults extends SearchResults {
  sites: readonly SiteResult[];
  changes: readonly SiteResult[];
  unmet: readonly string[];
  /** A run made no request, although the baseline run makes some. */
  isCached: boolean;
  passedDead: readonly string[];
}

interface Planned {
  planned: readonly Pair[];
  left: readonly Pair[];
}

export class Measurement implements CheckSearch<ViolationResults> {
  baseline: SuiteBaseline | undefined;
  #made: ViolationRuns | undefined;
  readonly #parts: MeasurementParts;
  #passedDead: readonly string[] = [];
  #plan: Planned = { planned: [], left: [] };

  constructor(parts: MeasurementParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { run, settings, budget, first } = this.#parts;
    const { signal } = budget;
    const baseline = await this.#parts.baseline();
    this.baseline = baseline;
    if (signal.aborted) return;
    const passedDead = await measureNegativeControl(run, baseline);
    requireFailures(passedDead, baseline);
    this.#passedDead = passedDead;
    if (signal.aborted) return;
    this.#plan = this.#planOf(baseline, planPairs(baseline.tests, settings, new Set(first)));
    const changes = planChanges(baseline.tests, settings);
    const jobs = this.#jobsFor(baseline.tests);
    const parts = { ...this.#parts, baseline, jobs };
    this.#made = new ViolationRuns(parts, { violations: this.#plan.planned, changes });
    await this.#made.measure();
  }

  /** The trace page of a replayed violation. */
  get trace(): ViolationRuns['trace'] {
    return this.#made?.trace;
  }

  get progress(): SearchProgress {
    const done = new Set((this.#made?.rows ?? []).map(({ pair }) => pair.key)).size;
    return { done, planned: this.#plan.planned.length, runs: (this.baseline?.runs ?? 0) + (this.#made?.runs ?? 0) };
  }

  get results(): ViolationResults {
    const { baseline } = this;
    const run = this.#made;
    const { settings } = this.#parts;
    const sites = resultsOf(run?.rows ?? []);
    const changes = resultsOf(run?.changes ?? []);
    const untried = run?.untried ?? { violations: [], changes: [] };
    const met = new Set(baseline?.tests.flatMap((test) => test.sites.map(({ violation }) => violation)));
    const judgedOf = (all: readonly SiteResult[], good: AttemptVerdict) =>
      all.filter(isMeasured).map(({ name, verdict }) => ({ name, isGood: verdict === good }));
    const judged = [...judgedOf(sites, 'caught'), ...judgedOf(changes, 'missed')];
    const left = [...this.#plan.left, ...untried.violations, ...untried.changes].map(({ violation: name }) => ({
      name,
    }));
    const unmet = VIOLATIONS.filter(({ name }) => settings.wants(name) && !met.has(name)).map(({ name }) => name);
    return {
      planned: this.#plan.planned.length + changes.filter(isMeasured).length + untried.changes.length,
      judged: judged.length,
      tried: countByName(
        [...judged, ...left].map(({ name }) => name),
        judged,
      ),
      runs: this.progress.runs,
      sites,
      changes,
      unmet: settings.alone ? [] : unmet,
      isCached: sites.some(({ rows }) => rows.some((row) => row.isCached)),
      passedDead: this.#passedDead,
    };
  }

  #planOf({ tests, runs }: SuiteBaseline, pairs: readonly Pair[]): Planned {
    const { settings, budget } = this.#parts;
    const jobs = this.#jobsFor(tests);
    // After the first baseline run the others run in parallel. One more run has the service dead.
    const made = 2 + Math.ceil((runs - 1) / jobs);
    const room = runsIn(budget, { made, jobs });
    const isPacked = tests.some(({ isWhole }) => !isWhole) && settings.alone === undefined;
    return fitInto(ofShard(pairs, settings.shard), { runs: room, isPacked });
  }

  #jobsFor(tests: readonly PlannedTest[]): number {
    return this.#parts.jobsFor(tests.some(({ isWhole }) => !isWhole));
  }
}

function resultsOf(rows: readonly JudgedAttempt[]): SiteResult[] {
  return [...grouped(rows, ({ pair }) => pair.key)].flatMap(([key, own]): SiteResult[] => {
    const [first] = own;
    return first
      ? [{ key, name: first.pair.violation, site: first.pair.site, verdict: bestVerdict(own), rows: own }]
      : [];
  });
}

export function isMeasured({ verdict }: Pick<SiteResult, 'verdict'>): boolean {
  return verdict === 'caught' || verdict === 'missed';
}
