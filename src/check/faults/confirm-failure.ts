import type { BaselineRuns } from '../baseline-runs.ts';
import type { RunTrace } from '../runner/runner.ts';
import { type Deviation, deviationAt } from './deviation-table.ts';
import { type Failed, type FaultFinding, type FindingBook, isSameWay } from './finding-book.ts';
import type { PackedRuns } from './packed-runs.ts';
import { type ReportParts, reportFinding, traceHeading } from './report-finding.ts';
import { deviationOf, type Entry, isAllowed, keyOf, type Schedule, type StepBook } from './schedule.ts';
import { isSearched, type Search, type SearchEnd } from './search-order.ts';
import { numberIn, type Step, withoutNumber } from './step.ts';
import type { Trial, Trials } from './trials.ts';

/** The options of a search that concern what it finds. */
export interface ConfirmationOptions extends Pick<ReportParts, 'version' | 'mask'> {
  search: Search;
  /** Runs at the same time. */
  jobs: number;
  signal: AbortSignal;
  /** Called with what has failed each of three times: of one deviation at once, though there may be a milder form of it. */
  onConfirmed?: (finding: FaultFinding) => void;
  /** Given the trace of each finding: of one more run of its schedule, while there is time. */
  keepTrace?: (finding: FaultFinding, trace: RunTrace) => void;
}

/** The parts of a search that confirm what it finds. */
interface ConfirmationParts {
  options: ConfirmationOptions;
  plain: BaselineRuns;
  trials: Trials;
  /** Ends runs that have shown that they fail; undefined for a suite whose tests are not reported. */
  packed: PackedRuns | undefined;
  book: FindingBook;
  end: SearchEnd;
}

/** What failed once becomes a finding, or is known not to be one; for what time is left. */
export class Confirmations {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  /** Runs that confirm a failure, started before the first of them has failed: none where only one runs at a time, or time is short. */
  ahead(schedule: Schedule): Promise<Trial>[] {
    const { options, end } = this.#parts;
    if (options.jobs === 1 || !end.hasTime(1)) return [];
    const trials = [this.#attempt(schedule, true), this.#attempt(schedule, true)];
    // They may be of no use, and their failure of no matter.
    for (const trial of trials) trial.catch(() => undefined);
    return trials;
  }

  /** A schedule that fails is run again twice; three failures are a finding. */
  async confirm(schedule: Schedule, first: Failed, ahead: readonly Promise<Trial>[] = []): Promise<void> {
    const { options, plain, book, end } = this.#parts;
    const { search, jobs, onConfirmed } = options;
    let known: FaultFinding | undefined;
    const confirmed = await confirmFailure(schedule, first, {
      book: plain.registry.book(schedule),
      ahead,
      jobs,
      attempt: (each) => this.#attempt(each, each === schedule),
      isSought: (deviation, step) => isSearched(deviation, search, step),
      hasPassed: (each) => book.hasPassed(each),
      hasTime: (runs) => end.hasTime(runs),
      onConfirmed: async () => {
        known = this.report(schedule, first);
        // Of several only the smallest form shows which of them it takes.
        if (schedule.length === 1) onConfirmed?.(known);
      },
    }).catch((error: unknown) => {
      // A run that waited for its turn when the search was ended has not begun.
      if (!options.signal.aborted) throw error;
      return undefined;
    });
    if (!confirmed || confirmed.of < RUNS || options.signal.aborted) {
      // It is a finding though its smallest form is not known.
      if (known && !book.repeats(schedule, [first.failure])) book.add(known);
      return known ? undefined : this.leave(schedule, first);
    }
    const { failed, of, failure } = confirmed;
    if (failed < of) {
      book.addUnstable(this.report(schedule, first));
      return;
    }
    // Another lane may have come to it in the meantime.
    if (book.repeats(schedule, [first.failure])) return;
    const finding = this.report(confirmed.schedule, failure);
    if (book.add(finding) !== finding) return;
    if (schedule.length > 1) onConfirmed?.(finding);
    if (end.hasTime(1)) await this.trace(finding);
  }

  /** There was no time to confirm what failed once. */
  leave(schedule: Schedule, first: Failed): void {
    const { book } = this.#parts;
    if (!book.has(schedule, [first.failure])) book.addUnconfirmed(this.report(schedule, first));
  }

  /** Has the trace of a finding kept, where one is asked for. */
  async trace(finding: FaultFinding): Promise<void> {
    const { options, trials } = this.#parts;
    const { keepTrace, signal } = options;
    if (!keepTrace || signal.aborted) return;
    const { run, failures } = await trials.of(finding.schedule, { trace: traceHeading(finding) });
    if (run.trace && failures.length > 0) keepTrace(finding, run.trace);
  }

  report(schedule: Schedule, failed: Failed): FaultFinding {
    const { options, plain } = this.#parts;
    const { search, version, mask } = options;
    return reportFinding(schedule, failed, { version, mask, seed: search.seed, plain });
  }

  /** What was ended by the signal has shown nothing. */
  async #attempt(schedule: Schedule, isUrgent: boolean): Promise<Trial> {
    const { options, trials, packed } = this.#parts;
    const runner = isUrgent ? packed?.endingEarly(schedule) : undefined;
    const trial = await trials.of(schedule, { isUrgent, runner });
    return options.signal.aborted ? { ...trial, failures: [] } : trial;
  }
}

