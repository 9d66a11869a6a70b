import type { Run } from '../runner/runner.ts';
import type { Failed } from './confirm-finding.ts';
import type { Confirmations, SearchEnd } from './confirmations.ts';
import type { Failure, FindingBook } from './finding-book.ts';
import type { PackedRuns } from './packed-runs.ts';
import { isOutcome, type Schedule, type StepRegistry } from './schedule.ts';
import type { Trial, Trials } from './trials.ts';

/** How a schedule is explored. */
export interface HowExplored {
  /** What it came to in a run that carried others; a failure there that is new has to come again, alone. */
  packed?: Run | undefined;
  /** Runs that confirm it, under way already. */
  ahead?: readonly Promise<Trial>[];
}

interface PackedParts {
  runs: PackedRuns;
  trials: Trials;
  confirmations: Confirmations;
  book: FindingBook;
  end: SearchEnd;
  onSuspect: ((schedule: Schedule, failure: Failure) => void) | undefined;
  search: OneByOne;
}

/** What is done about one schedule. */
interface OneByOne {
  /** Runs it and keeps what it shows; answers whether it failed. */
  explore(registry: StepRegistry, schedule: Schedule, how: HowExplored): Promise<boolean>;
  /** Counts one that has failed. */
  count(schedule: Schedule): void;
  disclaim(schedule: Schedule): void;
}

/** Explores schedules of several tests in one run: one that fails so is run again, alone, and so is what that run does not show. */
export class PackedSearch {
  readonly #parts: PackedParts;
  #exploringEarly = Promise.resolve();

  constructor(parts: PackedParts) {
    this.#parts = parts;
  }

  get runs(): PackedRuns {
    return this.#parts.runs;
  }

  async explore(registry: StepRegistry, batch: readonly Schedule[]): Promise<void> {
    const { runs, end, search } = this.#parts;
    const early = new Map<Schedule, Promise<boolean>>();
    const onEnded = (schedule: Schedule, run: Run) => {
      if (early.has(schedule)) return;
      const explored = this.#exploreEarly(registry, schedule, run);
      explored.catch(() => undefined);
      early.set(schedule, explored);
    };
    const packed = await runs.run(registry, batch, { isOver: end.isOver, onEnded });
    for (const schedule of this.#passedFirst(batch, packed)) {
      const own = packed.get(schedule);
      if (await early.get(schedule)) continue;
      // What there was no time for has not been tried.
      if (schedule !== batch[0] && own === undefined && end.isOver()) search.disclaim(schedule);
      else await search.explore(registry, schedule, { packed: own });
    }
  }

  /** What has passed does not wait until what has failed is confirmed. */
  #passedFirst(batch: readonly Schedule[], packed: ReadonlyMap<Schedule, Run>): Schedule[] {
    const passes = (schedule: Schedule) => {
      const own = packed.get(schedule);
      return own !== undefined && this.runs.plainFailure(own, schedule) === undefined;
    };
    return batch.toSorted((a, b) => Number(passes(b)) - Number(passes(a)));
  }

  /**
   * What has plainly failed in a run of several schedules is run again before that run has ended; answers whether it was.
   * One after the other: the next one may only repeat a finding.
   */
  #exploreEarly(registry: StepRegistry, schedule: Schedule, run: Run): Promise<boolean> {
    const { runs, book, end, onSuspect } = this.#parts;
    const failure = runs.plainFailure(run, schedule);
    if (!failure) return Promise.resolve(false);
    const explored = this.#exploringEarly.then(async () => {
      if (end.isEnough() || book.has(schedule, [failure]) || !end.hasTime(1)) return false;
      onSuspect?.(schedule, failure);
      await this.exploreAlone(registry, schedule, { run, failure });
      return true;
    });
    const settled = () => undefined;
    this.#exploringEarly = explored.then(settled, settled);
    return explored;
  }

  /** What failed beside others and passes alone was disturbed by them. */
  async exploreAlone(registry: StepRegistry, schedule: Schedule, beside: Failed): Promise<boolean> {
    const { runs, trials, confirmations, end, search } = this.#parts;
    if (schedule.every(isOutcome)) trials.drop(schedule);
    if (!end.hasTime(1)) return this.#leave(schedule, beside);
    const ahead = confirmations.ahead(registry, schedule);
    const hasFailed = await search.explore(registry, schedule, { ahead }).catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
      return false;
    });
    await Promise.allSettled(ahead);
    // What was cut off, or kept from beginning, has shown nothing.
    if (!hasFailed && end.signal.aborted) return this.#leave(schedule, beside);
    if (!hasFailed) runs.disturbed(registry, schedule);
    return hasFailed;
  }

  async #leave(schedule: Schedule, failed: Failed): Promise<true> {
    this.#parts.search.count(schedule);
    await this.#parts.confirmations.leave(schedule, failed);
    return true;
  }
}
