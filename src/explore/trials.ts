import { type Failure, isOfEnd, type Judgement, judge, type Reference } from './oracles.ts';
import type { PlainRuns } from './plain-runs.ts';
import type { Run } from './run-record.ts';
import type { Schedule } from './schedule.ts';
import type { StepAtlas } from './step-atlas.ts';
import type { Rank } from './story-pace.ts';
import type { TraceHeading, World } from './world.ts';

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
  /** Whether what stands where the machine stands still is looked at again too: it has failed before. */
  insists?: boolean;
  /** Whether nothing comes of a failure, which then need not be looked at again. */
  isIdle?(failures: readonly Failure[]): boolean;
}

/** Runs schedules, and judges them by what undisturbed runs of their outcome come to. */
export class Trials {
  readonly #world: World;
  readonly #plain: PlainRuns;
  readonly #judgement: Omit<Judgement, 'reference' | 'hasApp'>;

  constructor(world: World, plain: PlainRuns, judgement: Omit<Judgement, 'reference' | 'hasApp'>) {
    this.#world = world;
    this.#plain = plain;
    this.#judgement = judgement;
  }

  async of(atlas: StepAtlas, schedule: Schedule, options: TrialOptions = {}): Promise<Trial> {
    const { trace, known, rank = 'next', insists = false, isIdle } = options;
    const order = { ...atlas.order(schedule), limitMs: this.#plain.limitMs, trace };
    const run = known ?? (await this.#world.run({ ...order, rank }));
    const failures = await this.#judged(run, schedule);
    const isTold = failures.length > 0 || insists;
    if (!isTold || !this.#plain.isStarved(run) || isIdle?.(failures)) return { run, failures };
    // What fails where the machine stands still is looked at again, with few beside it.
    const calm = await this.#world.run({ ...order, rank: 'calm' });
    return { run: calm, failures: await this.#judged(calm, schedule) };
  }

  async #judged(run: Run, schedule: Schedule): Promise<Failure[]> {
    const { hasApp } = this.#world;
    const judged = (reference: Reference) => judge(run, schedule, { ...this.#judgement, reference, hasApp });
    const explains = (reference: Reference) => !judged(reference).some(({ kind }) => isOfEnd(kind));
    return judged(await this.#plain.reference(schedule, explains));
  }
}
