import type { Run } from '../runs/runner.ts';
import { type Deviation, milder } from './deviation-table.ts';
import { drawRun, pairTrails, trailOf } from './draw-run.ts';
import { type Failure, type Finding, isSameWay } from './finding-book.ts';
import type { PlainRuns } from './plain-runs.ts';
import { readSteps } from './read-steps.ts';
import { deviationOf, type Entry, isAllowed, isOutcome, keyOf, type Schedule, type StepBook } from './schedule.ts';
import { numberIn, type Step, storyMark, withoutNumber } from './step.ts';
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

/** Whether a schedule still fails in the same way. */
type StillFails = (schedule: Schedule) => Promise<boolean>;

/** Whether a search tries a deviation at a step: what it leaves out is no smaller form either. */
export type IsSought = (deviation: Deviation, step: Step) => boolean;

interface ShrinkOptions {
  book: StepBook;
  fails: StillFails;
  isSought: IsSought;
  /** How many smaller forms are run at most. */
  attempts?: number;
  /** How many of them at the same time: a story that waits in vain takes its time. */
  abreast?: number;
}

/**
 * The smallest form of a schedule that fails: no entry can be left out, none made milder, none moved to an earlier step
 * of the same name. After `attempts` tries the smallest so far is the answer, which does not depend on how
 * many are run abreast as long as it does not end.
 */
export async function shrink(
  failing: Schedule,
  { book, fails, isSought, attempts = 60, abreast = 1 }: ShrinkOptions,
): Promise<Schedule> {
  const tried = new Set([keyOf(failing)]);
  let best = failing;
  for (let left = attempts; left > 0; ) {
    const untried = smaller(best, book, isSought).filter((each) => !tried.has(keyOf(each)));
    const batch = untried.slice(0, Math.min(left, abreast));
    if (batch.length === 0) return best;
    left -= batch.length;
    const ends = await Promise.all(batch.map(fails));
    const first = ends.indexOf(true);
    // Those after the first were not asked for yet.
    for (const each of first === -1 ? batch : batch.slice(0, first + 1)) tried.add(keyOf(each));
    best = batch[first] ?? best;
  }
  return best;
}

/** Every form one step smaller, the most that is won first. */
export function smaller(schedule: Schedule, book: StepBook, isSought: IsSought): Schedule[] {
  const shorter = schedule.map((_, at) => schedule.toSpliced(at, 1));
  const changed = schedule.flatMap((entry, at) =>
    [...milderEntries(entry, book, isSought), ...earlierEntries(entry, book)].map((other) => schedule.with(at, other)),
  );
  return [...shorter, ...changed].filter((each) => each.length > 0 && isRunnable(each, book));
}

/** A step that only a deviation brings about is not in the book, and stays as it is. */
function isRunnable(schedule: Schedule, book: StepBook): boolean {
  return isAllowed(
    schedule.filter(({ step }) => book.has(step)),
    book,
  );
}

function milderEntries(entry: Entry, book: StepBook, isSought: IsSought): Entry[] {
  const step = book.get(entry.step);
  const deviation = deviationOf(entry, book);
  if (!step || !deviation) return [];
  return milder(deviation, step)
    .filter((other) => isSought(other, step))
    .map(({ name }) => ({ ...entry, deviation: name }));
}

function earlierEntries(entry: Entry, book: StepBook): Entry[] {
  const name = withoutNumber(entry.step);
  const number = numberIn(entry.step);
  return [...book.keys()]
    .filter((each) => withoutNumber(each) === name && numberIn(each) < number)
    .sort((a, b) => numberIn(a) - numberIn(b))
    .map((step) => ({ ...entry, step }));
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
