import { type Attempt, bestVerdict, judgeAttempt, type Row } from './judge-attempt.ts';
import type { MeasuredRun } from './measured-run.ts';
import type { Placebos } from './placebos.ts';
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

  /** Notices that were made beside other lies, as few runs that put each beside others than before. */
  batches(rows: readonly Row[]): Row[][] {
    const batches: Row[][] = [];
    if (this.#parts.isOver()) return batches;
    for (const row of rows.filter((each) => isOpen(each) && !each.isAlone)) {
      const batch = batches.find((each) => each.every((other) => fitsBeside(row, other)));
      if (batch) batch.push(row);
      else batches.push([row]);
    }
    return batches;
  }

  /** A notice that does not come again beside other lies has to come again alone. */
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
      else await this.#refuted(row);
    }
  }

  async #refuted(row: Row): Promise<void> {
    if (this.#parts.isAborted()) return;
    this.#parts.placebos.disturb(row.unit);
    await this.confirm(row);
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
    const survivors = rows.filter(({ verdict, isAlone }) => !isAlone && verdict === 'survived');
    if (bestVerdict(rows) !== 'survived' || survivors.length === 0 || this.#parts.isOver()) return;
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

/** A notice that was not confirmed, or not alone; a refusal was made by the receiver, whatever its test does. */
function isOpen({ verdict, by, confirmed }: Row, how?: Row['confirmed']): boolean {
  const isConfirmed = how === undefined ? confirmed !== undefined : confirmed === how;
  return verdict === 'noticed' && by !== 'refused' && !isConfirmed;
}

/** An unknown key has no account: two rules that let it in would fit it both. */
function fitsBeside(row: Row, other: Row): boolean {
  const isOfKeys = row.pair.lie === 'key.any' && other.pair.lie === 'key.any';
  return !isOfKeys && row.unit !== other.unit && row.began !== other.began;
}
