import { type Failure, isOfEnd, type Judgement, judge, type Reference } from './oracles.ts';
import type { PlainRuns } from './plain-runs.ts';
import type { Run } from './run-record.ts';
import type { Runner, TraceHeading } from './runner.ts';
import type { Schedule } from './schedule.ts';
import type { StepRegistry } from './step-registry.ts';
import type { Rank } from './story-pace.ts';

/** What one run of a schedule came to. */
export interface Trial {
  run: Run;
  failures: Failure[];
}

export interface TrialOptions {
  trace?: TraceHeading;
  /** A run of the schedule that was made already. */
  known?: Run | undefined;
  rank?: Rank;
  /** It has failed before: what stands where the machine stands still, or in another order than usual, is looked at again. */
  insists?: boolean;
  /** Whether nothing comes of a failure, which then need not be looked at again. */
  isIdle?(failures: readonly Failure[]): boolean;
}

/** How often what came in another order is looked at again: parallel requests may do so at any time. */
const LOOKS = 3;

/** Runs schedules, and judges them by what undisturbed runs of their outcome come to. */
export class Trials {
  readonly #runner: Runner;
  readonly #plain: PlainRuns;
  readonly #judgement: Omit<Judgement, 'reference' | 'hasApp'>;

  constructor(runner: Runner, plain: PlainRuns, judgement: Omit<Judgement, 'reference' | 'hasApp'>) {
    this.#runner = runner;
    this.#plain = plain;
    this.#judgement = judgement;
  }

  async of(registry: StepRegistry, schedule: Schedule, options: TrialOptions = {}): Promise<Trial> {
    const { trace, known, rank = 'next', insists = false, isIdle } = options;
    const order = { ...registry.order(schedule), limitMs: this.#plain.limitMs, trace };
    const look = async (at: Rank) => this.#judged(await this.#runner.run({ ...order, rank: at }), schedule);
    let trial = known ? await this.#judged(known, schedule) : await look(rank);
    const isTold = trial.failures.length > 0 || insists;
    // What comes of a machine that stands still is looked at again, with few beside it.
    if (isTold && this.#plain.isStarved(trial.run) && !isIdle?.(trial.failures)) trial = await look('calm');
    for (let left = LOOKS; insists && left > 0 && this.#standsInOtherOrder(trial); left -= 1)
      trial = await look('calm');
    return trial;
  }

  #standsInOtherOrder({ run, failures }: Trial): boolean {
    return failures.length === 0 && this.#plain.isOtherOrder(run);
  }

  async #judged(run: Run, schedule: Schedule): Promise<Trial> {
    const { hasApp } = this.#runner;
    const judged = (reference: Reference) => judge(run, schedule, { ...this.#judgement, reference, hasApp });
    const explains = (reference: Reference) => !judged(reference).some(({ kind }) => isOfEnd(kind));
    return { run, failures: judged(await this.#plain.reference(schedule, explains)) };
  }
}
