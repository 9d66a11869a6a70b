import { keyOf, type Schedule, type StepBook } from './schedule.ts';
import { shrink } from './shrink.ts';
import type { Failed } from './tell-finding.ts';
import type { Trial } from './trials.ts';

/** How many smaller forms of a failing schedule are run at the same time, where so many stories go on at once. */
const ABREAST = 8;

export interface ConfirmOptions {
  book: StepBook;
  attempt(schedule: Schedule): Promise<Trial>;
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
  { book, attempt, jobs, isOver }: ConfirmOptions,
): Promise<Confirmed> {
  const failing = new Map([[keyOf(schedule), first]]);
  let isUnstable = false;
  const fails = async (smaller: Schedule) => {
    if (isUnstable || isOver()) return false;
    const { failures, run } = await attempt(smaller);
    const failure = failures.find(({ kind }) => kind === first.failure.kind);
    if (failure) failing.set(keyOf(smaller), { run, failure });
    return failure !== undefined;
  };
  const look = () => shrink(schedule, { book, fails, abreast: Math.min(jobs, ABREAST) });
  // A story that waits in vain takes its time: all at once, where there is room.
  const together = jobs > ABREAST ? look() : undefined;
  // Whoever waits for it hears of what went wrong, unless a run beside it has failed before.
  together?.catch(() => undefined);
  const again = jobs > 1 ? await Promise.all([attempt(schedule), attempt(schedule)]) : [await attempt(schedule)];
  if (jobs === 1 && !isOver()) again.push(await attempt(schedule));
  const failed = 1 + again.filter(({ failures }) => failures.length > 0).length;
  isUnstable = failed < 1 + again.length;
  const best = (isUnstable || again.length < 2 ? undefined : await (together ?? look())) ?? schedule;
  await together;
  return { failed, of: 1 + again.length, schedule: best, failure: failing.get(keyOf(best)) ?? first };
}