/** How many smaller forms of a failing schedule are run at the same time, where so many runs go on at once. */
const ABREAST = 8;
/** A schedule that has failed is run so often again, and so often in all. */
const AGAIN = 2;
const RUNS = 1 + AGAIN;

interface ConfirmOptions {
  book: StepBook;
  attempt(schedule: Schedule): Promise<Trial>;
  /** Runs of the schedule that are under way already. */
  ahead: readonly Promise<Trial>[];
  isSought: IsSought;
  /** A schedule that has passed is no smaller form. */
  hasPassed(schedule: Schedule): boolean;
  /** Runs at the same time. */
  jobs: number;
  /** Whether so many runs, one after the other, end in time. */
  hasTime(runs: number): boolean;
  /** Called when it has failed each time, before its smallest form is looked for. */
  onConfirmed(): Promise<void>;
}

/** What became of a schedule that failed once. */
interface Confirmed {
  /** Of how many runs, the first one among them: fewer than three where there was no time for more. */
  failed: number;
  of: number;
  /** The smallest form that still fails in the same way, and how it fails. */
  schedule: Schedule;
  failure: Failed;
}

/** Runs a schedule that has failed twice more and, where it fails each time, looks for its smallest form. */
export async function confirmFailure(schedule: Schedule, first: Failed, options: ConfirmOptions): Promise<Confirmed> {
  const { book, attempt, ahead, isSought, hasPassed, jobs, hasTime, onConfirmed } = options;
  const failing = new Map([[keyOf(schedule), first]]);
  let isUnstable = false;
  const rounds = jobs > 1 ? 1 : AGAIN;
  const again = async (each: Schedule): Promise<Trial[]> => {
    if (!hasTime(rounds)) return [];
    if (jobs > 1) return Promise.all([attempt(each), attempt(each)]);
    return [await attempt(each), await attempt(each)];
  };
  const failureOf = ({ failures }: Trial) => failures.find((failure) => isSameWay(failure, first.failure));
  const fails = async (smaller: Schedule) => {
    if (isUnstable || hasPassed(smaller) || !hasTime(1 + rounds)) return false;
    const trial = await attempt(smaller);
    const failure = failureOf(trial);
    if (!failure) return false;
    // What fails now and then is no smaller form of what fails each time.
    const more = await again(smaller);
    if (more.length < AGAIN || !more.every(failureOf)) return false;
    failing.set(keyOf(smaller), { run: trial.run, failure });
    return true;
  };
  const look = () => shrink(schedule, { book, fails, isSought, abreast: Math.min(jobs, ABREAST) });
  // A client that waits in vain takes its time: all at once, where there is room.
  const together = jobs > ABREAST ? look() : undefined;
  // A failure reaches the caller through the promise, unless a run beside it has failed before.
  together?.catch(() => undefined);
  const confirmed = await (ahead.length > 0 ? Promise.all(ahead) : again(schedule));
  const of = 1 + confirmed.length;
  const failed = 1 + confirmed.filter(({ failures }) => failures.length > 0).length;
  isUnstable = failed < RUNS;
  if (!isUnstable) await onConfirmed();
  const best = (isUnstable ? undefined : await (together ?? look())) ?? schedule;
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
 * of the same name in its test. After `attempts` tries the smallest so far is the answer, which does not depend on how
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

/** At earlier steps of the same name and the same test: those of other tests are tried by themselves. */
function earlierEntries(entry: Entry, book: StepBook): Entry[] {
  const name = withoutNumber(entry.step);
  const number = numberIn(entry.step);
  const unitOf = (step: string) => book.get(step)?.site?.unit;
  const isEarlier = (each: string) => withoutNumber(each) === name && numberIn(each) < number;
  return [...book.keys()]
    .filter((each) => isEarlier(each) && unitOf(each) === unitOf(entry.step))
    .sort((a, b) => numberIn(a) - numberIn(b))
    .map((step) => ({ ...entry, step }));
}

/** Each family from mild to harsh: a finding is reported with the mildest that still fails. */
const MILDNESS: Readonly<Record<string, readonly string[]>> = {
  refusal: ['status:429', 'status:503', 'status:500'],
  answer: ['lost_request', 'lost_answer'],
  again: ['duplicate', 'resent', 'twin'],
  later: ['reorder', 'late', 'lost'],
  job: ['late', 'unpolled', 'instant'],
  kill: ['kill:before', 'kill:after', 'kill:during'],
  cut: ['cut:before_done', 'cut:middle', 'cut:first'],
  proof: ['spelled', 'two_proofs', 'replayed', 'forged'],
  file: ['expired', 'truncated'],
  outcome: ['take_fails:2', 'take_fails:1', 'fails', 'blocked'],
  stranger: ['unknown_type', 'foreign'],
};

/** Milder ones of the same family that the step allows, the mildest first. */
export function milder({ name, family }: Deviation, step: Step): Deviation[] {
  const order = MILDNESS[family] ?? [];
  return order.slice(0, Math.max(0, order.indexOf(name))).flatMap((each) => deviationAt(step, each) ?? []);
}
