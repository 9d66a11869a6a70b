import type { Clock } from '../base/clock/clock.ts';
import { BaselineRuns } from './baseline-runs.ts';
import { type SearchOptions, SearchRun } from './faults/search-run.ts';
import type { EngineResults } from './make-findings.ts';
import { RunFault, type Runner, type RunTrace } from './runner/runner.ts';
import { UnevenRuns } from './runner/uneven-runs.ts';
import type { CheckSettings } from './settings.ts';
import { TestRuns } from './test-runs.ts';
import type { Replay } from './token.ts';

export interface EngineOptions
  extends Pick<SearchOptions, 'onSuspect' | 'onConfirmed' | 'version' | 'mask' | 'signal'> {
  settings: CheckSettings;
  saved: readonly Replay[];
  /** The number of parallel runs. */
  jobs: number;
  warn(message: string): void;
  onTrace?: ((trace: RunTrace) => void) | undefined;
  onProgress?: (progress: CheckProgress) => void;
}

/** New work begins only within this share of the budget, so that running work can still be confirmed. */
const BEGINS_WITHIN = 0.9;

export interface CheckProgress {
  /** From 0 to 1: the part of the plan that was tried. */
  share: number;
  runs: number;
  findings: number;
  elapsedMs: number;
}

export class CheckEngine {
  /** The reason why nothing was tried. */
  stopped: string | undefined;
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #runs: TestRuns;
  readonly #baseline: BaselineRuns;
  readonly #began: number;
  readonly #search: SearchRun | undefined;
  #confirmed = 0;

  constructor(options: EngineOptions, runner: Runner, clock: Clock) {
    const { settings, signal, warn, jobs } = options;
    this.#clock = clock;
    this.#options = options;
    this.#began = clock.real();
    this.#runs = new TestRuns(runner, { clock, jobs, signal });
    const onCrowded = (how: string) => this.#narrow(how);
    this.#baseline = new BaselineRuns(this.#runs, { clock, budgetMs: this.#beginsWithinMs, jobs, warn, onCrowded });
    const { selection, replay } = settings;
    if (replay ? replay.scene.kind === 'fault' : selection.wantsFaults) {
      this.#search = new SearchRun(this.#runs, this.#baseline, clock, this.#searchOptions());
    }
  }

  get seconds(): number {
    return (this.#clock.real() - this.#began) / 1000;
  }

  get runs(): number {
    return this.#search?.progress.runs ?? 0;
  }

  get outcome(): EngineResults {
    const faults = this.#search?.results;
    const hasSteps = faults !== undefined && faults.steps > 0 && this.stopped === undefined;
    return { ...(hasSteps && { faults }), ...(this.#baseline.spend && { spend: this.#baseline.spend }) };
  }

  /** Throws `RunFault` if the command itself prevents the runs. */
  async run(): Promise<void> {
    try {
      await (this.#search ? this.#search.run() : this.#baseline.measureSpend());
    } catch (error) {
      if (this.#options.signal.aborted) return;
      if (!(error instanceof RunFault)) throw error;
      // The results of the faults stay, because their own baseline runs were equal.
      if (error instanceof UnevenRuns && this.#search?.results.steps) return;
      this.stopped = error.message;
      throw error;
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
      jobs: jobs === 1 ? 1 : jobs + 2,
      saved: saved.flatMap(({ scene }) => (scene.kind === 'fault' ? [scene.faults] : [])),
      replay: replay?.scene.kind === 'fault' ? replay.scene : undefined,
      onChange: () => this.#show(),
      onConfirmed: (finding) => {
        this.#confirmed += 1;
        onConfirmed?.(finding);
      },
      keepTrace: onTrace && ((_, trace) => onTrace(trace)),
    };
  }

  #show(): void {
    const { done = 0, planned = 0 } = this.#search?.progress ?? {};
    this.#options.onProgress?.({
      share: done / Math.max(1, planned),
      runs: this.runs,
      findings: Math.max(this.#search?.results.findings.length ?? 0, this.#confirmed),
      elapsedMs: this.#clock.real() - this.#began,
    });
  }
}
