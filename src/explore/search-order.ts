import { createHash } from 'node:crypto';
import { allows, DEVIATION_NAMES, DEVIATIONS, type Deviation, fitsKind } from './deviation-table.ts';
import {
  bookOf,
  deviationOf,
  type Entry,
  isOutcome,
  keyOf,
  type Schedule,
  type StepBook,
  singleOutcomes,
  underOutcome,
} from './schedule.ts';
import { type Step, type StepKind, withoutNumber } from './step.ts';

/** What is searched. */
export interface Search {
  /** How many deviations a schedule has at most: 1 to 3. */
  bound: number;
  /** Deviations by name; all where none is named. */
  only: readonly string[];
  skip: readonly string[];
  beyondContract: boolean;
  /** Whether the app's process can be killed. */
  kills: boolean;
  seed: number;
}

/** Whether a search tries a deviation at all. */
export function isSearched({ name, isBeyond, act }: Deviation, search: Search, step: Step): boolean {
  const { only, skip, beyondContract, kills } = search;
  if (!kills && 'kill' in act(step)) return false;
  if (skip.some((kind) => fitsKind(kind, name))) return false;
  if (only.length > 0) return only.some((kind) => fitsKind(kind, name));
  return !isBeyond || beyondContract;
}

/** Whether a search tries an entry that was found before. */
export function isSought(entry: Entry, book: StepBook, search: Search): boolean {
  const step = book.get(entry.step);
  const deviation = deviationOf(entry, book);
  return step !== undefined && deviation !== undefined && isSearched(deviation, search, step);
}

/** Requests that move money first, then deliveries; reads come last. */
const WEIGHT: readonly StepKind[] = [
  'order',
  'call',
  'stream',
  'delivery',
  'endpoint',
  'job',
  'take',
  'cdn',
  'write',
  'read',
];

/** Single deviations at these steps: the first step of each kind before the second of any, what costs most first. */
export function singles(steps: readonly Step[], search: Search): Entry[] {
  return rounds(steps, search).flat();
}

/** The same round by round: each has at most one step of each kind. */
function rounds(steps: readonly Step[], search: Search): Entry[][] {
  const weighed = steps.toSorted((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind));
  const kinds = DEVIATIONS.filter(({ isOutcome: isWork }) => !isWork).map((deviation) =>
    weighed
      .filter((step) => allows(deviation, step) && isSearched(deviation, search, step))
      .map((step): Entry => ({ step: step.name, deviation: deviation.name })),
  );
  const longest = Math.max(0, ...kinds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => kinds.flatMap((kind) => kind[turn] ?? []));
}

/**
 * Every schedule over the steps of a plain run, in the order in which they are tried: single deviations of the plain
 * outcome and of the others, then pairs and more, those of one object first. The same steps and seed make the same list.
 */
export function* plannedSchedules(plain: readonly Step[], search: Search): Generator<Schedule> {
  const outcomes = singleOutcomes(plain).filter((entry) => isSearchedOutcome(entry, plain, search));
  const settings: Schedule[] = [[], ...outcomes.map((entry) => [entry])];
  yield* alone(plain, settings, search);
  for (let size = 2; size <= search.bound; size += 1) {
    for (const outcome of settings) yield* combined(plain, { outcome, size, search });
  }
}

function isSearchedOutcome({ deviation, step }: Entry, plain: readonly Step[], search: Search): boolean {
  const found = plain.find(({ name }) => name === step);
  const row = DEVIATIONS.find(({ name, isOutcome: isWork }) => isWork && name === deviation);
  return found !== undefined && row !== undefined && isSearched(row, search, found);
}

/** So many rounds after one outcome the next one begins: they are much alike, and the plain one is not to wait for all. */
const OUTCOMES_APART = 2;

