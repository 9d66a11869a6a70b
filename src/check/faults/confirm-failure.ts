import { assertionIn } from '../../base/output/output-line.ts';
import type { BaselineRuns } from '../baseline-runs.ts';
import type { Budget } from '../runner/budget.ts';
import { reportedFailures } from '../runner/run-record.ts';
import type { RunTrace } from '../runner/runner.ts';
import { type Fault, faultAt } from './fault-table.ts';
import { type FailedRun, type FaultFinding, type FindingBook, isSameFailure } from './finding-book.ts';
import type { PackedRuns } from './packed-runs.ts';
import { type FaultFindingParts, reportFinding, traceHeading } from './report-finding.ts';
import { faultOf, isAllowed, keyOf, type Scenario, type ScenarioEntry, type StepBook } from './scenario.ts';
import { type FaultSearch, isSearched } from './search-order.ts';
import { numberIn, type Step, withoutNumber } from './step.ts';
import { RUNS, type Trial, type Trials } from './trials.ts';

export interface ConfirmationOptions extends Pick<FaultFindingParts, 'version' | 'mask'> {
  search: FaultSearch;
  jobs: number;
  signal: AbortSignal;
  onConfirmed?: (finding: FaultFinding) => void;
  keepTrace?: (finding: FaultFinding, trace: RunTrace) => void;
}

interface ConfirmationParts {
  options: ConfirmationOptions;
  plain: BaselineRuns;
  trials: Trials;
  /** Ends failing runs early. Undefined for a suite that does not report its tests. */
  packed: PackedRuns | undefined;
  book: FindingBook;
  budget: Budget;
}

