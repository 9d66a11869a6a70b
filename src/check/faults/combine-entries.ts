import { createHash } from 'node:crypto';
import { FAULT_NAMES } from './fault-table.ts';
import { keyOf, type Scenario, type ScenarioEntry, type StepBook } from './scenario.ts';
import type { Step } from './step.ts';

/** Entries of one object come first. The same seed gives the same order. */
export function* combined(
  entries: readonly ScenarioEntry[],
  { book, size, seed }: { book: StepBook; size: number; seed: number },
): Generator<Scenario> {
  const groups: Scenario[][] = [[], []];
  for (const chosen of choose(entries, size, book)) {
    groups[isRelated(chosen, book) ? 0 : 1]?.push(chosen);
  }
  for (const group of groups) {
    yield* acrossKinds(group, seed);
  }
}

function acrossKinds(group: readonly Scenario[], seed: number): Scenario[] {
  const turns = new Map<string, number>();
  const ranked = group.map((chosen) => ({ chosen, rank: shuffled(seed, chosen) })).sort(byRank);
  return ranked
    .map(({ chosen, rank }) => {
      const names = chosen.map(({ fault }) => fault);
      const kinds = names.toSorted().join(' + ');
      const turn = turns.get(kinds) ?? 0;
      turns.set(kinds, turn + 1);
      return { chosen, rank, turn, last: Math.max(...names.map((name) => FAULT_NAMES.indexOf(name))) };
    })
    .sort((a, b) => a.turn - b.turn || a.last - b.last || byRank(a, b))
    .map(({ chosen }) => chosen);
}

function byRank(a: { rank: string }, b: { rank: string }): number {
  return a.rank < b.rank ? -1 : 1;
}

function* choose(entries: readonly ScenarioEntry[], size: number, book: StepBook): Generator<Scenario> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [at, entry] of entries.entries()) {
    const fitting = entries.slice(at + 1).filter((other) => other.step !== entry.step && mayMeet(entry, other, book));
    for (const rest of choose(fitting, size - 1, book)) yield [entry, ...rest];
  }
}

/** False for tests with accounts of their own, because they cannot affect each other. */
export function mayMeet(one: ScenarioEntry, other: ScenarioEntry, book: StepBook): boolean {
  const [a, b] = [book.get(one.step)?.test, book.get(other.step)?.test];
  return a === undefined || b === undefined || a === b;
}

function isRelated(scenario: Scenario, book: ReadonlyMap<string, Step>): boolean {
  const abouts = scenario.map(({ step }) => book.get(step)?.about ?? []);
  const [first = []] = abouts;
  return first.some((about) => abouts.every((each) => each.includes(about)));
}

function shuffled(seed: number, scenario: Scenario): string {
  return createHash('sha256')
    .update(`${seed} ${keyOf(scenario)}`)
    .digest('hex');
}
