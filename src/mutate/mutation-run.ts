import type { Clock } from '../clock/clock.ts';
import { type Again, type Attempt, armed, type Judged, judgeAttempt, type Row } from './judge-attempt.ts';
import type { MeasuredRun, MeasureWorld } from './measured-run.ts';
import type { MutateSettings } from './mutate-settings.ts';
import { Placebos } from './placebos.ts';
import { MOST_UNITS, type Pair, type Unit } from './plan.ts';
import { SecondRuns } from './second-runs.ts';
import { commandLimit, type Truth, unitLimits } from './truth.ts';

export interface MutationParts {
  world: MeasureWorld;
  clock: Clock;
  settings: MutateSettings;
  truth: Truth;
  jobs: number;
  /** Machine's time in milliseconds when no new run is started for pairs beyond the least. */
  until: number;
  signal: AbortSignal;
  progress(): void;
}

interface Open {
  pair: Pair;
  rows: Row[];
  /** Units at which it is being tried. */
  busy: Set<Unit>;
}

/** Tries lies at units, as many as fit into one run, until each has its verdict. */
export class MutationRun {
  readonly #parts: MutationParts;
  readonly #open: Open[];
  readonly #placebos = new Placebos();
  readonly #second: SecondRuns;
  /** The first run with the one lie that was asked for, as a page. */
  trace: MeasuredRun['trace'];
  runs = 0;
  #made = 0;
  #again: Attempt[] = [];
  /** Ended by a clock: tried again when nothing else runs. */
  #hung: Attempt[] = [];

