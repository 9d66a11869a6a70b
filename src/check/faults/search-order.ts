import { grouped } from '../../base/text.ts';
import { CHECK_IDS } from '../checks.ts';
import { ofShard, type Shard } from '../runner/search.ts';
import { combined, mayMeet } from './combine-entries.ts';
import { failedCheck } from './failed-check.ts';
import { canOccurAt, FAULTS, type Fault } from './fault-table.ts';
import {
  bookOf,
  isOutcome,
  keyOf,
  type Scenario,
  type ScenarioEntry,
  type StepBook,
  sizeOf,
  underOutcome,
} from './scenario.ts';
import { type ScenarioStepKind, type Step, withoutNumber } from './step.ts';

const MAX_FAULTS = 2;

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

/** Faults of one kind at steps of one kind are alike: a check has passed once each of them was tried. */
export function siteKindOf({ step, fault }: ScenarioEntry): string {
  return `${fault} at ${withoutNumber(step).replace(/ (?:take \d+|to endpoint #\d+)/, '')}`;
}

/** All single faults, outcomes included, the most expensive steps first. */
function singles(steps: readonly Step[], search: FaultSearch): ScenarioEntry[] {
  const weighed = steps.toSorted((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind));
  return FAULTS.flatMap((fault) =>
    weighed
      .filter((step) => canOccurAt(fault, step) && isSearched(fault, search, step))
      .map((step): ScenarioEntry => ({ step: step.name, fault: fault.name })),
  );
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/** First one scenario of each kind, in turn over the checks. Then the others, in turn over the checks and kinds. */
function inRounds(entries: readonly ScenarioEntry[]): ScenarioEntry[] {
  const byCheck = grouped(entries, (entry) => failedCheck({ scenario: [entry], kind: 'exit' }));
  const kinds = CHECK_IDS.map((id) => [...grouped(byCheck.get(id) ?? [], siteKindOf).values()]);
  const first = inTurns(kinds.map((lists) => lists.flatMap((list) => list.slice(0, 1))));
  return [...first, ...inTurns(kinds.map((lists) => inTurns(lists.map((list) => list.slice(1)))))];
}

/**
 * Every scenario in the order of the search: all single faults, then single faults together with a failed job, then
 * pairs, those of one object first. The same steps and seed give the same list.
 */
export function* plannedScenarios(plain: readonly Step[], search: FaultSearch): Generator<Scenario> {
  const alone = inRounds(singles(plain, search));
  for (const entry of alone) yield [entry];
  const outcomes = alone.filter(isOutcome).map((entry): Scenario => [entry]);
  const around = outcomes.map((outcome) =>
    inRounds(withoutOutcomes(stepsAround(plain, outcome), search)).map((entry): Scenario => [...outcome, entry]),
  );
  yield* inTurns(around);
  for (let size = 2; size <= MAX_FAULTS; size += 1) {
    for (const outcome of [[], ...outcomes]) {
      const steps = stepsAround(plain, outcome).filter(({ kind }) => kind !== 'responses');
      const entries = inRounds(withoutOutcomes(steps, search));
      const combinations = combined(entries, { book: bookOf(steps), size, seed: search.seed });
      for (const chosen of combinations) yield [...outcome, ...chosen];
    }
  }
}

function withoutOutcomes(steps: readonly Step[], search: FaultSearch): ScenarioEntry[] {
  return singles(steps, search).filter((entry) => !isOutcome(entry));
}

function stepsAround(plain: readonly Step[], outcome: Scenario): Step[] {
  const steps = underOutcome(plain, outcome);
  const [failing] = outcome;
  if (!failing) return steps;
  const book = bookOf([...plain, ...steps]);
  return steps.filter(({ name: step, kind }) => kind !== 'responses' && mayMeet(failing, { step, fault: '' }, book));
}

export function followingScenarios(
  scenario: Scenario,
  { steps, known, search }: { steps: readonly Step[]; known: ReadonlySet<string>; search: FaultSearch },
): Scenario[] {
  if (sizeOf(scenario) >= MAX_FAULTS) return [];
  const fresh = steps.filter(({ name, kind }) => !known.has(name) && kind !== 'endpoint');
  return withoutOutcomes(fresh, search).map((entry) => [...scenario, entry]);
}

export function kindOf(scenario: Scenario): string {
  return scenario
    .map(({ step, fault }) => `${fault} at ${withoutNumber(step)}`)
    .sort()
    .join(' + ');
}

/** The single faults of a plan. */
export function singlesOf(scenarios: readonly Scenario[]): ScenarioEntry[] {
  return scenarios.flatMap((scenario) => (scenario.length > 1 ? [] : scenario));
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
    this.mine = ofShard(all, shard, (scenario) =>
      scenario.length > 1 ? keyOf(scenario) : scenario.map(siteKindOf).join(),
    );
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
    const isSingle = planned?.length === 1;
    // After all single faults, the two lists take turns.
    if (this.#followed.length > 0 && !isSingle && (this.taken % 2 === 0 || !planned)) {
      return this.#followed.shift();
    }
    this.#next += 1;
    return planned;
  }
}
