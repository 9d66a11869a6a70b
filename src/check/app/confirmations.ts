import type { RunTrace } from '../runner/runner.ts';
import { confirmFailure, type Failed, RUNS, reportFinding, traceHeading } from './confirm-finding.ts';
import type { Finding, FindingBook } from './finding-book.ts';
import type { PackedRuns } from './packed-runs.ts';
import type { PlainRuns } from './plain-runs.ts';
import type { Schedule, StepRegistry } from './schedule.ts';
import { isSearched, type Search } from './search-order.ts';
import type { Trial, Trials } from './trials.ts';

/** The options of a search that concern what it finds. */
export interface ConfirmationOptions {
  search: Search;
  version: string;
  /** Stories at the same time. */
  jobs: number;
  signal: AbortSignal;
  /** Called with what has failed each of three times: there may be a smaller form of it. */
  onConfirmed?: (finding: Finding) => void;
  /** Given the trace of each finding: of one more run of its schedule, while there is time. */
  keepTrace?: (finding: Finding, trace: RunTrace) => void;
}

/** What ends a search. */
export interface SearchEnd {
  signal: AbortSignal;
  /** Whether so many runs, one after the other, end in time: none does once something has ended it. */
  hasTime(runs: number): boolean;
  /** Whether its time is over, or something has ended it. */
  isOver(): boolean;
  /** Whether it has found enough. */
  isEnough(): boolean;
}

interface ConfirmationParts {
  options: ConfirmationOptions;
  plain: PlainRuns;
  trials: Trials;
  book: FindingBook;
  /** Ends runs that have shown that they fail; undefined for a suite whose tests are not reported. */
  packed(): PackedRuns | undefined;
  end: SearchEnd;
  /** A schedule that passed when it was tried is no smaller form of anything. */
  hasPassed(schedule: Schedule): boolean;
}

/** What failed once becomes a finding, or is known not to be one; for what time is left. */
export class Confirmations {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  /** Runs that confirm a failure, started before the first of them has failed: none where only one runs at a time, or time is short. */
  ahead(registry: StepRegistry, schedule: Schedule): Promise<Trial>[] {
    const { options, end } = this.#parts;
    if (options.jobs === 1 || !end.hasTime(1)) return [];
    const trials = [this.#attempt(registry, schedule, true), this.#attempt(registry, schedule, true)];
    // They may be of no use, and their failure of no matter.
    for (const trial of trials) trial.catch(() => undefined);
    return trials;
  }

  /** A schedule that fails is run again twice; three failures are a finding. */
  async confirm(
    registry: StepRegistry,
    schedule: Schedule,
    first: Failed,
    ahead: readonly Promise<Trial>[] = [],
  ): Promise<void> {
    const { options, book, end, hasPassed } = this.#parts;
    const { search, jobs, onConfirmed } = options;
    const confirmed = await confirmFailure(schedule, first, {
      ...{ book: registry.book(schedule), ahead, jobs },
      attempt: (each) => this.#attempt(registry, each, each === schedule),
      isSought: (deviation, step) => isSearched(deviation, search, step),
      hasPassed,
      hasTime: (runs) => !end.isEnough() && end.hasTime(runs),
      onConfirmed: async () => onConfirmed?.(await this.report(schedule, first)),
    }).catch((error: unknown) => {
      // A run that waited for its turn when the search was ended has not begun.
      if (!options.signal.aborted) throw error;
      return undefined;
    });
    if (!confirmed || confirmed.of < RUNS || options.signal.aborted) {
      return end.isEnough() ? undefined : this.leave(schedule, first);
    }
    const { failed, of, failure } = confirmed;
    if (failed < of) {
      const differed = `It failed ${failed} of ${of} times: ${first.failure.message}`;
      book.addUnstable({ ...(await this.report(schedule, first)), failed, differed });
      return;
    }
    // Another lane may have come to it in the meantime.
    if (book.repeats(schedule, [first.failure])) return;
    const finding = await this.report(confirmed.schedule, failure);
    if (book.add(finding) === finding && end.hasTime(1)) await this.trace(registry, finding);
  }

  /** There was no time to confirm what failed once. */
  async leave(schedule: Schedule, first: Failed): Promise<void> {
    const { book } = this.#parts;
    if (!book.has(schedule, [first.failure])) book.addUnconfirmed(await this.report(schedule, first));
  }

  /** Has the trace of a finding kept, where one is asked for. */
  async trace(registry: StepRegistry, finding: Finding): Promise<void> {
    const { options, plain, trials } = this.#parts;
    const { keepTrace, signal } = options;
    if (!keepTrace || signal.aborted) return;
    const { run, failures } = await trials.of(registry, finding.schedule, { trace: traceHeading(finding, plain) });
    if (run.trace && failures.length > 0) keepTrace(finding, run.trace);
  }

  report(schedule: Schedule, failed: Failed): Promise<Finding> {
    const { options, plain, trials } = this.#parts;
    const { search, version } = options;
    return reportFinding(schedule, failed, { version, seed: search.seed, plain, trials });
  }

  /** What was ended by the signal has shown nothing. */
  async #attempt(registry: StepRegistry, schedule: Schedule, isUrgent: boolean): Promise<Trial> {
    const packed = isUrgent ? this.#parts.packed() : undefined;
    const trial = await this.#parts.trials.of(registry, schedule, { isUrgent, packed });
    return this.#parts.options.signal.aborted ? { ...trial, failures: [] } : trial;
  }
}
