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
  for (const chosen of choose(entries, size)) {
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