/** One deviation each, round by round: the plain outcome first, the others one after the other; these alone come early. */
function* alone(plain: readonly Step[], settings: readonly Schedule[], search: Search): Generator<Schedule> {
  const all = settings.map((outcome, at) => ({
    outcome,
    from: at === 0 ? 0 : 1 + OUTCOMES_APART * (at - 1),
    turns: rounds(underOutcome(plain, outcome), search),
  }));
  const longest = Math.max(2, ...all.map(({ from, turns }) => from + turns.length));
  for (let turn = 0; turn < longest; turn += 1) {
    if (turn === 1) yield* settings.filter((outcome) => outcome.length > 0);
    for (const { outcome, from, turns } of all) {
      for (const entry of turns[turn - from] ?? []) yield [...outcome, entry];
    }
  }
}

function* combined(
  plain: readonly Step[],
  { outcome, size, search }: { outcome: Schedule; size: number; search: Search },
): Generator<Schedule> {
  const steps = underOutcome(plain, outcome);
  const book = bookOf(steps);
  const entries = singles(steps, search);
  const groups: Schedule[][] = [[], []];
  for (const chosen of choose(entries, size)) {
    groups[isRelated(chosen, book) ? 0 : 1]?.push(chosen);
  }
  for (const group of groups) {
    for (const chosen of acrossKinds(group, search.seed)) yield [...outcome, ...chosen];
  }
}

/** What every schedule of a list does, once, before any of it is done at other steps; what has found most comes first. */
function acrossKinds(group: readonly Schedule[], seed: number): Schedule[] {
  const turns = new Map<string, number>();
  const ranked = group.map((chosen) => ({ chosen, rank: shuffled(seed, chosen) })).sort(byRank);
  return ranked
    .map(({ chosen, rank }) => {
      const names = chosen.map(({ deviation }) => deviation);
      const kinds = names.toSorted().join(' + ');
      const turn = turns.get(kinds) ?? 0;
      turns.set(kinds, turn + 1);
      return { chosen, rank, turn, last: Math.max(...names.map((name) => DEVIATION_NAMES.indexOf(name))) };
    })
    .sort((a, b) => a.turn - b.turn || a.last - b.last || byRank(a, b))
    .map(({ chosen }) => chosen);
}

function byRank(a: { rank: string }, b: { rank: string }): number {
  return a.rank < b.rank ? -1 : 1;
}

function* choose(entries: readonly Entry[], size: number, from = 0): Generator<Schedule> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at < entries.length; at += 1) {
    const entry = entries[at];
    if (!entry) continue;
    for (const rest of choose(entries, size - 1, at + 1)) {
      if (rest.every(({ step }) => step !== entry.step)) yield [entry, ...rest];
    }
  }
}

/** Whether all of its steps concern one order, object or endpoint. */
function isRelated(schedule: Schedule, book: ReadonlyMap<string, Step>): boolean {
  const abouts = schedule.map(({ step }) => book.get(step)?.about ?? []);
  const [first = []] = abouts;
  return first.some((about) => abouts.every((each) => each.includes(about)));
}

/** A rank for each schedule, the same for the same seed. */
function shuffled(seed: number, schedule: Schedule): string {
  return createHash('sha256')
    .update(`${seed} ${keyOf(schedule)}`)
    .digest('hex');
}

/** One text for a list of schedules in its order. */
export function hashOf(schedules: Iterable<Schedule>): string {
  const hash = createHash('sha256');
  for (const schedule of schedules) hash.update(`${keyOf(schedule)}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** What a run brought about that was not there before, explored as long as the bound allows. */
export function following(
  schedule: Schedule,
  { steps, known, search }: { steps: readonly Step[]; known: ReadonlySet<string>; search: Search },
): Schedule[] {
  if (schedule.filter((entry) => !isOutcome(entry)).length >= search.bound) return [];
  const fresh = steps.filter(({ name, kind }) => !known.has(name) && kind !== 'endpoint');
  return singles(fresh, search).map((entry) => [...schedule, entry]);
}

/** Findings at steps of the same name count as one. */
export function kindOf(schedule: Schedule): string {
  return schedule
    .map(({ step, deviation }) => `${deviation} at ${withoutNumber(step)}`)
    .sort()
    .join(' + ');
}
