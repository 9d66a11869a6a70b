import { type Failure, isOfEnd, isSameWay, type Judgement, judge, type Reference } from './oracles.ts';
import type { PlainRuns } from './plain-runs.ts';
import type { Failed } from './regression-test.ts';
import type { Run } from '../runs/run-record.ts';
import type { Runner, TraceHeading } from '../runs/runner.ts';
import { keyOf, type Schedule, type StepBook } from './schedule.ts';
import { type IsSought, shrink } from './shrink.ts';
import type { StepRegistry } from './step-registry.ts';
import type { Rank } from '../runs/paced-runner.ts';

/** How many smaller forms of a failing schedule are run at the same time, where so many stories go on at once. */
const ABREAST = 8;

export interface ConfirmOptions {
  book: StepBook;
  attempt(schedule: Schedule): Promise<Trial>;
  isSought: IsSought;
  /** Stories at the same time. */
  jobs: number;
  /** Whether there is no time for more runs. */
  isOver(): boolean;
}

/** What became of a schedule that failed once. */
export interface Confirmed {
  /** Of how many runs, the first one among them. */
  failed: number;
  of: number;
  /** The smallest form that still fails in the same way, and how it fails. */
  schedule: Schedule;
  failure: Failed;
}

/** Runs a schedule that has failed twice more and, where it fails each time, looks for its smallest form. */
export async function confirmFailure(
  schedule: Schedule,
  first: Failed,
  { book, attempt, isSought, jobs, isOver }: ConfirmOptions,
): Promise<Confirmed> {
  const failing = new Map([[keyOf(schedule), first]]);
  let isUnstable = false;
  const again = async (each: Schedule) => {
    const trials = jobs > 1 ? await Promise.all([attempt(each), attempt(each)]) : [await attempt(each)];
    if (jobs === 1 && !isOver()) trials.push(await attempt(each));
    return trials;
  };
  const failureOf = ({ failures }: Trial) => failures.find((failure) => isSameWay(failure, first.failure));
  const fails = async (smaller: Schedule) => {
    if (isUnstable || isOver()) return false;
    const trial = await attempt(smaller);
    const failure = failureOf(trial);
    if (!failure || isOver()) return false;
    // What fails now and then is no smaller form of what fails each time.
    const more = await again(smaller);
    if (more.length < 2 || !more.every(failureOf)) return false;
    failing.set(keyOf(smaller), { run: trial.run, failure });
    return true;
  };
  const look = () => shrink(schedule, { book, fails, isSought, abreast: Math.min(jobs, ABREAST) });
  // A story that waits in vain takes its time: all at once, where there is room.
  const together = jobs > ABREAST ? look() : undefined;
  // A failure reaches the caller through the promise, unless a run beside it has failed before.
  together?.catch(() => undefined);
  const confirmed = await again(schedule);
  const of = 1 + confirmed.length;
  const failed = 1 + confirmed.filter(({ failures }) => failures.length > 0).length;
  isUnstable = failed < of;
  const best = (isUnstable || of < 3 ? undefined : await (together ?? look())) ?? schedule;
  await together;
  return { failed, of, schedule: best, failure: failing.get(keyOf(best)) ?? first };
}

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
  /** It has failed before: a failure while the machine stalled, or in an unusual order, is checked again. */
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
    // A failure of a stalled machine is checked again, with few runs beside it.
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
