import type { Clock } from '../base/clock/clock.ts';
import { BaselineRuns } from './baseline-runs.ts';
import { type SearchOptions, SearchRun } from './faults/search-run.ts';
import type { EngineResults } from './make-findings.ts';
import { Budget } from './runner/budget.ts';
import { RunFault, type Runner, type RunTrace } from './runner/runner.ts';
import type { SearchProgress } from './runner/search.ts';
import { UnevenRuns } from './runner/uneven-runs.ts';
import type { CheckSettings } from './settings.ts';
import { TestRuns } from './test-runs.ts';
import { type Replay, siteKey } from './token.ts';
import { type RunSuite, suiteOf } from './violations/measured-run.ts';
import { Measurement, type SiteResult } from './violations/measurement.ts';

export interface EngineOptions
  extends Pick<SearchOptions, 'onSuspect' | 'onConfirmed' | 'version' | 'mask' | 'signal'> {
  settings: CheckSettings;
  command: string;
  folder: string;
  saved: readonly Replay[];
  /** The number of parallel runs, for a suite that reports its tests and for one that does not. */
  jobs: { packed: number; whole: number };
  warn(message: string): void;
  onTrace?: ((trace: RunTrace) => void) | undefined;
  onProgress?: (progress: CheckProgress) => void;
}

const LEAST_BASELINE_RUNS = 2;
const USUAL_BASELINE_RUNS = 3;
/** New work begins only within this share of the budget, so that running work can still be confirmed. */
const BEGINS_WITHIN = 0.9;

export interface CheckProgress {
  /** From 0 to 1: the part of the plan that was tried. */
  share: number;
  runs: number;
  findings: number;
  elapsedMs: number;
}

type Question = 'faults' | 'violations';

export class CheckEngine {
  /** The reason why faults or violations were not tried. */
  readonly stopped: Partial<Record<Question, string>> = {};
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #runs: TestRuns;
  readonly #baseline: BaselineRuns;
  readonly #began: number;
  readonly #search: SearchRun | undefined;
  readonly #measurement: Measurement | undefined;
  readonly #prepared: Promise<void>;
  #isPrepared: () => void = () => {};
  #uneven: UnevenRuns | undefined;
  #confirmed = 0;