  constructor(parts: MutationParts, pairs: readonly Pair[]) {
    this.#parts = parts;
    this.#open = pairs.map((pair) => ({ pair, rows: [], busy: new Set() }));
    this.#second = new SecondRuns({
      placebos: this.#placebos,
      attempt: (pair, unit, how) => this.#attempt(pair, unit, how),
      run: (attempts) => this.#run(attempts),
      isOver: () => this.#isOver,
      isAborted: () => parts.signal.aborted,
    });
  }

  /** What there is now, in the order of the plan; of a lie that one unit has noticed not what later ones came to. */
  get rows(): Row[] {
    return this.#open.flatMap(({ pair, rows }) => {
      const inOrder = rows.toSorted((a, b) => pair.units.indexOf(a.unit) - pair.units.indexOf(b.unit));
      const first = inOrder.findIndex(({ verdict }) => verdict === 'noticed');
      return first === -1 || this.#parts.settings.allUnits ? inOrder : inOrder.slice(0, first + 1);
    });
  }

  /** Files whose units disturbed each other, and were run alone therefore. */
  get unpacked(): string[] {
    return this.#placebos.unpacked;
  }

  get placebos(): Placebos['counts'] {
    return this.#placebos.counts;
  }

  /** Pairs of which nothing is known, as the time was over before. */
  get untried(): Pair[] {
    return this.#open.filter(({ rows }) => rows.length === 0).map(({ pair }) => pair);
  }

  /** Tries all lies, confirms what is doubtful, and runs survivors once more, alone. A command's first run is a placebo. */
  async measureLies(): Promise<void> {
    this.#placebos.want();
    await this.#workAndConfirm();
    await this.#eachAtOnce(this.#open, (open) => this.#second.isolate(open));
    await this.#workAndConfirm();
  }

  /** Tries all liberties. A command's last run is a placebo. */
  async measureLiberties(): Promise<void> {
    await this.#workAndConfirm();
    if (this.#isOfCommand) await this.#placebo();
  }

  /** A lie whose notice is not confirmed is tried at its other units, until every notice holds. */
  async #workAndConfirm(): Promise<void> {
    for (let isOpen = true; isOpen && !this.#parts.signal.aborted; ) {
      await this.#work();
      const batches = this.#second.batches(this.rows);
      await this.#eachAtOnce(batches, (batch) => this.#second.confirmBatch(batch));
      const doubtful = this.rows.filter((row) => this.#second.isDoubtful(row));
      await this.#eachAtOnce(doubtful, (row) => this.#second.confirm(row));
      isOpen = batches.length + doubtful.length > 0;
    }
  }

  /** As many at the same time as there are jobs. */
  async #eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const left = items.values();
    const worker = async () => {
      for (const item of left) await work(item);
    };
    await Promise.all(Array.from({ length: this.#parts.jobs }, worker));
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
        const hung = this.#hung.shift();
        if (!hung || this.#parts.signal.aborted) return;
        await this.#try([hung]);
      }
    }
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
      this.#settle(attempt, isDoubted ? { again: true } : judged, run);
    }
    this.#parts.progress();
  }

  #settle(attempt: Attempt, judged: Judged | Again, run: MeasuredRun): void {
    const { pair, unit, isAlone } = attempt;
    if ('again' in judged) {
      if (judged.isUnsteady) this.#placebos.disturb(unit);
      const again = { ...attempt, isAlone: true, turn: attempt.turn + 1, hasHung: judged.hasHung === true };
      if (again.hasHung) this.#hung.push(again);
      else this.#again.push(again);
      return;
    }
    const open = this.#openOf(pair);
    open?.rows.push({ ...judged, pair, unit, isAlone, began: run.began, run: isKept(judged) ? run : undefined });
    open?.busy.delete(unit);
  }

  /** The next run: what has to be made again, what has to be alone, or one lie for each unit. */
  #next(): Attempt[] {
    if (this.#parts.signal.aborted) return [];
    const again = this.#again.shift();
    if (again) return [again];
    const placebos = this.#placebos.among(this.#parts.truth.units, this.runs + this.#parts.settings.seed);
    const batch = this.#batch(placebos);
    // What is left may fit those units alone.
    return batch.length > 0 ? batch : this.#batch(new Set());
  }

  #batch(used: Set<string>): Attempt[] {
    const batch: Attempt[] = [];
    const free = this.#open.filter(({ busy }) => busy.size === 0);
    // Where there is room left, each lie is tried at more of its units at once.
    for (let round = 0; round < MOST_UNITS; round += 1) {
      for (const open of free) {
        const attempt = this.#attemptOf(open, used, batch);
        if (!attempt) continue;
        open.busy.add(attempt.unit);
        batch.push(attempt);
        if (attempt.isAlone) return batch;
        used.add(attempt.unit.unit);
      }
    }
    return batch;
  }

  /** A lie beside those that a run carries already; undefined where it has no room for it. */
  #attemptOf(open: Open, used: ReadonlySet<string>, batch: readonly Attempt[]): Attempt | undefined {
    const { pair } = open;
    if (this.#isOver && !isLeast(pair)) return undefined;
    // An unknown key has no account: two rules that let it in would fit it both.
    if (pair.lie === 'key.any' && batch.some((each) => each.pair.lie === 'key.any')) return undefined;
    const unit = this.#unitFor(open, used);
    if (!unit) return undefined;
    const isAlone = this.#runsAlone(unit);
    return isAlone && batch.length > 0 ? undefined : this.#attempt(pair, unit, { isAlone, turn: 0 });
  }

  /** The unit at which a lie is tried next; undefined where it has its verdict, or its units are taken. */
  #unitFor({ pair, rows, busy }: Open, used: ReadonlySet<string>): Unit | undefined {
    const { allUnits } = this.#parts.settings;
    if (!allUnits && rows.some(({ verdict }) => verdict === 'noticed')) return undefined;
    const tried = new Set([...rows.map(({ unit }) => unit), ...busy]);
    const units = allUnits ? pair.units : pair.units.slice(0, MOST_UNITS);
    return units.find((unit) => !tried.has(unit) && !used.has(unit.unit));
  }

  #runsAlone({ exclusive, file }: Unit): boolean {
    return exclusive || this.#parts.settings.oneByOne || this.unpacked.includes(file ?? '');
  }

  get #isOfCommand(): boolean {
    return this.#parts.truth.units.every(({ isWhole }) => isWhole);
  }

  get #isOver(): boolean {
    return this.#parts.signal.aborted || this.#parts.clock.real() >= this.#parts.until;
  }

  #attempt(pair: Pair, unit: Unit, how: Pick<Attempt, 'isAlone' | 'turn'>): Attempt {
    this.#made += 1;
    return { id: `lie-${this.#made}`, pair, unit, ...how };
  }

  async #run(attempts: readonly Attempt[]): Promise<MeasuredRun> {
    this.runs += 1;
    const [only] = attempts;
    const { world, settings, truth } = this.#parts;
    const trace = settings.lie && only ? `The lie ${only.pair.key}` : undefined;
    const limits = { limitMs: commandLimit(truth.ms), limitOf: unitLimits(truth) };
    const run = await world.run({ armed: attempts.map(armed), ...limits, trace });
    this.trace ??= run.trace;
    return run;
  }

  /** A run of the command in which nothing is changed. */
  async #placebo(): Promise<void> {
    if (this.#parts.signal.aborted) return;
    const run = await this.#run([]);
    if (!this.#parts.signal.aborted) this.#placebos.heedRun(run, this.#parts.truth.units);
  }

  #openOf(pair: Pair): Open | undefined {
    return this.#open.find((open) => open.pair === pair);
  }
}

function isKept({ verdict }: Judged): boolean {
  return verdict === 'survived' || verdict === 'unread';
}

function isLeast({ rank, family }: Pair): boolean {
  return rank === 0 && (family === 'money' || family === 'security');
}
