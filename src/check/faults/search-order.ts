import { ofShard, type Shard } from '../runner/search.ts';
import { combined, mayMeet } from './combine-entries.ts';
import { canOccurAt, FAULTS, type Fault } from './fault-table.ts';
import { bookOf, keyOf, type Scenario, type ScenarioEntry, type StepBook, sizeOf, underOutcome } from './scenario.ts';
import { type ScenarioStepKind, type Step, withoutNumber } from './step.ts';

const MOST_FAULTS = 2;

export interface FaultSearch {
  wants(name: string): boolean;
  kills: boolean;
  seed: number;
}

export function isSearched({ name, act }: Fault, { wants, kills }: FaultSearch, step: Step): boolean {
  return step.traits.faulted !== true && wants(name) && (kills || !('kill' in act(step)));
}

function searchedAt(step: Step, search: FaultSearch): Fault[] {
  return FAULTS.filter((each) => canOccurAt(each, step) && isSearched(each, search, step));
}

export function isSought(entry: ScenarioEntry, book: StepBook, search: FaultSearch): boolean {
  const step = book.get(entry.step);
  return step !== undefined && searchedAt(step, search).some(({ name }) => name === entry.fault);
}

/** Requests that spend money come first, then deliveries, and reads last. */
const WEIGHT: readonly ScenarioStepKind[] = [
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
  'responses',
];

/** Single faults, the most expensive steps first. A round has at most one step of each kind. */
function rounds(steps: readonly Step[], search: FaultSearch): ScenarioEntry[][] {
  const weighed = steps.toSorted((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind));
  const kinds = FAULTS.filter(({ isOutcome: isWork }) => !isWork).map((fault) =>
    weighed
      .filter((step) => canOccurAt(fault, step) && isSearched(fault, search, step))
      .map((step): ScenarioEntry => ({ step: step.name, fault: fault.name })),
  );
  const longest = Math.max(0, ...kinds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => kinds.flatMap((kind) => kind[turn] ?? []));
}

/**
 * Every scenario in the order of the search: single faults of the plain outcome and of the others, then combinations, those
 * of one object first. The same steps and seed give the same list.
 */
export function* plannedScenarios(plain: readonly Step[], search: FaultSearch): Generator<Scenario> {
  const outcomes = plain.flatMap((step) =>
    searchedAt(step, search).flatMap(({ name, isOutcome }) => (isOutcome ? [{ step: step.name, fault: name }] : [])),
  );
  const settings: Scenario[] = [[], ...outcomes.map((entry) => [entry])];
  yield* alone(plain, settings, search);
  for (let size = 2; size <= MOST_FAULTS; size += 1) {
    for (const outcome of settings) {
      const steps = around(plain, outcome);
      const mixed = steps.filter(({ kind }) => kind !== 'responses');
      const combinations = combined(rounds(mixed, search).flat(), { book: bookOf(steps), size, seed: search.seed });
      for (const chosen of combinations) yield [...outcome, ...chosen];
    }
  }
}

function around(plain: readonly Step[], outcome: Scenario): Step[] {
  const steps = underOutcome(plain, outcome);
  const [failing] = outcome;
  if (!failing) return steps;
  const book = bookOf([...plain, ...steps]);
  return steps.filter(({ name: step, kind }) => kind !== 'responses' && mayMeet(failing, { step, fault: '' }, book));
}

/** The number of rounds between two outcomes. Outcomes are similar, so the plain one need not wait for all. */
const OUTCOMES_APART = 2;

/** Single faults, round by round: the plain outcome first. The other outcomes alone come early. */
function* alone(plain: readonly Step[], settings: readonly Scenario[], search: FaultSearch): Generator<Scenario> {
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

export function followingScenarios(
  scenario: Scenario,
  { steps, known, search }: { steps: readonly Step[]; known: ReadonlySet<string>; search: FaultSearch },
): Scenario[] {
  if (sizeOf(scenario) >= MOST_FAULTS) return [];
  const fresh = steps.filter(({ name, kind }) => !known.has(name) && kind !== 'endpoint');
  return rounds(fresh, search)
    .flat()
    .map((entry) => [...scenario, entry]);
}

export function kindOf(scenario: Scenario): string {
  return scenario
    .map(({ step, fault }) => `${fault} at ${withoutNumber(step)}`)
    .sort()
    .join(' + ');
}

export function singleFaultsOf(scenarios: readonly Scenario[]): string[] {
  return scenarios.flatMap((scenario) => (sizeOf(scenario) > 1 ? [] : scenario.map(({ fault }) => fault)));
}

export class ScenarioQueue {
  mine: readonly Scenario[] = [];
  taken = 0;
  readonly #done = new Set<string>();
  #planned: readonly Scenario[] = [];
  #next = 0;
  #followed: Scenario[] = [];

  /** `known` are earlier findings, which are tried first. */
  plan(all: readonly Scenario[], shard: Shard, known: readonly Scenario[]): void {
    this.mine = ofShard(all, shard);
    this.#planned = [...known, ...this.mine];
  }

  /** Adds scenarios that a run revealed. They come after all single faults. */
  follow(scenarios: readonly Scenario[]): void {
    this.#followed.push(...scenarios);
  }

  get total(): number {
    return this.#planned.length + this.#followed.length;
  }

  *ahead(isReady: (scenario: Scenario) => boolean): Generator<Scenario> {
    const isNext = (each: Scenario) => !this.#isDone(each) && isReady(each);
    for (const each of this.#followed) if (isNext(each)) yield each;
    for (let at = this.#next; at < this.#planned.length; at += 1) {
      const planned = this.#planned[at];
      if (planned && isNext(planned)) yield planned;
    }
  }

  next(): Scenario | undefined {
    for (;;) {
      const scenario = this.#upcoming();
      if (!scenario || !this.#isDone(scenario)) return scenario;
    }
  }

  take(scenarios: readonly Scenario[]): void {
    for (const scenario of scenarios) this.#done.add(keyOf(scenario));
    this.taken += scenarios.length;
    this.#followed = this.#followed.filter((each) => !scenarios.includes(each));
  }

  giveBack(scenario: Scenario): void {
    this.#done.delete(keyOf(scenario));
    this.taken -= 1;
  }

  #isDone(scenario: Scenario): boolean {
    return this.#done.has(keyOf(scenario));
  }

  #upcoming(): Scenario | undefined {
    const planned = this.#planned[this.#next];
    const isSingle = planned !== undefined && sizeOf(planned) < 2;
    // After all single faults, the two lists take turns.
    if (this.#followed.length > 0 && !isSingle && (this.taken % 2 === 0 || !planned)) {
      return this.#followed.shift();
    }
    this.#next += 1;
    return planned;
  }
}
