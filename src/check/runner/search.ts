/** What became of the scenarios of one fault, violation or compatible change. */
export interface Tried {
  name: string;
  /** Scenarios of the plan, and those that were judged. */
  of: number;
  run: number;
  /** Those with the expected end: the tests passed under a fault or a compatible change, or one failed under a violation. */
  good: number;
}

export interface SearchResults {
  /** What a report counts as planned: kinds of faults, violations at their sites and compatible changes; and what was judged. */
  planned: number;
  judged: number;
  runs: number;
  tried: readonly Tried[];
}

/** `planned`: the name of each scenario of the plan, as often as there is one. */
export function triedOf(planned: readonly string[], judged: readonly { name: string; isGood: boolean }[]): Tried[] {
  const names = new Set([...planned, ...judged.map(({ name }) => name)]);
  return [...names].map((name) => {
    const own = judged.filter((each) => each.name === name);
    const of = planned.filter((each) => each === name).length;
    return { name, of, run: own.length, good: own.filter(({ isGood }) => isGood).length };
  });
}

/** One search of a check, for faults or for violations: both make their runs by the same runner, within the same budget. */
export interface Search<Results extends SearchResults> {
  /** Scenarios that were tried, and that there are as far as is known. */
  readonly progress: { done: number; planned: number };
  /** Can be read at any time, whatever ends the search. */
  readonly results: Results;
  /** Tries all that is asked for, or the one finding of a token. Throws `RunFault` if the command by itself prevents that. */
  run(): Promise<void>;
}

export interface Shard {
  index: number;
  of: number;
}

/** The part of a plan that this machine tries. */
export function ofShard<T>(plan: readonly T[], { index, of }: Shard): T[] {
  return plan.filter((_, at) => at % of === index - 1);
}

/**
 * Keeps as much work under way as `atOnce` allows, until `next` has none and nothing is under way. After a failure nothing
 * begins; it is thrown when the rest has ended, so that nothing continues behind the report.
 */
export async function workAtOnce(
  atOnce: number,
  next: (underWay: number) => Promise<unknown> | undefined,
): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  for (;;) {
    const work = failures.length === 0 && underWay.size < atOnce ? next(underWay.size) : undefined;
    if (work !== undefined) {
      const ending: Promise<unknown> = work
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(ending));
      underWay.add(ending);
    } else if (underWay.size > 0) await Promise.race(underWay);
    else break;
  }
  if (failures.length > 0) throw failures[0];
}
