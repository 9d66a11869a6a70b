import type { ViolationOrder } from '../../client/violation-relay.ts';
import { violationRow } from '../../control/violations/violation-table.ts';
import type { Controls } from '../runner/controls.ts';
import type { MeasuredRun } from './measured-run.ts';
import type { Pair, Unit } from './plan.ts';

const VERDICTS = ['caught', 'unclear', 'missed', 'not_exercised'] as const;
/** What became of a violation, the best first. */
export type AttemptVerdict = (typeof VERDICTS)[number];

export interface Attempt {
  id: string;
  pair: Pair;
  unit: Unit;
  isAlone: boolean;
  turn: number;
  hasHung?: boolean;
}

export interface Judged {
  verdict: AttemptVerdict;
  /** The receiver rejected it, whatever its test does. */
  isRefused?: boolean;
  /** Nothing is known: the command made no request. */
  isCached?: boolean;
}

export interface Row extends Judged {
  pair: Pair;
  unit: Unit;
  isAlone: boolean;
  began: number;
  confirmed?: 'beside' | 'alone' | undefined;
}

/** An attempt that has to be made again, alone: others may have disturbed it, or its test did not run. */
export interface Again {
  again: true;
  hasHung?: boolean;
  /** The test failed without having met a violation: its failures say little. */
  isUnsteady?: boolean;
}

/** For a run without a request, if the baseline run makes some: a runner that remembers its last result asks nothing. */
export const CACHED = `The command passed without a request that it makes otherwise, as if from a cache.
Have its runner run every test again: turbo --force, nx --skip-nx-cache, jest without --onlyChanged.`;

const MOST_TURNS = 2;
const UNCLEAR: Judged = { verdict: 'unclear' };

export function judgeAttempt(attempt: Attempt, run: MeasuredRun): Judged | Again {
  const { id, pair, unit } = attempt;
  if (run.requests === 0) return { verdict: 'unclear', isCached: true };
  const end = run.units.find((each) => each.unit === unit.unit);
  if (run.refused.has(id) && violationRow(pair.violation)?.acts === 'event')
    return { verdict: 'caught', isRefused: true };
  const isCut = run.isHung && (unit.isWhole || end?.outcome === 'open');
  if (isCut || run.hung.has(unit.unit)) return ofEnded(attempt, run.acted.has(id));
  if (end === undefined || end.outcome === 'open') return attempt.turn < MOST_TURNS ? { again: true } : UNCLEAR;
  if (end.outcome === 'passed') return ofPassed(attempt, run);
  return ofFailed(attempt, run.acted.has(id), end.error ?? run.output);
}

function ofPassed(attempt: Attempt, run: MeasuredRun): Judged {
  if (attempt.hasHung) return UNCLEAR;
  return { verdict: run.acted.has(attempt.id) ? 'missed' : 'not_exercised' };
}

/** A test that failed without having met its violation failed by itself: that is looked at once more. */
function ofFailed(attempt: Attempt, hasActed: boolean, output: string): Judged | Again {
  const { turn, isAlone } = attempt;
  // A clock of the runner's own says as little as ours while others take the machine's time.
  if (/\btimed out\b|\btimeout\b/i.test(output)) return ofEnded(attempt, hasActed);
  if (hasActed) return { verdict: 'caught' };
  return turn === 0 || !isAlone ? { again: true, isUnsteady: true } : UNCLEAR;
}

/** A violation under which a test hangs is caught if the test hangs again without others. */
function ofEnded({ isAlone, hasHung }: Attempt, hasActed: boolean): Judged | Again {
  if (!isAlone || !hasHung) return { again: true, hasHung: true };
  return hasActed ? { verdict: 'caught' } : UNCLEAR;
}

export function bestVerdict(rows: readonly { verdict: AttemptVerdict }[]): AttemptVerdict {
  return VERDICTS.find((verdict) => rows.some((row) => row.verdict === verdict)) ?? 'not_exercised';
}

