import type { ViolationOrder } from '../../client/violation-relay.ts';
import { violationRow } from '../../control/violations/violation-table.ts';
import type { Controls } from '../runner/controls.ts';
import type { MeasuredRun } from './measured-run.ts';
import type { Pair, PlannedTest } from './plan.ts';

const VERDICTS = ['caught', 'unclear', 'missed', 'not_exercised'] as const;
/** From best to worst. */
export type AttemptVerdict = (typeof VERDICTS)[number];

export interface Attempt {
  id: string;
  pair: Pair;
  test: PlannedTest;
  isAlone: boolean;
  turn: number;
  hasHung?: boolean;
}

export interface AttemptResult {
  verdict: AttemptVerdict;
  /** The receiver rejected the violation, whatever the test did. */
  isRefused?: boolean;
  /** The command made no request, so nothing is known. */
  isCached?: boolean;
}

export interface JudgedAttempt extends AttemptResult {
  pair: Pair;
  test: PlannedTest;
  isAlone: boolean;
  began: number;
  confirmed?: 'packed' | 'alone' | undefined;
}

/** An attempt must be repeated alone if others may have disturbed it, or if its test did not run. */
export interface AttemptRetry {
  again: true;
  hasHung?: boolean;
  /** The test also failed without a violation, so its failures say little. */
  isUnsteady?: boolean;
}

/** The command made no request although the baseline run makes some: the runner may have cached its result. */
export const CACHED = `The command passed without its usual requests, as if its result came from a cache.
Make its runner run every test again: turbo --force, nx --skip-nx-cache, jest without --onlyChanged.`;

const MOST_TURNS = 2;
const UNCLEAR: AttemptResult = { verdict: 'unclear' };

export function judgeAttempt(attempt: Attempt, run: MeasuredRun): AttemptResult | AttemptRetry {
  const { id, pair, test } = attempt;
  if (run.requests === 0) return { verdict: 'unclear', isCached: true };
  const end = run.tests.find((each) => each.key === test.key);
  if (run.refused.has(id) && violationRow(pair.violation)?.acts === 'event')
    return { verdict: 'caught', isRefused: true };
  const isCut = run.isHung && (test.isWhole || end?.outcome === 'open');
  if (isCut || run.hung.has(test.key)) return ofEnded(attempt, run.acted.has(id));
  if (end === undefined || end.outcome === 'open') return attempt.turn < MOST_TURNS ? { again: true } : UNCLEAR;
  if (end.outcome === 'passed') return ofPassed(attempt, run);
  return ofFailed(attempt, run.acted.has(id), end.error ?? run.output);
}

function ofPassed(attempt: Attempt, run: MeasuredRun): AttemptResult {
  if (attempt.hasHung) return UNCLEAR;
  return { verdict: run.acted.has(attempt.id) ? 'missed' : 'not_exercised' };
}

/** A test that failed before it met its violation failed by itself, and is run again. */
function ofFailed(attempt: Attempt, hasActed: boolean, output: string): AttemptResult | AttemptRetry {
  const { turn, isAlone } = attempt;
  // On a busy machine, timeouts of the runner prove nothing.
  if (/\btimed out\b|\btimeout\b/i.test(output)) return ofEnded(attempt, hasActed);
  if (hasActed) return { verdict: 'caught' };
  return turn === 0 || !isAlone ? { again: true, isUnsteady: true } : UNCLEAR;
}

/** A hung test catches the violation only if it hangs again alone. */
function ofEnded({ isAlone, hasHung }: Attempt, hasActed: boolean): AttemptResult | AttemptRetry {
  if (!isAlone || !hasHung) return { again: true, hasHung: true };
  return hasActed ? { verdict: 'caught' } : UNCLEAR;
}

export function bestVerdict(rows: readonly { verdict: AttemptVerdict }[]): AttemptVerdict {
  return VERDICTS.find((verdict) => rows.some((row) => row.verdict === verdict)) ?? 'not_exercised';
}

export function orderOf({ id, pair, test }: Attempt): ViolationOrder {
  const { violation, site } = pair;
  return { id, violation, site: site === '' ? undefined : site, test: test.isWhole ? undefined : test.key };
}

interface SecondRunParts {
  controls: Controls;
  attempt(pair: Pair, test: PlannedTest, how: Pick<Attempt, 'isAlone' | 'turn'>): Attempt;
  run(attempts: readonly Attempt[]): Promise<MeasuredRun>;
  isOver(): boolean;
  isAborted(): boolean;
}

/** Confirms catches in further runs. A test that fails by itself, or because of its neighbor, has caught nothing. */
export class SecondRuns {
  readonly #parts: SecondRunParts;

