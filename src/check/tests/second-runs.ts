import type { Placebos } from '../runner/placebos.ts';
import { type Attempt, bestVerdict, judgeAttempt, NOT_RUN_ALONE, type Row } from './judge-attempt.ts';
import type { MeasuredRun } from './measured-run.ts';
import type { Pair, Unit } from './plan.ts';

interface SecondRunParts {
  placebos: Placebos;
  attempt(pair: Pair, unit: Unit, how: Pick<Attempt, 'isAlone' | 'turn'>): Attempt;
  run(attempts: readonly Attempt[]): Promise<MeasuredRun>;
  /** There is no time for more. */
  isOver(): boolean;
  isAborted(): boolean;
}

/** Runs again what one run has shown: a test that fails by itself, or for what its neighbour left, has noticed nothing. */
export class SecondRuns {
  readonly #parts: SecondRunParts;

  constructor(parts: SecondRunParts) {
    this.#parts = parts;
  }

  /**
   * Runs that confirm notices made beside other lies: in each about half of the lies of every run before, so that any two of
   * them are apart in one. A notice holds when it comes again with its lie, and its test passes without.
   */
  batches(rows: readonly Row[]): Row[][] {
    const open = rows.filter((each) => isOpen(each) && !each.isAlone);
    return this.#parts.isOver() ? [] : groupsOf(open).flatMap(halvesOf);
  }

  async confirmBatch(rows: readonly Row[]): Promise<void> {
    if (this.#parts.isAborted()) return;
    const attempts = rows.map(({ pair, unit }) => this.#parts.attempt(pair, unit, { isAlone: false, turn: 1 }));
    const run = await this.#parts.run(attempts);
    this.#parts.placebos.heed(attempts, run);
    for (const [at, row] of rows.entries()) {
      const attempt = attempts[at];
      if (!attempt) continue;
      const judged = judgeAttempt(attempt, run);
      const holds = 'verdict' in judged ? judged.verdict === 'noticed' : judged.hasHung === true;
      if (holds) row.confirmed = 'beside';
      else if (!this.#parts.placebos.isUnsteady(row.unit)) this.#parts.placebos.disturb(row.unit);
    }
  }

  /** Whether a notice is of a test that was seen to fail by itself. */
  isDoubtful(row: Row): boolean {
    return isOpen(row, 'alone') && this.#parts.placebos.isUnsteady(row.unit);
  }

  /** A notice of a test that also fails by itself counts where it comes again, alone. */
  async confirm(row: Row): Promise<void> {
    if (this.#parts.isAborted()) return;
    const attempt = this.#parts.attempt(row.pair, row.unit, { isAlone: true, turn: 1 });
    const judged = judgeAttempt(attempt, await this.#parts.run([attempt]));
    const holds = 'verdict' in judged && judged.verdict === 'noticed';
    Object.assign(row, holds ? { confirmed: 'alone' } : { verdict: 'no_verdict', by: undefined });
  }

  /** Runs the survivors of a lie once more, with nothing beside it; what fails then has noticed. */
  async isolate({ pair, rows }: { pair: Pair; rows: readonly Row[] }): Promise<void> {
    const survivors = toIsolate(rows);
    if (survivors.length === 0 || this.#parts.isAborted()) return;
    if (this.#parts.isOver()) {
      for (const row of survivors) row.output = NOT_RUN_ALONE;
      return;
    }
    const attempts = survivors.map(({ unit }) => this.#parts.attempt(pair, unit, { isAlone: true, turn: 1 }));
    const run = await this.#parts.run(attempts);
    for (const [at, row] of survivors.entries()) {
      const attempt = attempts[at];
      const judged = attempt && judgeAttempt(attempt, run);
      const isJudged = judged && 'verdict' in judged && judged.verdict !== 'unreached';
      // A notice against an earlier run is no certain one.
      if (isJudged) Object.assign(row, judged, { run, isAlone: judged.verdict !== 'noticed' });
    }
  }
}

/** The survivors of a lie at its site that were seen beside other lies only; none where a unit has noticed it. */
export function toIsolate(rows: readonly Row[]): Row[] {
  if (bestVerdict(rows) !== 'survived') return [];
  return rows.filter(({ verdict, isAlone, before }) => !isAlone && before !== 'survived' && verdict === 'survived');
}

/** A notice that was not confirmed, or not alone; a refusal was made by the receiver, whatever its test does. */
function isOpen({ verdict, by, confirmed }: Row, how?: Row['confirmed']): boolean {
  const isConfirmed = how === undefined ? confirmed !== undefined : confirmed === how;
  return verdict === 'noticed' && by !== 'refused' && !isConfirmed;
}

/** Rows that one run can carry: a unit once, and one unknown key, which has no account and would fit two rules. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const fits = (other: Row) => {
      const isOfKeys = row.pair.lie === 'key.any' && other.pair.lie === 'key.any';
      return !isOfKeys && row.unit !== other.unit;
    };
    const group = groups.find((each) => each.every(fits));
    if (group) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Every row counts from 1 among those of its run; each bit of these numbers is a run of the rows that have it. */
function halvesOf(rows: readonly Row[]): Row[][] {
  const counts = new Map<number, number>();
  const numbered = rows.map((row) => {
    const number = (counts.get(row.began) ?? 0) + 1;
    counts.set(row.began, number);
    return { row, number };
  });
  const most = Math.max(...counts.values());
  const halves: Row[][] = [];
  for (let bit = 1; bit <= most; bit *= 2) {
    halves.push(numbered.filter(({ number }) => Math.floor(number / bit) % 2 === 1).map(({ row }) => row));
  }
  return halves;
}