export function armed({ id, pair, unit }: Attempt): ViolationOrder {
  const { violation, site } = pair;
  return { id, violation, site: site === '' ? undefined : site, unit: unit.isWhole ? undefined : unit.unit };
}

interface SecondRunParts {
  controls: Controls;
  attempt(pair: Pair, unit: Unit, how: Pick<Attempt, 'isAlone' | 'turn'>): Attempt;
  run(attempts: readonly Attempt[]): Promise<MeasuredRun>;
  isOver(): boolean;
  isAborted(): boolean;
}

/** Runs again what one run has shown: a test that fails by itself, or for what its neighbour left, has caught nothing. */
export class SecondRuns {
  readonly #parts: SecondRunParts;

  constructor(parts: SecondRunParts) {
    this.#parts = parts;
  }

  /**
   * Runs that confirm what was caught next to other violations: in each about half of the violations of every run before, so
   * that any two of them are apart in one. A catch holds if it comes again with its violation, and its test passes without.
   */
  batches(rows: readonly Row[]): Row[][] {
    const open = rows.filter((each) => isOpen(each) && !each.isAlone);
    return this.#parts.isOver() ? [] : groupsOf(open).flatMap(halvesOf);
  }

  async confirmBatch(rows: readonly Row[]): Promise<void> {
    if (this.#parts.isAborted()) return;
    const attempts = rows.map(({ pair, unit }) => this.#parts.attempt(pair, unit, { isAlone: false, turn: 1 }));
    const run = await this.#parts.run(attempts);
    this.#parts.controls.heed(attempts, run);
    for (const [at, row] of rows.entries()) {
      const attempt = attempts[at];
      if (!attempt) continue;
      const judged = judgeAttempt(attempt, run);
      const holds = 'verdict' in judged ? judged.verdict === 'caught' : judged.hasHung === true;
      if (holds) row.confirmed = 'beside';
      else if (!this.#parts.controls.isUnsteady(row.unit)) this.#parts.controls.disturb(row.unit);
    }
  }

  isDoubtful(row: Row): boolean {
    return isOpen(row, 'alone') && this.#parts.controls.isUnsteady(row.unit);
  }

  async confirm(row: Row): Promise<void> {
    if (this.#parts.isAborted()) return;
    const attempt = this.#parts.attempt(row.pair, row.unit, { isAlone: true, turn: 1 });
    const judged = judgeAttempt(attempt, await this.#parts.run([attempt]));
    const holds = 'verdict' in judged && judged.verdict === 'caught';
    Object.assign(row, holds ? { confirmed: 'alone' } : { verdict: 'unclear' });
  }

  async isolate({ pair, rows }: { pair: Pair; rows: readonly Row[] }): Promise<void> {
    const missed = toIsolate(rows);
    if (missed.length === 0 || this.#parts.isAborted() || this.#parts.isOver()) return;
    const attempts = missed.map(({ unit }) => this.#parts.attempt(pair, unit, { isAlone: true, turn: 1 }));
    const run = await this.#parts.run(attempts);
    for (const [at, row] of missed.entries()) {
      const attempt = attempts[at];
      const judged = attempt && judgeAttempt(attempt, run);
      const isJudged = judged && 'verdict' in judged && judged.verdict !== 'not_exercised';
      // A catch against an earlier run is not certain.
      if (isJudged) Object.assign(row, judged, { isAlone: judged.verdict !== 'caught' });
    }
  }
}

export function toIsolate(rows: readonly Row[]): Row[] {
  if (bestVerdict(rows) !== 'missed') return [];
  return rows.filter(({ verdict, isAlone }) => !isAlone && verdict === 'missed');
}

function isOpen({ verdict, isRefused, confirmed }: Row, how?: Row['confirmed']): boolean {
  const isConfirmed = how === undefined ? confirmed !== undefined : confirmed === how;
  return verdict === 'caught' && !isRefused && !isConfirmed;
}

/** Rows that one run can carry: a test once, and one unknown key, which has no account and would fit two rules. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const fits = (other: Row) => {
      const isOfKeys = row.pair.violation === 'key.any' && other.pair.violation === 'key.any';
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
