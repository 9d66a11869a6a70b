import type { Clock } from '../../base/clock/clock.ts';
import { combined, mayMeet } from './combine-entries.ts';
import { allows, DEVIATIONS, type Deviation } from './deviation-table.ts';
import { bookOf, type Entry, keyOf, type Schedule, type StepBook, sizeOf, underOutcome } from './schedule.ts';
import { type Step, type StepKind, withoutNumber } from './step.ts';

/** So many faults a scenario has at most. */
const MOST_FAULTS = 2;

export interface Search {
  /** Whether `--only` and `--skip` leave a fault in. */
  wants(name: string): boolean;
  /** Whether the app's process can be killed. */
  kills: boolean;
  seed: number;
}

/** Whether a search tries a deviation at all. */
export function isSearched({ name, act }: Deviation, { wants, kills }: Search, step: Step): boolean {
  return wants(name) && (kills || !('kill' in act(step)));
}

/** What a search tries at a step. */
function searchedAt(step: Step, search: Search): Deviation[] {
  return DEVIATIONS.filter((each) => allows(each, step) && isSearched(each, search, step));
}

/** Whether a search tries an entry that was found before. */
export function isSought(entry: Entry, book: StepBook, search: Search): boolean {
  const step = book.get(entry.step);
  return step !== undefined && searchedAt(step, search).some(({ name }) => name === entry.deviation);
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

/** Single deviations at these steps, what costs most first; round by round: each has at most one step of each kind. */
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
  const outcomes = plain.flatMap((step) =>
    searchedAt(step, search).flatMap(({ name, isOutcome }) =>
      isOutcome ? [{ step: step.name, deviation: name }] : [],
    ),
  );
  const settings: Schedule[] = [[], ...outcomes.map((entry) => [entry])];
  yield* alone(plain, settings, search);
  for (let size = 2; size <= MOST_FAULTS; size += 1) {
    for (const outcome of settings) {
      const steps = around(plain, outcome);
      const combinations = combined(rounds(steps, search).flat(), { book: bookOf(steps), size, seed: search.seed });
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

/** What a run brought about that was not there before, explored as long as the bound allows. */
export function following(
  schedule: Schedule,
  { steps, known, search }: { steps: readonly Step[]; known: ReadonlySet<string>; search: Search },
): Schedule[] {
  if (sizeOf(schedule) >= MOST_FAULTS) return [];
  const fresh = steps.filter(({ name, kind }) => !known.has(name) && kind !== 'endpoint');
  return rounds(fresh, search)
    .flat()
    .map((entry) => [...schedule, entry]);
}

/** Findings at steps of the same name count as one. */
export function kindOf(schedule: Schedule): string {
  return schedule
    .map(({ step, deviation }) => `${deviation} at ${withoutNumber(step)}`)
    .sort()
    .join(' + ');
}

/** What a search has yet to try: its plan, and what deviations have brought about. */
export class ScheduleQueue {
  /** Those of the plan that are this machine's. */
  mine: readonly Schedule[] = [];
  /** How many were taken. */
  taken = 0;
  readonly #done = new Set<string>();
  #planned: readonly Schedule[] = [];
  #next = 0;
  #followed: Schedule[] = [];

  /** `known`: what was found before, which is tried first. */
  plan(all: readonly Schedule[], { index, of }: { index: number; of: number }, known: readonly Schedule[]): void {
    this.mine = all.filter((_, at) => at % of === index - 1);
    this.#planned = [...known, ...this.mine];
  }

  /** Adds what a run has brought about: it comes after all single deviations. */
  follow(schedules: readonly Schedule[]): void {
    this.#followed.push(...schedules);
  }

  get total(): number {
    return this.#planned.length + this.#followed.length;
  }

  /** Those that were not tried and are ready, in their order. */
  *ahead(isReady: (schedule: Schedule) => boolean): Generator<Schedule> {
    const isNext = (each: Schedule) => !this.#isDone(each) && isReady(each);
    for (const each of this.#followed) if (isNext(each)) yield each;
    for (let at = this.#next; at < this.#planned.length; at += 1) {
      const planned = this.#planned[at];
      if (planned && isNext(planned)) yield planned;
    }
  }

  /** The next one that was not tried. */
  next(): Schedule | undefined {
    for (;;) {
      const schedule = this.#upcoming();
      if (!schedule || !this.#isDone(schedule)) return schedule;
    }
  }

  take(schedules: readonly Schedule[]): void {
    for (const schedule of schedules) this.#done.add(keyOf(schedule));
    this.taken += schedules.length;
    this.#followed = this.#followed.filter((each) => !schedules.includes(each));
  }

  /** It was taken, and there was no time for it. */
  giveBack(schedule: Schedule): void {
    this.#done.delete(keyOf(schedule));
    this.taken -= 1;
  }

  #isDone(schedule: Schedule): boolean {
    return this.#done.has(keyOf(schedule));
  }

  #upcoming(): Schedule | undefined {
    const planned = this.#planned[this.#next];
    const isSingle = planned !== undefined && sizeOf(planned) < 2;
    // One of each in turn, once every single deviation was tried.
    if (this.#followed.length > 0 && !isSingle && (this.taken % 2 === 0 || !planned)) {
      return this.#followed.shift();
    }
    this.#next += 1;
    return planned;
  }
}

/** What confirming and shrinking may take beyond the budget. */
const OVERTIME = 1.1;

interface SearchLimits {
  /** From now on; 0: no end. */
  budgetMs: number;
  signal: AbortSignal;
}

/** What ends a search: its time, its signal, what breaks it. A run begins only where it will end in time. */
export class SearchEnd {
  /** How long a baseline run takes, in milliseconds. */
  lengthMs = 0;
  /** Something that is no matter of the app has gone wrong. */
  isBroken = false;
  readonly #clock: Pick<Clock, 'real'>;
  readonly #began: number;
  readonly #limits: SearchLimits;

  constructor(clock: Pick<Clock, 'real'>, limits: SearchLimits) {
    this.#clock = clock;
    this.#began = clock.real();
    this.#limits = limits;
  }

  get elapsedMs(): number {
    return this.#clock.real() - this.#began;
  }

  /** What is left for something new that begins now, but for its own length. */
  get leftMs(): number {
    return this.#left(1, 1);
  }

  /** Whether so many runs, one after the other, end in time that confirm what was found. */
  hasTime(runs: number): boolean {
    return !this.#isEnded && this.#left(OVERTIME, runs) >= 0;
  }

  /** Whether its time is over, or something has ended it. */
  get isOver(): boolean {
    return this.#isEnded || this.leftMs < 0;
  }

  get #isEnded(): boolean {
    return this.#limits.signal.aborted || this.isBroken;
  }

  #left(share: number, runs: number): number {
    const { budgetMs } = this.#limits;
    if (budgetMs === 0) return Number.POSITIVE_INFINITY;
    return budgetMs * share - this.elapsedMs - runs * this.lengthMs;
  }
}
