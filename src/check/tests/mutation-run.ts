import { Placebos } from '../runner/placebos.ts';
import { AttemptQueue, type MutationParts, type Tried } from './attempt-queue.ts';
import { commandLimit, unitLimits } from './baseline-runs.ts';
import { eachAtOnce } from './each-at-once.ts';
import { type Again, type Attempt, armed, type Judged, judgeAttempt, type Row } from './judge-attempt.ts';
import type { MeasuredRun } from './measured-run.ts';
import type { Unit } from './plan.ts';
import { SecondRuns } from './second-runs.ts';

/** Tries lies and liberties at units, as many as fit into one run, until each has its verdict. */
export class MutationRun {
  readonly #parts: MutationParts;
  readonly #knownOf: Tried['knownOf'];
  readonly #queue: AttemptQueue;
  readonly #placebos = new Placebos();
  readonly #second: SecondRuns;
  /** The first run with the one lie that was asked for, as a page. */
  trace: MeasuredRun['trace'];
  runs = 0;

  constructor(parts: MutationParts, tried: Tried) {
    this.#parts = parts;
    this.#knownOf = tried.knownOf;
    const { oneByOne } = parts.settings;
    const runsAlone = ({ exclusive, file }: Unit) => exclusive || oneByOne || this.unpacked.includes(file ?? '');
    this.#queue = new AttemptQueue(parts, tried, runsAlone);
    this.#second = new SecondRuns({
      placebos: this.#placebos,
      attempt: (pair, unit, how) => this.#queue.attempt(pair, unit, how),
      run: (attempts) => this.#run(attempts),
      isOver: () => this.#queue.isOver,
      isAborted: () => parts.signal.aborted,
    });
  }

  /** What there is now of lies, in the order of the plan. */
  get rows(): Row[] {
    return this.#queue.rowsOf(this.#queue.lies);
  }

  /** The same of liberties. */
  get liberties(): Row[] {
    return this.#queue.rowsOf(this.#queue.liberties);
  }

  /** Files whose units disturbed each other, and were run alone therefore. */
  get unpacked(): string[] {
    return this.#placebos.unpacked;
  }

  get placebos(): Placebos['counts'] {
    return this.#placebos.counts;
  }

  /** Lies and liberties of which nothing is known, as the time was over before. */
  get untried(): Pick<Tried, 'lies' | 'liberties'> {
    const { lies, liberties } = this.#queue;
    const pairsOf = (all: typeof lies) => all.filter(({ rows }) => rows.length === 0).map(({ pair }) => pair);
    return { lies: pairsOf(lies), liberties: pairsOf(liberties) };
  }

  /**
   * Tries all lies, confirms what is doubtful, and runs survivors once more, alone; then tries the liberties for which no
   * run had room. A command's first run and its last are placebos.
   */
  async measure(): Promise<void> {
    this.#placebos.request();
    await this.#workAndConfirm();
    await eachAtOnce(this.#queue.lies, this.#parts.jobs, (trial) => this.#second.isolate(trial));
    await this.#workAndConfirm();
    this.#queue.isLibertiesTurn = true;
    await this.#workAndConfirm();
    if (this.#isOfCommand) await this.#placebo();
  }

  /** A lie whose notice is not confirmed is tried at its other units, until every notice holds. */
  async #workAndConfirm(): Promise<void> {
    const { jobs, signal } = this.#parts;
    for (let isOpen = true; isOpen && !signal.aborted; ) {
      await this.#work();
      const batches = this.#second.batches([...this.rows, ...this.liberties]);
      await eachAtOnce(batches, jobs, (batch) => this.#second.confirmBatch(batch));
      const doubtful = [...this.rows, ...this.liberties].filter((row) => this.#second.isDoubtful(row));
      await eachAtOnce(doubtful, jobs, (row) => this.#second.confirm(row));
      isOpen = batches.length + doubtful.length > 0;
    }
  }

  /** Keeps as many runs going as there are jobs, as long as there is something to try. */
  async #work(): Promise<void> {
    const busy = new Set<Promise<void>>();
    for (;;) {
      const batch = busy.size < this.#parts.jobs ? this.#next() : [];
      if (batch.length > 0) {
        const trying = this.#try(batch).finally(() => busy.delete(trying));
        busy.add(trying);
      } else if (busy.size > 0) await Promise.race(busy);
      else {
        const hung = this.#queue.nextHung();
        if (!hung || this.#parts.signal.aborted) return;
        await this.#try([hung]);
      }
    }
  }

  #next(): Attempt[] {
    const { signal, baselineRuns, settings } = this.#parts;
    return signal.aborted ? [] : this.#queue.next(this.#placebos.among(baselineRuns.units, this.runs + settings.seed));
  }

  async #try(batch: readonly Attempt[]): Promise<void> {
    if (this.#isOfCommand && this.#placebos.isDue()) await this.#placebo();
    const run = await this.#run(batch);
    const calm = this.#placebos.heed(batch, run);
    for (const attempt of batch) {
      if (this.#parts.signal.aborted) continue;
      const judged = judgeAttempt(attempt, run);
      // Where a unit without a lie failed, the notices of its run are looked at again one by one.
      const isDoubted = !calm && !attempt.isAlone && 'verdict' in judged && judged.verdict === 'noticed';
      const isOnly = batch.length === 1;
      this.#settle({ attempt, isOnly }, isDoubted ? { again: true } : judged, run);
    }
    this.#parts.progress(this.#queue.isLibertiesTurn ? 'liberties' : 'lies');
  }

  /** `isOnly`: no other lie was in the run. A survivor of it needs no second one; a notice comes again all the same. */
  #settle({ attempt, isOnly }: { attempt: Attempt; isOnly: boolean }, judged: Judged | Again, run: MeasuredRun): void {
    const { pair, unit } = attempt;
    if ('again' in judged) {
      if (judged.isUnsteady) this.#placebos.disturb(unit);
      this.#queue.makeAgain(attempt, judged.hasHung === true);
      return;
    }
    const { verdict } = judged;
    const before = this.#knownOf(pair, unit);
    const confirmed = verdict === 'noticed' && before === 'noticed' ? 'beside' : undefined;
    const kept = verdict === 'survived' || verdict === 'unread' ? run : undefined;
    const isAlone = attempt.isAlone || (isOnly && verdict === 'survived');
    this.#queue.settle({ ...judged, pair, unit, isAlone, before, confirmed, began: run.began, run: kept });
  }

  get #isOfCommand(): boolean {
    return this.#parts.baselineRuns.units.every(({ isWhole }) => isWhole);
  }

  async #run(attempts: readonly Attempt[]): Promise<MeasuredRun> {
    this.runs += 1;
    const [only] = attempts;
    const { world, settings, baselineRuns } = this.#parts;
    const trace = settings.lie && only ? `The lie ${only.pair.key}` : undefined;
    const limits = { limitMs: commandLimit(baselineRuns.ms), limitOf: unitLimits(baselineRuns) };
    const run = await world.run({ armed: attempts.map(armed), ...limits, trace });
    this.trace ??= run.trace;
    return run;
  }

  /** A run of the command in which nothing is changed. */
  async #placebo(): Promise<void> {
    if (this.#parts.signal.aborted) return;
    const run = await this.#run([]);
    if (!this.#parts.signal.aborted) this.#placebos.heedRun(run, this.#parts.baselineRuns.units);
  }
}
