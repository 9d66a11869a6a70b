import { createHash } from 'node:crypto';
import { DEVIATION_NAMES } from './deviation-table.ts';
import { type Entry, keyOf, type Schedule, type StepBook } from './schedule.ts';
import type { Step } from './step.ts';

/** Combinations of so many entries, those of one object first; the same seed makes the same order. */
export function* combined(
  entries: readonly Entry[],
  { book, size, seed }: { book: StepBook; size: number; seed: number },
): Generator<Schedule> {
  const groups: Schedule[][] = [[], []];
  for (const chosen of choose(entries, size, book)) {
    groups[isRelated(chosen, book) ? 0 : 1]?.push(chosen);
  }
  for (const group of groups) {
    yield* acrossKinds(group, seed);
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

function* choose(entries: readonly Entry[], size: number, book: StepBook): Generator<Schedule> {
  if (size === 0) {
    yield [];
    return;
  }
  for (const [at, entry] of entries.entries()) {
    const fitting = entries.slice(at + 1).filter((other) => other.step !== entry.step && mayMeet(entry, other, book));
    for (const rest of choose(fitting, size - 1, book)) yield [entry, ...rest];
  }
}

/** Whether one of two entries may have to do with the other: tests with accounts of their own do not meet. */
export function mayMeet(one: Entry, other: Entry, book: StepBook): boolean {
  const [a, b] = [book.get(one.step)?.site, book.get(other.step)?.site];
  return a === undefined || b === undefined || a.unit === b.unit;
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