  constructor(options: EngineOptions, runner: Runner, clock: Clock) {
    const { settings, command: whole, folder } = options;
    this.#clock = clock;
    this.#options = options;
    this.#prepared = new Promise((resolve) => {
      this.#isPrepared = resolve;
    });
    this.#began = clock.real();
    const { signal, warn } = options;
    const { packed: jobs } = options.jobs;
    this.#runs = new TestRuns(runner, { clock, jobs, signal });
    const about = { clock, whole, folder };
    const onCrowded = (how: string) => this.#narrow(how);
    const budgetMs = this.#beginsWithinMs;
    this.#baseline = new BaselineRuns(this.#runs, { ...about, budgetMs, jobs, warn, onCrowded });
    const { selection, replay } = settings;
    const kind = replay?.scene.kind;
    if (replay ? kind === 'fault' : selection.wantsFaults) {
      this.#search = new SearchRun(this.#runs, this.#baseline, clock, this.#searchOptions());
    }
    if (replay ? kind === 'violation' || kind === 'change' : selection.wantsViolations) {
      this.#measurement = this.#measuring(suiteOf({ ...about, runner: this.#runs }));
    }
  }

  get seconds(): number {
    return (this.#clock.real() - this.#began) / 1000;
  }

  get runs(): number {
    return this.#sum('runs');
  }

  get trace(): RunTrace | undefined {
    return this.#measurement?.trace;
  }

  get outcome(): EngineResults {
    const faults = this.#search?.results;
    const hasSteps = faults !== undefined && faults.steps > 0 && this.stopped.faults === undefined;
    const isMeasured = this.#measurement?.baseline !== undefined && this.stopped.violations === undefined;
    return {
      ...(hasSteps && { faults }),
      ...(isMeasured && { violations: this.#measurement?.results }),
      ...(this.#baseline.spend && { spend: this.#baseline.spend }),
    };
  }

  isFixed({ scene }: Replay): boolean {
    if (scene.kind !== 'violation') return false;
    const sites: readonly SiteResult[] = this.#measurement?.results.sites ?? [];
    return sites.some(({ name, site, verdict }) => verdict === 'caught' && name === scene.name && site === scene.site);
  }

  /** Throws `RunFault` if the command itself prevents the runs. */
  async run(): Promise<void> {
    const works = [
      this.#attempt('faults', async () => this.#search?.run()),
      this.#attempt('violations', async () => {
        await this.#prepared;
        if (!this.#fault) await this.#measurement?.run();
      }),
    ];
    if (!this.#search && !this.#measurement) works.push(this.#baseline.suite(1).then(() => undefined));
    const ends = await Promise.allSettled(works);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  get #fault(): RunFault | undefined {
    return this.#uneven ?? this.#baseline.fault();
  }

  /** A stopped search does not stop the other one, unless the command itself is the reason. */
  async #attempt(question: Question, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#options.signal.aborted) return;
      if (!(error instanceof RunFault)) throw error;
      // The results of the faults stay, because their own baseline runs were equal.
      if (error instanceof UnevenRuns && !this.#search?.results.steps) this.#uneven = error;
      const fault = this.#fault;
      if (fault) throw fault;
      if (!this.#search || !this.#measurement) throw error;
      this.stopped[question] = error.message;
    } finally {
      if (question === 'faults') this.#isPrepared();
    }
  }

  #narrow(how: string): void {
    this.#runs.narrow();
    this.#options.warn(
      `Two runs at once interfere, so one runs at a time: ${how} Give each run its own port, files and database to run them in parallel.`,
    );
  }

  get #beginsWithinMs(): number {
    return this.#options.settings.budgetMs * BEGINS_WITHIN;
  }

  #searchOptions(): SearchOptions {
    const { settings, version, signal, mask, saved, jobs, onSuspect, onConfirmed, onTrace } = this.#options;
    const { selection, seed, shard, replay } = settings;
    const search = { wants: (name: string) => selection.wants(name), kills: this.#runs.hasApp, seed };
    return {
      ...{ search, shard, version, signal, mask, onSuspect },
      budgetMs: this.#beginsWithinMs,
      jobs: jobs.packed === 1 ? 1 : jobs.packed + 2,
      saved: saved.flatMap(({ scene }) => (scene.kind === 'fault' ? [scene.faults] : [])),
      replay: replay?.scene.kind === 'fault' ? replay.scene : undefined,
      onPrepared: () => this.#isPrepared(),
      onChange: () => this.#show(),
      onConfirmed: (finding) => {
        this.#confirmed += 1;
        onConfirmed?.(finding);
      },
      keepTrace: onTrace && ((_, trace) => onTrace(trace)),
    };
  }

  #measuring(suite: RunSuite): Measurement {
    const { settings, saved, signal } = this.#options;
    const { selection, seed, shard, replay } = settings;
    const scene = replay?.scene;
    const alone = scene?.kind === 'violation' || scene?.kind === 'change' ? scene : undefined;
    const least = this.#search ? LEAST_BASELINE_RUNS : USUAL_BASELINE_RUNS;
    return new Measurement({
      run: suite,
      baseline: () => this.#baseline.suite(least),
      budget: new Budget(this.#clock, { budgetMs: this.#beginsWithinMs, signal }),
      settings: { wants: (name) => selection.wants(name), alone, seed, shard },
      first: saved.flatMap(({ scene: each }) => (each.kind === 'violation' ? [siteKey(each.name, each.site)] : [])),
      jobsFor: (reportsTests) => this.#jobsFor(reportsTests),
      onChange: () => this.#show(),
    });
  }

  #jobsFor(reportsTests: boolean): number {
    const { jobs } = this.#options;
    if (this.#runs.isNarrow) return 1;
    return reportsTests || (this.#search?.results.steps ?? 0) > 0 ? jobs.packed : jobs.whole;
  }

  #show(): void {
    this.#options.onProgress?.({
      share: this.#sum('done') / Math.max(1, this.#sum('planned')),
      runs: this.runs,
      findings: Math.max(this.#search?.results.findings.length ?? 0, this.#confirmed),
      elapsedMs: this.#clock.real() - this.#began,
    });
  }

  #sum(of: keyof SearchProgress): number {
    return (this.#search?.progress[of] ?? 0) + (this.#measurement?.progress[of] ?? 0);
  }
}
