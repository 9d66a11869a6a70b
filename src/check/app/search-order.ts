import { createHash } from 'node:crypto';
import { combined, mayMeet } from './combine-entries.ts';
import { allows, DEVIATIONS, type Deviation } from './deviation-table.ts';
import {
  bookOf,
  deviationOf,
  type Entry,
  fitsKind,
  keyOf,
  type Schedule,
  type StepBook,
  sizeOf,
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
function singles(steps: readonly Step[], search: Search): Entry[] {
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
    for (const outcome of settings) {
      const steps = around(plain, outcome);
      const combinations = combined(singles(steps, search), { book: bookOf(steps), size, seed: search.seed });
      for (const chosen of combinations) yield [...outcome, ...chosen];
    }
  }
}

/** The steps under an outcome that may have to do with it. */
function around(plain: readonly Step[], outcome: Schedule): Step[] {
  const steps = underOutcome(plain, outcome);
  const [failing] = outcome;
  if (!failing) return steps;
  const book = bookOf([...plain, ...steps]);
  return steps.filter(({ name: step }) => mayMeet(failing, { step, deviation: '' }, book));
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
    turns: rounds(around(plain, outcome), search),
  }));
  const longest = Math.max(2, ...all.map(({ from, turns }) => from + turns.length));
  for (let turn = 0; turn < longest; turn += 1) {
    if (turn === 1) yield* settings.filter((outcome) => outcome.length > 0);
    for (const { outcome, from, turns } of all) {
      for (const entry of turns[turn - from] ?? []) yield [...outcome, entry];
    }
  }
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
  if (sizeOf(schedule) >= search.bound) return [];
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

/** Every outcome in which one unit fails, as entries. */
function singleOutcomes(steps: readonly Step[]): Entry[] {
  const outcomes = DEVIATIONS.filter((each) => each.isOutcome);
  return steps.flatMap((step) =>
    outcomes.filter((each) => allows(each, step)).map(({ name }) => ({ step: step.name, deviation: name })),
  );
}
