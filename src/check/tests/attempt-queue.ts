import type { Clock } from '../../base/clock/clock.ts';
import type { BaselineRuns } from './baseline-runs.ts';
import type { Attempt, Known, Row } from './judge-attempt.ts';
import type { MeasureWorld } from './measured-run.ts';
import type { MutateSettings } from './mutate-settings.ts';
import { HELD_BACK_SHARE, isLeast, MOST_UNITS, type Pair, type Unit } from './plan.ts';
import { toIsolate } from './second-runs.ts';

/** What is to be tried: lies first, liberties where a run has room left, and at last. */
export interface Tried {
  lies: readonly Pair[];
  liberties: readonly Pair[];
  /** What is known of a lie at a unit from an earlier measurement. */
  knownOf(pair: Pair, unit: Unit): Known | undefined;
}

/** A lie or a liberty with the verdicts that it has. */
export interface Trial {
  pair: Pair;
  rows: Row[];
  /** Units at which it is being tried. */
  busy: Set<Unit>;
}

export interface MutationParts {
  world: MeasureWorld;
  clock: Clock;
  settings: MutateSettings;
  baselineRuns: BaselineRuns;
  jobs: number;
  /** Machine's time in milliseconds when no new run is started for pairs beyond the least. */
  until: number;
  signal: AbortSignal;
  progress(phase: 'lies' | 'liberties'): void;
}

/** What is still to be tried: as many lies and liberties as fit into one run, until each has its verdict. */
export class AttemptQueue {
  readonly lies: readonly Trial[];
  readonly liberties: readonly Trial[];
  /** All lies have their verdicts: liberties are tried without one beside them. */
  isLibertiesTurn = false;
  readonly #parts: MutationParts;
  readonly #runsAlone: (unit: Unit) => boolean;
  readonly #began: number;
  #made = 0;
  #again: Attempt[] = [];
  /** Ended by a clock: tried again when nothing else runs. */
  #hung: Attempt[] = [];

  /** `runsAlone`: whether the lies of a unit have a run for themselves. */
  constructor(parts: MutationParts, { lies, liberties }: Tried, runsAlone: (unit: Unit) => boolean) {
    this.#parts = parts;
    this.#runsAlone = runsAlone;
    this.#began = parts.clock.real();
    const trialOf = (pair: Pair): Trial => ({ pair, rows: [], busy: new Set() });
    this.lies = lies.map(trialOf);
    this.liberties = liberties.map(trialOf);
  }

  /** What there is now, in the order of the plan; of a lie that one unit has noticed not what later ones came to. */
  rowsOf(trials: readonly Trial[]): Row[] {
    return trials.flatMap(({ pair, rows }) => {
      const inOrder = rows.toSorted((a, b) => pair.units.indexOf(a.unit) - pair.units.indexOf(b.unit));
      const first = inOrder.findIndex(({ verdict }) => verdict === 'noticed');
      return first === -1 || this.#parts.settings.allUnits ? inOrder : inOrder.slice(0, first + 1);
    });
  }

  attempt(pair: Pair, unit: Unit, how: Pick<Attempt, 'isAlone' | 'turn'>): Attempt {
    this.#made += 1;
    return { id: `lie-${this.#made}`, pair, unit, ...how };
  }

  /** The next run: what has to be made again, what has to be alone, or one lie for each unit but the placebos. */
  next(placebos: Set<string>): Attempt[] {
    const again = this.#again.shift();
    if (again) return [again];
    const batch = this.#batch(placebos);
    // What is left may fit those units alone.
    return batch.length > 0 ? batch : this.#batch(new Set());
  }

  /** What was ended by a clock, for a run beside which nothing else goes on. */
  nextHung(): Attempt | undefined {
    return this.#hung.shift();
  }

  /** An attempt without a verdict: it is made again, alone. */
  makeAgain(attempt: Attempt, hasHung: boolean): void {
    const again = { ...attempt, isAlone: true, turn: attempt.turn + 1, hasHung };
    (hasHung ? this.#hung : this.#again).push(again);
  }

  settle(row: Row): void {
    const trial = [...this.lies, ...this.liberties].find(({ pair }) => pair === row.pair);
    trial?.rows.push(row);
    trial?.busy.delete(row.unit);
  }

  /** There is no time for more. */
  get isOver(): boolean {
    return this.#parts.signal.aborted || this.#parts.clock.real() >= this.#parts.until;
  }

  #batch(used: Set<string>): Attempt[] {
    const batch: Attempt[] = [];
    this.#fill(batch, this.lies, used);
    const isForLiberties = this.isLibertiesTurn || (batch.length > 0 && !batch[0]?.isAlone);
    if (isForLiberties) this.#fill(batch, this.liberties, used);
    return batch;
  }

  #fill(batch: Attempt[], all: readonly Trial[], used: Set<string>): void {
    const isClosed = this.#isTimeForSurvivors;
    const free = all.filter(({ pair, busy }) => busy.size === 0 && (!isClosed || isLeast(pair)));
    // Where there is room left, each lie is tried at more of its units at once.
    for (let round = 0; round < MOST_UNITS; round += 1) {
      for (const trial of free) {
        const attempt = this.#attemptOf(trial, used, batch);
        if (!attempt) continue;
        trial.busy.add(attempt.unit);
        batch.push(attempt);
        if (attempt.isAlone) return;
        used.add(attempt.unit.unit);
      }
    }
  }

  /** A lie beside those that a run carries already; undefined where it has no room for it. */
  #attemptOf(trial: Trial, used: ReadonlySet<string>, batch: readonly Attempt[]): Attempt | undefined {
    const { pair } = trial;
    // An unknown key has no account: two rules that let it in would fit it both.
    if (pair.lie === 'key.any' && batch.some((each) => each.pair.lie === 'key.any')) return undefined;
    const unit = this.#unitFor(trial, used);
    if (!unit) return undefined;
    const isAlone = this.#runsAlone(unit);
    return isAlone && batch.length > 0 ? undefined : this.attempt(pair, unit, { isAlone, turn: 0 });
  }

  /** The unit at which a lie is tried next; undefined where it has its verdict, or its units are taken. */
  #unitFor({ pair, rows, busy }: Trial, used: ReadonlySet<string>): Unit | undefined {
    const { allUnits } = this.#parts.settings;
    if (!allUnits && rows.some(({ verdict }) => verdict === 'noticed')) return undefined;
    const tried = new Set([...rows.map(({ unit }) => unit), ...busy]);
    const units = allUnits ? pair.units : pair.units.slice(0, MOST_UNITS);
    return units.find((unit) => !tried.has(unit) && !used.has(unit.unit));
  }

  /** What is left of the budget is needed to run survivors once more, each alone: at most so much as is held back. */
  get #isTimeForSurvivors(): boolean {
    const { clock, until, jobs, baselineRuns } = this.#parts;
    if (until === Number.POSITIVE_INFINITY) return this.isOver;
    const survivors = this.lies.filter(({ rows }) => toIsolate(rows).length > 0).length;
    const needed = Math.ceil(survivors / jobs) * baselineRuns.ms;
    const held = Math.min(needed, (until - this.#began) * HELD_BACK_SHARE);
    return this.isOver || clock.real() + held >= until;
  }
}