  constructor(parts: SecondRunParts) {
    this.#parts = parts;
  }

  /**
   * Runs to confirm catches. Each contains about half of the violations of every earlier run, so that any two are apart in
   * one run. A catch holds if it repeats with its violation, and the test passes without.
   */
  batches(rows: readonly JudgedAttempt[]): JudgedAttempt[][] {
    const open = rows.filter((each) => isOpen(each) && !each.isAlone);
    return this.#parts.isOver() ? [] : groupsOf(open).flatMap(halvesOf);
  }

  async confirmBatch(rows: readonly JudgedAttempt[]): Promise<void> {
    if (this.#parts.isAborted()) return;
    const attempts = rows.map(({ pair, test }) => this.#parts.attempt(pair, test, { isAlone: false, turn: 1 }));
    const run = await this.#parts.run(attempts);
    this.#parts.controls.noteControls(attempts, run);
    for (const [at, row] of rows.entries()) {
      const attempt = attempts[at];
      if (!attempt) continue;
      const judged = judgeAttempt(attempt, run);
      const holds = 'verdict' in judged ? judged.verdict === 'caught' : judged.hasHung === true;
      if (holds) row.confirmed = 'packed';
      else if (!this.#parts.controls.isUnsteady(row.test)) this.#parts.controls.disturb(row.test);
    }
  }

  isDoubtful(row: JudgedAttempt): boolean {
    return isOpen(row, 'alone') && this.#parts.controls.isUnsteady(row.test);
  }

  async confirm(row: JudgedAttempt): Promise<void> {
    if (this.#parts.isAborted()) return;
    const attempt = this.#parts.attempt(row.pair, row.test, { isAlone: true, turn: 1 });
    const judged = judgeAttempt(attempt, await this.#parts.run([attempt]));
    const holds = 'verdict' in judged && judged.verdict === 'caught';
    Object.assign(row, holds ? { confirmed: 'alone' } : { verdict: 'unclear' });
  }

  async isolate({ pair, rows }: { pair: Pair; rows: readonly JudgedAttempt[] }): Promise<void> {
    const missed = toIsolate(rows);
    if (missed.length === 0 || this.#parts.isAborted() || this.#parts.isOver()) return;
    const attempts = missed.map(({ test }) => this.#parts.attempt(pair, test, { isAlone: true, turn: 1 }));
    const run = await this.#parts.run(attempts);
    for (const [at, row] of missed.entries()) {
      const attempt = attempts[at];
      const judged = attempt && judgeAttempt(attempt, run);
      const isJudged = judged && 'verdict' in judged && judged.verdict !== 'not_exercised';
      // A catch that contradicts an earlier run is not certain.
      if (isJudged) Object.assign(row, judged, { isAlone: judged.verdict !== 'caught' });
    }
  }
}

export function toIsolate(rows: readonly JudgedAttempt[]): JudgedAttempt[] {
  if (bestVerdict(rows) !== 'missed') return [];
  return rows.filter(({ verdict, isAlone }) => !isAlone && verdict === 'missed');
}

function isOpen({ verdict, isRefused, confirmed }: JudgedAttempt, how?: JudgedAttempt['confirmed']): boolean {
  const isConfirmed = how === undefined ? confirmed !== undefined : confirmed === how;
  return verdict === 'caught' && !isRefused && !isConfirmed;
}

/** A run can contain each test once, and one unknown key: it has no account and would match two rules. */
function groupsOf(rows: readonly JudgedAttempt[]): JudgedAttempt[][] {
  const groups: JudgedAttempt[][] = [];
  for (const row of rows) {
    const fits = (other: JudgedAttempt) => {
      const isOfKeys = row.pair.violation === 'key.any' && other.pair.violation === 'key.any';
      return !isOfKeys && row.test !== other.test;
    };
    const group = groups.find((each) => each.every(fits));
    if (group) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Numbers the rows of each run from 1. Each bit of these numbers is one run with the rows that have it. */
function halvesOf(rows: readonly JudgedAttempt[]): JudgedAttempt[][] {
  const counts = new Map<number, number>();
  const numbered = rows.map((row) => {
    const number = (counts.get(row.began) ?? 0) + 1;
    counts.set(row.began, number);
    return { row, number };
  });
  const most = Math.max(...counts.values());
  const halves: JudgedAttempt[][] = [];
  for (let bit = 1; bit <= most; bit *= 2) {
    halves.push(numbered.filter(({ number }) => Math.floor(number / bit) % 2 === 1).map(({ row }) => row));
  }
  return halves;
}
