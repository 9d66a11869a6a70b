import type { LieOrder } from '../../client/lie-relay.ts';
import { lieRow } from '../../control/lies/lie-table.ts';
import type { Placebos } from '../runner/placebos.ts';
import type { MeasuredRun, NoticedBy } from './measured-run.ts';
import type { Pair, Unit } from './plan.ts';

export const VERDICTS = ['noticed', 'no_verdict', 'survived', 'unread', 'unreached'] as const;
/** What became of a lie, the best first. */
export type Verdict = (typeof VERDICTS)[number];

/** A lie at one site, tried at one unit. */
export interface Attempt {
  id: string;
  pair: Pair;
  unit: Unit;
  /** It has the run for itself. */
  isAlone: boolean;
  /** How often it was tried before without a verdict. */
  turn: number;
  /** It was ended by the clock before. */
  hasHung?: boolean;
}

/** What one run says of an attempt. */
export interface Judged {
  verdict: Verdict;
  harm: boolean;
  by?: NoticedBy | undefined;
  /** What the unit failed with; of a survivor, that it was not run alone. */
  output?: string | undefined;
}

/** What became of a lie at one unit; `run` is the one that showed it. */
export interface Row extends Judged {
  pair: Pair;
  unit: Unit;
  run?: MeasuredRun | undefined;
  /** No other lie was in its run. */
  isAlone: boolean;
  /** When its run began, which it shares with those that were in that run. */
  began: number;
  /** The notice came a second time: beside other lies than before, or with no other lie in its run. */
  confirmed?: 'beside' | 'alone' | undefined;
  /** What the baseline knows of it, at a unit that has not changed since. */
  before?: Known | undefined;
}

/** A notice that was confirmed, or a survivor that was run alone. */
export type Known = 'noticed' | 'survived';

/** An attempt that has to be made again, alone: others may have disturbed it, or its unit did not run. */
export interface Again {
  again: true;
  hasHung?: boolean;
  /** The unit failed without having met a lie: its failures say little. */
  isUnsteady?: boolean;
}

/** Of a run without a request, where the baseline run makes some: a runner that remembers its last result asks nothing. */
export const CACHED = `The command passed without a request that it makes otherwise, as if from a cache.
Have its runner run every test anew: turbo --force, nx --skip-nx-cache, jest without --onlyChanged.`;

/** Of a survivor for which there was no time to run it once more, with no other lie. */
export const NOT_RUN_ALONE =
  'Not run alone: the time of --budget was up. With a longer one its lie is tried once more, alone.';

const MOST_OUTPUT = 2000;
/** So often a unit may not have run before it counts for nothing. */
const MOST_TURNS = 2;

/** What a run says of one of the lies that it carried. */
export function judgeAttempt(attempt: Attempt, run: MeasuredRun): Judged | Again {
  const { id, pair, unit } = attempt;
  if (run.requests === 0) return noVerdict(`${CACHED}\nIt printed:\n${run.output}`.slice(0, MOST_OUTPUT));
  const end = run.units.find((each) => each.unit === unit.unit);
  const output = (end?.error ?? run.output).slice(-MOST_OUTPUT);
  if (run.refused.has(id) && isOfEvents(pair)) return { verdict: 'noticed', harm: false, by: 'refused', output };
  const isCut = run.isHung && (unit.isWhole || end?.outcome === 'open');
  if (isCut || run.hung.has(unit.unit)) return ofEnded(attempt, run.acted.has(id), output);
  if (end === undefined || end.outcome === 'open')
    return attempt.turn < MOST_TURNS ? { again: true } : noVerdict(output);
  return end.outcome === 'passed' ? ofPassed(attempt, run) : ofFailed(attempt, run.acted.has(id), output);
}

function ofPassed(attempt: Attempt, run: MeasuredRun): Judged {
  if (attempt.hasHung) return noVerdict(run.output.slice(-MOST_OUTPUT));
  return run.acted.has(attempt.id) ? survived(attempt, run) : { verdict: 'unreached', harm: false };
}

/** A unit that failed without having met its lie failed by itself: that is looked at once more. */
function ofFailed(attempt: Attempt, hasActed: boolean, output: string): Judged | Again {
  const { turn, isAlone } = attempt;
  // A clock of the runner's own says as little as ours while others take the machine's time.
  if (/\btimed out\b|\btimeout\b/i.test(output)) return ofEnded(attempt, hasActed, output);
  if (hasActed) return { verdict: 'noticed', harm: false, by: reasonOf(output), output };
  return turn === 0 || !isAlone ? { again: true, isUnsteady: true } : noVerdict(output);
}

/** A hang under a lie is a notice when it comes again without others. */
function ofEnded({ isAlone, hasHung }: Attempt, hasActed: boolean, output: string): Judged | Again {
  if (!isAlone || !hasHung) return { again: true, hasHung: true };
  return hasActed ? { verdict: 'noticed', harm: false, by: 'timeout', output } : noVerdict(output);
}

function noVerdict(output: string): Judged {
  return { verdict: 'no_verdict', harm: false, output };
}

/** Nothing failed: whether anything that can be seen is otherwise than in the baseline run says whether somebody reads it. */
function survived({ pair, unit }: Attempt, run: MeasuredRun): Judged {
  const isSteady = new Set(unit.seen).size === 1;
  const harm = isSteady && run.seen.get(unit.unit) !== undefined && run.seen.get(unit.unit) !== unit.seen[0];
  const isOfForm = pair.family === 'content' || pair.family === 'form';
  return { verdict: isOfForm && !harm ? 'unread' : 'survived', harm };
}

/** Whether it changes an answer, and nothing behind it. */
export function isOfAnswer({ lie }: Pair): boolean {
  return lieRow(lie)?.acts === 'answer';
}

function isOfEvents({ lie }: Pair): boolean {
  return lieRow(lie)?.acts === 'event';
}

/** An assertion of the test, as far as its words say. */
function reasonOf(output: string): NoticedBy {
  return /AssertionError|\bexpect(?:ed)?\b|\bassert\b/i.test(output) ? 'assertion' : 'error';
}

/** What a lie at a site comes to: the best that one of its units has shown. */
export function bestVerdict(rows: readonly { verdict: Verdict }[]): Verdict {
  return VERDICTS.find((verdict) => rows.some((row) => row.verdict === verdict)) ?? 'unreached';
}

/** An attempt as its run is to carry it. */
export function armed({ id, pair, unit }: Attempt): LieOrder {
  const { lie, field, site } = pair;
  return { id, lie, field, site: site === '' ? undefined : site, unit: unit.isWhole ? undefined : unit.unit };
}

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
