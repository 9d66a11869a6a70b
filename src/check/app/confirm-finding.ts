import type { Run, TraceHeading } from '../runner/runner.ts';
import { drawRun, firstDeviation } from './draw-run.ts';
import { type Failure, type Finding, isSameWay } from './finding-book.ts';
import { pairTrails, trailOf } from './pair-trails.ts';
import type { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { isOutcome, keyOf, type Schedule, type StepBook, titleOf, wordsOf } from './schedule.ts';
import { type IsSought, shrink } from './shrink-schedule.ts';
import { storyMark } from './step.ts';
import { writeToken } from './token.ts';
import type { Trial, Trials } from './trials.ts';

/** How many smaller forms of a failing schedule are run at the same time, where so many stories go on at once. */
const ABREAST = 8;

interface ConfirmOptions {
  book: StepBook;
  attempt(schedule: Schedule): Promise<Trial>;
  isSought: IsSought;
  /** Stories at the same time. */
  jobs: number;
  /** Whether there is no time for more runs. */
  isOver(): boolean;
}

/** What became of a schedule that failed once. */
interface Confirmed {
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

/** A run that failed, and why. */
export interface Failed {
  run: Run;
  failure: Failure;
}

interface ReportParts {
  version: string;
  seed: number;
  plain: PlainRuns;
  trials: Trials;
}

/** A failing run as a finding: with its token, its trail, and the undisturbed run of the same outcome beside it. */
export async function reportFinding(
  schedule: Schedule,
  { run, failure }: Failed,
  { version, seed, plain, trials }: ReportParts,
): Promise<Finding> {
  const token = writeToken({ version, seed, story: storyMark(plain.registry?.plain ?? []), schedule });
  const { steps } = readSteps(run.record, plain.numbering);
  const trail = trailOf(run);
  const usual = await trials.usual(schedule.filter(isOutcome));
  const pairs = usual ? pairTrails(trail, trailOf(usual)) : [];
  const drawn = { trail, pairs, drawing: drawRun(run, schedule, steps) };
  return { token, schedule, ...failure, seen: 1, output: run.output.slice(-2000), ...drawn };
}

/** What the trace of a finding says above its run, which opens where the first deviation was at work. */
export function traceHeading({ schedule, kind, message }: Finding, { numbering }: PlainRuns): TraceHeading {
  return {
    title: titleOf(schedule).slice(0, 500),
    failure: `${kind}: ${message}`.slice(0, 10_000),
    schedule: schedule.map((entry) => wordsOf(entry).slice(0, 1000)),
    openAt: (record) => firstDeviation(record, schedule, readSteps(record, numbering).steps),
  };
}