export class Confirmations {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  /** Starts the confirming runs before the first run has failed. Empty if only one run fits, or if time is short. */
  ahead(scenario: Scenario): Promise<Trial>[] {
    const { options, budget } = this.#parts;
    if (options.jobs === 1 || !budget.hasTime(1)) return [];
    const trials = [this.#attempt(scenario, true), this.#attempt(scenario, true)];
    // Their results may never be used.
    for (const trial of trials) trial.catch(() => undefined);
    return trials;
  }

  /** Runs a failing scenario twice more. Three failures are a finding. */
  async confirm(scenario: Scenario, first: FailedRun, ahead: readonly Promise<Trial>[] = []): Promise<void> {
    const { options, plain, book, budget } = this.#parts;
    const { search, jobs, onConfirmed } = options;
    let known: FaultFinding | undefined;
    const confirmed = await confirmFailure(scenario, first, {
      book: plain.registry.book(scenario),
      ahead,
      jobs,
      attempt: (each) => this.#attempt(each, each === scenario),
      isSought: (fault, step) => isSearched(fault, search, step),
      hasPassed: (each) => book.hasPassed(each),
      hasTime: (runs) => budget.hasTime(runs),
      onConfirmed: async () => {
        known = this.report(scenario, first);
        if (scenario.length === 1) onConfirmed?.(known);
      },
    }).catch((error: unknown) => {
      if (!options.signal.aborted) throw error;
      return undefined;
    });
    if (!confirmed || confirmed.of < RUNS || options.signal.aborted) {
      // It is a finding even if its smallest form is unknown.
      if (!known || scenario.length > 1) return this.leave(scenario, first);
      book.keepPrinted(known, undefined);
      return;
    }
    const { failed, of, failure } = confirmed;
    if (failed < of) {
      book.addUnstable(this.report(scenario, first));
      return;
    }
    // Another worker may have found it in the meantime.
    if (book.repeats(scenario, [first.failure])) {
      if (known) book.keepPrinted(known, undefined);
      return;
    }
    if (await this.#isExplained(confirmed.scenario, failure)) return;
    const finding = this.report(confirmed.scenario, failure);
    const head = book.add(finding);
    if (known && scenario.length === 1) book.keepPrinted(known, head);
    if (head !== finding) return;
    if (scenario.length > 1) onConfirmed?.(finding);
    if (budget.hasTime(1)) await this.trace(finding);
  }

  /** True if one fault of a pair fails the same tests alone, even if that is no finding. */
  async #isExplained(scenario: Scenario, { run, failure }: FailedRun): Promise<boolean> {
    if (scenario.length < 2 || failure.kind !== 'exit') return false;
    const failed = failuresOf(run);
    for (const entry of scenario) {
      const alone = failuresOf((await this.#attempt([entry], false)).run);
      if (failed.length > 0 && failed.every((each) => alone.includes(each))) return true;
    }
    return false;
  }

  leave(scenario: Scenario, first: FailedRun): void {
    const { book } = this.#parts;
    if (!book.has(scenario, [first.failure])) book.addUnconfirmed(this.report(scenario, first));
  }

  async trace(finding: FaultFinding): Promise<void> {
    const { options, trials } = this.#parts;
    const { keepTrace, signal } = options;
    if (!keepTrace || signal.aborted) return;
    const { run, failures } = await trials.of(finding.scenario, { trace: traceHeading(finding), insists: true });
    if (run.trace && failures.length > 0) keepTrace(finding, run.trace);
  }

  report(scenario: Scenario, failed: FailedRun): FaultFinding {
    const { options, plain } = this.#parts;
    const { search, version, mask } = options;
    return reportFinding(scenario, failed, { version, mask, seed: search.seed, plain });
  }

  async #attempt(scenario: Scenario, isUrgent: boolean): Promise<Trial> {
    const { options, trials, packed } = this.#parts;
    const runner = isUrgent ? packed?.endingEarly(scenario) : undefined;
    const trial = await trials.of(scenario, { isUrgent, runner });
    return options.signal.aborted ? { ...trial, failures: [] } : trial;
  }
}

/** The names of the failed tests, or else the assertion that a command printed. */
function failuresOf({ record, output, failure }: FailedRun['run']): string[] {
  if (!failure) return [];
  const named = reportedFailures(record, output).map(({ name }) => name);
  return named.length > 0 ? named : [assertionIn(output)];
}

/** The number of smaller forms that run at the same time if many runs are allowed. */
const ABREAST = 8;
const AGAIN = RUNS - 1;

interface ConfirmOptions {
  book: StepBook;
  attempt(scenario: Scenario): Promise<Trial>;
  ahead: readonly Promise<Trial>[];
  isSought: IsSought;
  hasPassed(scenario: Scenario): boolean;
  jobs: number;
  hasTime(runs: number): boolean;
  /** Called before the smallest form is searched. */
  onConfirmed(): Promise<void>;
}

interface Confirmed {
  /** The number of runs, including the first. Fewer than three if there was no time for more. */
  failed: number;
  of: number;
  scenario: Scenario;
  failure: FailedRun;
}

export async function confirmFailure(
  scenario: Scenario,
  first: FailedRun,
  options: ConfirmOptions,
): Promise<Confirmed> {
  const { book, attempt, ahead, isSought, hasPassed, jobs, hasTime, onConfirmed } = options;
  const failing = new Map([[keyOf(scenario), first]]);
  let isUnstable = false;
  const rounds = jobs > 1 ? 1 : AGAIN;
  const again = async (each: Scenario): Promise<Trial[]> => {
    if (!hasTime(rounds)) return [];
    if (jobs > 1) return Promise.all([attempt(each), attempt(each)]);
    return [await attempt(each), await attempt(each)];
  };
  const failureOf = ({ failures }: Trial) => failures.find((failure) => isSameFailure(failure, first.failure));
  const fails = async (smaller: Scenario) => {
    if (isUnstable || hasPassed(smaller) || !hasTime(1 + rounds)) return false;
    const trial = await attempt(smaller);
    const failure = failureOf(trial);
    if (!failure) return false;
    // A form that fails only sometimes is not a smaller form of one that always fails.
    const more = await again(smaller);
    if (more.length < AGAIN || !more.every(failureOf)) return false;
    failing.set(keyOf(smaller), { run: trial.run, failure });
    return true;
  };
  const look = () => shrink(scenario, { book, fails, isSought, abreast: Math.min(jobs, ABREAST) });
  // A client that waits in vain is slow, so all forms run at once if there is room.
  const together = jobs > ABREAST ? look() : undefined;
  together?.catch(() => undefined);
  const confirmed = await (ahead.length > 0 ? Promise.all(ahead) : again(scenario));
  const of = 1 + confirmed.length;
  const failed = 1 + confirmed.filter(({ failures }) => failures.length > 0).length;
  isUnstable = failed < RUNS;
  if (!isUnstable) await onConfirmed();
  const best = (isUnstable ? undefined : await (together ?? look())) ?? scenario;
  await together;
  return { failed, of, scenario: best, failure: failing.get(keyOf(best)) ?? first };
}

type StillFails = (scenario: Scenario) => Promise<boolean>;

export type IsSought = (fault: Fault, step: Step) => boolean;

interface ShrinkOptions {
  book: StepBook;
  fails: StillFails;
  isSought: IsSought;
  attempts?: number;
  abreast?: number;
}

/**
 * Returns the smallest form that still fails: no entry can be removed, made milder or moved to an earlier step of the same
 * name. After `attempts` tries it returns the smallest form so far. The result does not depend on the number of parallel
 * runs.
 */
export async function shrink(
  failing: Scenario,
  { book, fails, isSought, attempts = 60, abreast = 1 }: ShrinkOptions,
): Promise<Scenario> {
  const tried = new Set([keyOf(failing)]);
  let best = failing;
  for (let left = attempts; left > 0; ) {
    const untried = smallerScenarios(best, book, isSought).filter((each) => !tried.has(keyOf(each)));
    const batch = untried.slice(0, Math.min(left, abreast));
    if (batch.length === 0) return best;
    left -= batch.length;
    const ends = await Promise.all(batch.map(fails));
    const first = ends.indexOf(true);
    // Results after the first failure would not have been requested in sequence.
    for (const each of first === -1 ? batch : batch.slice(0, first + 1)) tried.add(keyOf(each));
    best = batch[first] ?? best;
  }
  return best;
}

/** Every form that is one step smaller, the largest reductions first. */
export function smallerScenarios(scenario: Scenario, book: StepBook, isSought: IsSought): Scenario[] {
  const shorter = scenario.map((_, at) => scenario.toSpliced(at, 1));
  const changed = scenario.flatMap((entry, at) =>
    [...milderEntries(entry, book, isSought), ...earlierEntries(entry, book)].map((other) => scenario.with(at, other)),
  );
  return [...shorter, ...changed].filter((each) => each.length > 0 && isRunnable(each, book));
}

/** A step that only a fault causes is not in the book, and stays unchanged. */
function isRunnable(scenario: Scenario, book: StepBook): boolean {
  return isAllowed(
    scenario.filter(({ step }) => book.has(step)),
    book,
  );
}

function milderEntries(entry: ScenarioEntry, book: StepBook, isSought: IsSought): ScenarioEntry[] {
  const step = book.get(entry.step);
  const fault = faultOf(entry, book);
  if (!step || !fault) return [];
  return milderFaults(fault, step)
    .filter((other) => isSought(other, step))
    .map(({ name }) => ({ ...entry, fault: name }));
}

/** Only steps of the same test, because other tests are tried by themselves. */
function earlierEntries(entry: ScenarioEntry, book: StepBook): ScenarioEntry[] {
  const name = withoutNumber(entry.step);
  const number = numberIn(entry.step);
  const testOf = (step: string) => book.get(step)?.test;
  const isEarlier = (each: string) => withoutNumber(each) === name && numberIn(each) < number;
  return [...book.keys()]
    .filter((each) => isEarlier(each) && testOf(each) === testOf(entry.step))
    .sort((a, b) => numberIn(a) - numberIn(b))
    .map((step) => ({ ...entry, step }));
}

const MILDNESS: Readonly<Record<string, readonly string[]>> = {
  refusal: ['status:429', 'status:503', 'status:500'],
  answer: ['lost_request', 'lost_response'],
  again: ['duplicate', 'resent', 'twin'],
  later: ['reorder', 'late', 'lost'],
  job: ['late', 'unpolled', 'instant'],
  kill: ['kill:before', 'kill:after', 'kill:during'],
  cut: ['cut:before_done', 'cut:middle', 'cut:first'],
  proof: ['spelled', 'two_proofs', 'replayed', 'forged'],
  file: ['expired', 'truncated'],
  outcome: ['take_fails:2', 'take_fails:1', 'fails', 'blocked'],
};

export function milderFaults({ name, family }: Fault, step: Step): Fault[] {
  const order = MILDNESS[family] ?? [];
  return order.slice(0, Math.max(0, order.indexOf(name))).flatMap((each) => faultAt(step, each) ?? []);
}
